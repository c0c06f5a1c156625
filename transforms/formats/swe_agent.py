"""SWE-agent `.traj` files, old and 1.x: the history is the conversation, the task's id is the file's name."""

import re
from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import load_document, read_sidecar
from transforms.formats.endings import ending_of
from transforms.formats.fields import as_integer, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.rewards import convert_reward
from transforms.formats.swe_history import history_messages
from transforms.formats.swe_instances import origin_of
from transforms.formats.swe_reports import Verdict, find_reports, verdict_of
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import parse_json

_LOST: Final = ("replay_config", "trajectory[].query", "trajectory[].state", "trajectory[].execution_time")
_WATCHED: Final = frozenset({"history", "exit_status"})


class SweAgentAdapter:
    """Reads SWE-agent trajectories and joins their SWE-bench reports."""

    name = "swe_agent"
    version = "1"
    carries = (
        "history with thoughts and calls",
        "attempts of a retrying agent",
        "demonstrations, marked",
        "exit status, submission, model statistics",
        "SWE-bench reports beside it",
    )
    loses = (
        "replay_config",
        "trajectory[].query, state and execution_time",
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
        reports = [(uri, read_sidecar(uri, open_file, settings)) for uri in unit.sidecars]
        verdict = verdict_of(reports, facts["instance_id"])
        return build_rollouts(
            _records(unit, open_file, settings), lambda record: _rollout(record, facts, verdict, settings)
        )


def _stem(name: str) -> str:
    return re.sub(r"\.(?:traj|json)(?:\.gz|\.zst)?$", "", name)


def _records(unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[NativeRecord | BadRecord]:
    """Yield the file's rollouts: one, or one per attempt of a retrying agent."""
    document = load_document(unit, open_file, settings, watched=_WATCHED)
    if isinstance(document, BadRecord):
        yield document
        return
    attempts = document.value.get("attempts") if isinstance(document.value, dict) else None
    if isinstance(attempts, list) and attempts and all(isinstance(attempt, dict) for attempt in attempts):
        for index, attempt in enumerate(attempts):
            yield NativeRecord(f"attempt:{index}", attempt, warnings=document.warnings)
    elif isinstance(document.value, dict):
        yield NativeRecord("document", document.value, 0, unit.size, document.warnings)
    else:
        yield BadRecord("document", QuarantineReason.NOT_AN_OBJECT, "expected an object", 0, unit.size, unit.sha256)


def _rollout(record: NativeRecord, facts: dict[str, str], verdict: Verdict, settings: IngestSettings) -> Rollout:
    native = record.value
    messages, warnings = history_messages(native)
    info = as_object(native.get("info"))
    stats = as_object(info.get("model_stats"))
    has_stats = any(as_number(value) for value in stats.values())
    ending = ending_of(info.get("exit_status"))
    reward = convert_reward(verdict.resolved, settings.reward_range)
    origin = origin_of(facts["instance_id"])
    header = Header(
        source_format=SweAgentAdapter.name,
        env_type=EnvType.CODE_REPO,
        task_id=facts["instance_id"],
        task_text=first_user_text(messages),
        rollout_index=int(record.key.partition(":")[2]) if record.key.startswith("attempt:") else None,
        run_id=facts["run"] or None,
        repo=origin.repo,
        base_commit=origin.commit,
        agent_name="swe-agent",
        agent_version=as_text(info.get("swe_agent_version")),
        model_name=_model_name(facts["run"], native),
        reward=reward.value,
        reward_raw=None if verdict.stated is None else str(verdict.stated).lower(),
        reward_name=None if verdict.stated is None else "resolved",
        success=verdict.resolved,
        tests_passed=verdict.tests_passed,
        tests_failed=verdict.tests_failed,
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        submission=info.get("submission") if isinstance(info.get("submission"), str) else None,
        cost_usd=as_number(stats.get("instance_cost", stats.get("total_cost"))) if has_stats else None,
        prompt_tokens=as_integer(stats.get("tokens_sent")) if has_stats else None,
        completion_tokens=as_integer(stats.get("tokens_received")) if has_stats else None,
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=_LOST,
        parse_warnings=(*record.warnings, *warnings, *verdict.warnings),
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
