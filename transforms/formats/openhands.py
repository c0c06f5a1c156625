"""OpenHands `output.jsonl`: one line per run with its events (V0 or V1), its patch and the evaluation's report."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, PathFacts, build_groups
from transforms.formats.fields import as_integer, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.openhands_run import Run, read_run, run_rollouts, spent
from transforms.formats.row_files import RowAdapter, row_records
from transforms.formats.swe_instances import origin_of
from transforms.formats.swe_reports import (
    EVALUATION_ERROR,
    Verdict,
    entries_of,
    outcome_fields,
    read_reports,
    verdict_of,
)
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

AGENT: Final = "openhands"
_WATCHED: Final = frozenset({"instance_id", "history", "resolved"})
_EVENT_KEYS: Final = ("action", "observation", "kind")
_FIELDS: Final = frozenset(
    {"instance_id", "instruction", "history", "git_patch", "metrics", "error", "test_result", "attempt"}
)
_METRICS: Final = frozenset({"accumulated_cost", "accumulated_token_usage"})
_TEST_RESULT: Final = frozenset({"report", "git_patch", "resolved"})
_EVALUATION_FAULTS: Final = ("error_eval", "test_timeout")
"""Flags of a report that say the evaluation itself failed."""


class OpenHandsAdapter(RowAdapter):
    """Reads OpenHands evaluation output; `output.report.json` or `report.json` beside it is joined."""

    name = "openhands"
    version = "4"
    carries = (
        "messages, calls and results of V0 and V1 events",
        "parallel calls by response, unreadable calls as written",
        "branches and condensed contexts as parts of the run",
        "evaluation report, patch, error and ending",
        "agent, model, tokens and cost",
    )
    loses = ("events of the harness itself", "details of results beside text and exit code", "configuration")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        level = 1 if outline.starts_as == "[" else 0
        if outline.shape == "parquet" or not outline.has(level, "instance_id", "history"):
            return False
        is_judged = outline.has(level, "test_result") or outline.has(level, "git_patch")
        return is_judged or any(outline.has(level + 2, "source", key) for key in _EVENT_KEYS)

    def path_facts(self, uri: str) -> PathFacts:
        """Return the run (the folder)."""
        return (("run", ("", *uri.split("/"))[-2]),)

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        folder, slash, name = uri.rpartition("/")
        stem = name.partition(".jsonl")[0]
        reports = {f"{folder}{slash}{report}" for report in ("report.json", f"{stem}.report.json")}
        return tuple(sorted(reports & listing.known))

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        facts = dict(unit.path_facts)
        reports = read_reports(unit, open_file, settings)
        return build_groups(
            row_records(unit, open_file, settings, watched=_WATCHED),
            lambda record: _rollouts(record, facts, reports=reports, reward_range=settings.reward_range),
            sources=lambda record: (
                record.value,
                *entries_of(reports, as_text(record.value.get("instance_id")) or ""),
            ),
        )


def _rollouts(
    record: NativeRecord,
    facts: dict[str, str],
    *,
    reports: list[tuple[str, Any]],
    reward_range: tuple[float, float],
) -> Sequence[Rollout]:
    native = record.value
    if not isinstance(native.get("history"), list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`history` is no list")
    run = read_run(native["history"], error=native.get("error"))
    result = as_object(native.get("test_result"))
    verdict, is_judged = _verdict(as_text(native.get("instance_id")) or "", result, reports)
    header = _header(native, run, facts, outcome=outcome_fields(verdict, reward_range), is_judged=is_judged)
    losses = (
        run.losses
        | untaken(native, _FIELDS)
        | untaken(as_object(native.get("metrics")), _METRICS, prefix="metrics.")
        | untaken(result, _TEST_RESULT, prefix="test_result.")
    )
    whole = Rollout(
        header=header,
        messages=(),
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(losses)),
        parse_warnings=(*record.warnings, *run.warnings, *verdict.warnings),
    )
    return tuple(run_rollouts(run, whole))


def _verdict(instance_id: str, result: dict[str, Any], reports: list[tuple[str, Any]]) -> tuple[Verdict, bool]:
    """Return what the row's own report and the run's say, and whether the evaluation itself worked."""
    own = as_object(result.get("report")) or result
    is_judged = not any(own.get(flag) is True for flag in _EVALUATION_FAULTS)
    entry = {"resolved": own.get("resolved"), "patch_successfully_applied": own.get("failed_apply_patch") is not True}
    verdict = verdict_of([("", {instance_id: entry}), *reports], instance_id)
    if is_judged:
        return verdict, True
    warnings = tuple(sorted({*verdict.warnings, EVALUATION_ERROR}))
    return verdict._replace(warnings=warnings), False


def _header(
    native: dict[str, Any], run: Run, facts: dict[str, str], *, outcome: dict[str, Any], is_judged: bool
) -> Header:
    metadata = as_object(native.get("metadata"))
    model = as_object(metadata.get("llm_config")) or as_object(metadata.get("llm"))
    instance_id = as_text(native.get("instance_id"))
    instruction = native.get("instruction")
    patch = native.get("git_patch", as_object(native.get("test_result")).get("git_patch"))
    error = native.get("error")
    said = first_user_text(run.stretches[0].messages)
    origin = origin_of(instance_id)
    return Header(
        source_format=OpenHandsAdapter.name,
        env_type=EnvType.CODE_REPO,
        task_id=instance_id,
        repo=origin.repo,
        base_commit=origin.commit,
        task_source=as_text(metadata.get("dataset")),
        task_text=instruction if isinstance(instruction, str) and instruction.strip() else said,
        rollout_index=as_integer(native.get("attempt"), bits=32),
        run_id=facts.get("run") or None,
        agent_name=as_text(metadata.get("agent_class")) or AGENT,
        agent_version=as_text(metadata.get("agent_version")),
        model_name=as_text(model.get("model")),
        reward_valid=run.ending.reward_valid and is_judged,
        termination=run.ending.termination,
        termination_raw=run.ending.raw,
        truncated=run.ending.is_truncated,
        error_type="error" if error else None,
        error_message=error if isinstance(error, str) else canonical_text(error) if error else run.fault,
        submission=patch if isinstance(patch, str) else None,
        tools_json=run.tools_json,
        **outcome,
        **spent(native.get("metrics")),
    )
