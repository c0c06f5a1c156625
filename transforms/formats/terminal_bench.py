"""Terminal-Bench results: outcomes of trials without their steps, which lie in recordings and agent logs."""

import re
from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import list_records, load_document, load_sidecar
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_count, as_datetime, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_reward
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_WATCHED: Final = frozenset({"trial_name", "task_id", "is_resolved", "failure_mode"})
_TRIAL_NAME: Final = re.compile(r"(?P<task>.+)\.(?P<index>[0-9]{1,6})-of-[0-9]{1,6}(?:\.(?P<run>.+))?")
_RUN_FILE: Final = "run_metadata.json"
_FOLDERS_ABOVE: Final = 3
"""A trial's own results lie two folders below the run's, `<run>/<task>/<trial>/results.json`."""
_UNREADABLE_TESTS: Final = "parse_error"
"""Failure mode of a trial whose test output could not be read: a fault of the harness, not of the agent's format."""
_FIELDS: Final = frozenset(
    {
        "id", "trial_name", "task_id", "instruction", "is_resolved", "failure_mode", "parser_results",
        "total_input_tokens", "total_output_tokens", "trial_started_at", "trial_ended_at", "agent_started_at",
        "agent_ended_at",
    }
)  # fmt: skip


class TerminalBenchAdapter:
    """Reads the results of a Terminal-Bench run or of one trial; equal results in both files are one rollout."""

    name = "terminal_bench"
    version = "1"
    carries = (
        "task and instruction",
        "outcome, tests and failure mode",
        "tokens and times",
        "agent and model where the run's metadata lie beside it",
    )
    loses = ("all steps", "recording", "names of single tests", "times of tests", "pass@k")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.shape == "parquet":
            return False
        of_run = outline.has(0, "results") and outline.has(2, "trial_name", "is_resolved")
        return of_run or outline.has(0, "trial_name", "task_id", "is_resolved")

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the metadata of the run, the nearest above the results."""
        folders = uri.split("/")[:-1]
        for count in range(len(folders), max(-1, len(folders) - _FOLDERS_ABOVE), -1):
            path = "/".join((*folders[:count], _RUN_FILE))
            if path in listing.known:
                return (path,)
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        run, warnings = _run(unit, open_file, settings)
        document = load_document(unit, open_file, settings, watched=_WATCHED)
        rest: dict[str, Any] = {}
        if not isinstance(document, BadRecord) and isinstance(document.value, dict) and "results" in document.value:
            rest = {name: value for name, value in document.value.items() if name != "results"}
            document = document._replace(value=document.value["results"])
        return build_rollouts(
            list_records(document),
            lambda record: _rollout(record, run, warnings=warnings, reward_range=settings.reward_range),
            sources=lambda record: (record.value, run, rest),
        )


def _run(unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the metadata of the run, empty where there is none, and the warnings that reading it gave."""
    for uri in unit.sidecars:
        try:
            parsed = load_sidecar(uri, open_file, settings)
        except (RecordError, UnreadableError, OSError):
            return {}, ("unreadable_run_metadata",)
        return as_object(parsed.value), parsed.warnings
    return {}, ()


def _rollout(
    record: NativeRecord, run: dict[str, Any], *, warnings: tuple[str, ...], reward_range: tuple[float, float]
) -> Rollout:
    native = record.value
    resolved = native.get("is_resolved", MISSING)
    reward = convert_reward(resolved, reward_range)
    ending = _ending(native.get("failure_mode"))
    named = _TRIAL_NAME.fullmatch(as_text(native.get("trial_name")) or "")
    tests = as_object(native.get("parser_results"))
    started = as_datetime(native.get("agent_started_at") or native.get("trial_started_at"))
    ended = as_datetime(native.get("agent_ended_at") or native.get("trial_ended_at"))
    header = Header(
        source_format=TerminalBenchAdapter.name,
        env_type=EnvType.TERMINAL,
        task_id=as_text(native.get("task_id")),
        task_source=as_text(run.get("dataset_name")),
        task_text=native.get("instruction") if isinstance(native.get("instruction"), str) else None,
        rollout_index=int(named["index"]) if named else None,
        run_id=as_text(run.get("run_id")) or (named["run"] if named else None),
        agent_name=as_text(run.get("agent_name")),
        model_name=as_text(run.get("model_name")),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name=None if resolved is MISSING else "is_resolved",
        success=resolved if isinstance(resolved, bool) else None,
        tests_passed=_count(tests, "passed"),
        tests_failed=_count(tests, "failed"),
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        prompt_tokens=as_count(native.get("total_input_tokens")),
        completion_tokens=as_count(native.get("total_output_tokens")),
        started_at=started,
        ended_at=ended,
        duration_s=None if started is None or ended is None else (ended - started).total_seconds(),
    )
    return Rollout(
        header=header,
        messages=(),
        native_id=as_text(native.get("id")) or as_text(native.get("trial_name")),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        lost_fields=tuple(sorted({"steps"} | untaken(native, _FIELDS))),
        parse_warnings=(*record.warnings, *reward.warnings, *warnings),
        is_header_only=True,
    )


def _ending(failure_mode: Any) -> Ending:
    if failure_mode == _UNREADABLE_TESTS:
        return ending_of("verifier_error")._replace(raw=_UNREADABLE_TESTS)
    return ending_of(failure_mode)


def _count(tests: dict[str, Any], outcome: str) -> int | None:
    return sum(result == outcome for result in tests.values()) if tests else None
