"""SWE-agent `.traj` files, old and 1.x: the history is the conversation, the task's id is the file's name."""

import re
from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import item_record, load_document
from transforms.formats.endings import ending_of
from transforms.formats.fields import as_count, as_list, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken, untaken_of_each
from transforms.formats.swe_history import HISTORY_FIELDS, history_messages
from transforms.formats.swe_instances import origin_of
from transforms.formats.swe_reports import Verdict, entries_of, find_reports, outcome_fields, read_reports, verdict_of
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import Parsed, parse_json

OTHER_ATTEMPT: Final = "report_of_another_attempt"
"""Warning: the reports judge the submission a retrying agent chose, which this attempt did not make."""
_WATCHED: Final = frozenset({"history", "exit_status"})
_FIELDS: Final = frozenset({"history", "trajectory", "info", "attempts"})
_INFO_FIELDS: Final = frozenset({"exit_status", "submission", "model_stats", "swe_agent_version"})
_STATS_FIELDS: Final = frozenset({"instance_cost", "total_cost", "tokens_sent", "tokens_received"})
_STEP_FIELDS: Final = frozenset({"action", "observation", "response", "thought"})
_ATTEMPT: Final = "attempt:"


class SweAgentAdapter:
    """Reads SWE-agent trajectories and joins their SWE-bench reports."""

    name = "swe_agent"
    version = "4"
    carries = (
        "history as messages, calls and results (tool calling and text mode)",
        "each attempt of a retrying agent",
        "SWE-bench reports beside the run",
        "ending, cost, tokens and patch",
        "demonstrations marked, own turns marked as sampled",
    )
    loses = (
        "repeated prompts of every step",
        "state and times of steps",
        "replay configuration",
        "edited-file views",
        "cache marks and tags of messages",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.starts_as != "{" or len(outline.records) > 1:
            return False
        has_steps = outline.has(0, "trajectory") and outline.has(2, "action", "observation")
        has_history = outline.has(0, "history") and outline.has(2, "role", "content")
        return has_steps or has_history or outline.has(0, "attempts", "info")

    def path_facts(self, uri: str) -> PathFacts:
        """Return the instance (file name) and the run (its folder, past a folder named after the instance)."""
        *folders, name = uri.split("/")
        instance_id = _stem(name)
        if folders and folders[-1] == instance_id:
            folders.pop()
        return (("instance_id", instance_id), ("run", folders[-1] if folders else ""))

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        facts = dict(self.path_facts(uri))
        return find_reports(uri, facts["instance_id"], listing, run=facts["run"])

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        facts = dict(unit.path_facts)
        document = load_document(unit, open_file, settings, watched=_WATCHED)
        reports = read_reports(unit, open_file, settings)
        verdict = verdict_of(reports, facts["instance_id"])
        beside = (*entries_of(reports, facts["instance_id"]), _around_attempts(document))
        chosen = None if isinstance(document, BadRecord) else _submission(document.value)
        return build_rollouts(
            _records(unit, document),
            lambda record: _rollout(record, facts, _verdict_on(record, verdict, chosen=chosen), settings=settings),
            sources=lambda record: (record.value, *beside),
        )


def _stem(name: str) -> str:
    return re.sub(r"\.(?:traj|json)(?:\.gz|\.zst)?$", "", name)


def _records(unit: SourceUnit, document: Parsed | BadRecord) -> Iterator[NativeRecord | BadRecord]:
    """Yield the file's rollouts: one, or one per attempt of a retrying agent."""
    if isinstance(document, BadRecord):
        yield document
        return
    if not isinstance(document.value, dict):
        yield BadRecord("document", QuarantineReason.NOT_AN_OBJECT, "expected an object", 0, unit.size, unit.sha256)
        return
    attempts = document.value.get("attempts")
    if not isinstance(attempts, list) or not attempts:
        yield NativeRecord("document", document.value, 0, unit.size, document.warnings)
        return
    for index, attempt in enumerate(attempts):
        yield item_record(f"{_ATTEMPT}{index}", attempt, document)


def _around_attempts(document: Parsed | BadRecord) -> dict[str, Any]:
    """Return what a file says beside its attempts; of a file of one rollout nothing, as that is the record itself.

    The chosen attempt stands there once more: what an attempt says too is told with that attempt.
    """
    native = as_object(document.value) if isinstance(document, Parsed) else {}
    attempts = [as_object(attempt) for attempt in as_list(native.get("attempts"))]
    return _beside(native, attempts, depth=2) if attempts else {}


def _beside(native: dict[str, Any], attempts: list[dict[str, Any]], *, depth: int) -> dict[str, Any]:
    """Return the members of an object that none of the others has, objects in it down to a depth."""
    rest = {}
    for name, value in native.items():
        if name == "attempts" or any(name in attempt and attempt[name] == value for attempt in attempts):
            continue
        inner = [as_object(attempt.get(name)) for attempt in attempts]
        rest[name] = _beside(value, inner, depth=depth - 1) if depth and isinstance(value, dict) else value
    return rest


def _submission(native: Any) -> Any:
    return as_object(as_object(native).get("info")).get("submission")


def _verdict_on(record: NativeRecord, verdict: Verdict, *, chosen: Any) -> Verdict:
    """Return what the reports say of this record.

    They judge one patch: of several attempts, those that submitted the chosen one.
    """
    if not record.key.startswith(_ATTEMPT) or verdict.stated is None or _submission(record.value) == chosen:
        return verdict
    return Verdict(warnings=(OTHER_ATTEMPT,))


def _rollout(record: NativeRecord, facts: dict[str, str], verdict: Verdict, *, settings: IngestSettings) -> Rollout:
    native = record.value
    messages, warnings = history_messages(native)
    info = as_object(native.get("info"))
    stats = as_object(info.get("model_stats"))
    has_stats = any(as_number(value) for value in stats.values())
    ending = ending_of(info.get("exit_status"))
    origin = origin_of(facts["instance_id"])
    header = Header(
        source_format=SweAgentAdapter.name,
        env_type=EnvType.CODE_REPO,
        task_id=facts["instance_id"],
        task_text=first_user_text(messages),
        rollout_index=int(record.key.partition(":")[2]) if record.key.startswith(_ATTEMPT) else None,
        run_id=facts["run"] or None,
        repo=origin.repo,
        base_commit=origin.commit,
        agent_name="swe-agent",
        agent_version=as_text(info.get("swe_agent_version")),
        model_name=_model_name(facts["run"], native),
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        submission=info.get("submission") if isinstance(info.get("submission"), str) else None,
        cost_usd=as_number(stats.get("instance_cost", stats.get("total_cost"))) if has_stats else None,
        prompt_tokens=as_count(stats.get("tokens_sent")) if has_stats else None,
        completion_tokens=as_count(stats.get("tokens_received")) if has_stats else None,
        **outcome_fields(verdict, settings.reward_range),
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(_losses(native, info, stats))),
        parse_warnings=(*record.warnings, *warnings, *verdict.warnings),
    )


def _losses(native: dict[str, Any], info: dict[str, Any], stats: dict[str, Any]) -> set[str]:
    return (
        untaken(native, _FIELDS)
        | untaken(info, _INFO_FIELDS, prefix="info.")
        | untaken(stats, _STATS_FIELDS, prefix="info.model_stats.")
        | untaken_of_each(as_list(native.get("trajectory")), _STEP_FIELDS, prefix="trajectory[].")
        | untaken_of_each(as_list(native.get("history")), HISTORY_FIELDS, prefix="history[].")
    )


def _model_name(run: str, native: dict[str, Any]) -> str | None:
    """Return the model a run folder `<model>__<data>__<config>…` names, else the one of the run's configuration."""
    if run.count("__") >= 2:
        return run.partition("__")[0]
    config = native.get("replay_config")
    if isinstance(config, str):
        try:
            config = parse_json(config.encode()).value
        except RecordError:
            return None
    for key in ("agent", "model"):
        config = config.get(key) if isinstance(config, dict) else None
    return as_text(config.get("name")) if isinstance(config, dict) else None
