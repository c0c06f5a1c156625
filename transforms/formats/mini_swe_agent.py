"""mini-swe-agent `.traj.json` files: messages with extras, an exit note, the outcome in a SWE-bench report."""

import re
from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.mini_swe_messages import Conversation, mini_messages
from transforms.formats.row_files import row_records
from transforms.formats.swe_instances import origin_of
from transforms.formats.swe_reports import entries_of, find_reports, outcome_fields, read_reports, verdict_of
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

AGENT: Final = "mini-swe-agent"
_SUFFIX: Final = re.compile(r"\.traj\.json(?:\.gz|\.zst)?$")
_WATCHED: Final = frozenset({"instance_id", "messages", "exit_status"})
_FIELDS: Final = frozenset({"info", "messages", "trajectory_format", "instance_id"})
_INFO_FIELDS: Final = frozenset({"model_stats", "mini_version", "exit_status", "submission"})
_PROVIDER_TIMEOUT: Final = "Timeout"
"""Exception of the model client; the agent's own clock ends a run with `TimeExceeded`."""
_STILL_RUNNING: Final = ""
"""The file is written anew after every step: a run that was killed leaves this exit status."""


class MiniSweAgentAdapter:
    """Reads mini-swe-agent runs and joins their SWE-bench reports."""

    name = "mini_swe_agent"
    version = "4"
    carries = (
        "messages with calls and results (tool calling, text mode, Responses objects)",
        "return codes, costs, tokens and times of messages",
        "SWE-bench reports beside the run",
        "ending, patch, model, image and sampling",
    )
    loses = ("raw responses of the provider", "exit note (its words stand in the header)", "configuration")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.shape == "parquet" or outline.starts_as != "{":
            return False
        named = outline.has(0, "trajectory_format", "messages") or outline.has(0, "trajectory_format", "info")
        return named or (outline.has(0, "info") and outline.has(1, "mini_version"))

    def path_facts(self, uri: str) -> PathFacts:
        """Return the instance, where a folder is named as the file is, and the run, the folder above."""
        *folders, name = uri.split("/")
        stem = _SUFFIX.sub("", name)
        is_batch = bool(folders) and folders[-1] == stem
        if is_batch:
            folders.pop()
        return (("instance_id", stem if is_batch else ""), ("run", folders[-1] if folders else ""))

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the reports of a run; those beside it are asked for whatever instance the record names."""
        facts = dict(self.path_facts(uri))
        return find_reports(uri, facts["instance_id"], listing, run=facts["run"])

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        facts = dict(unit.path_facts)
        reports = read_reports(unit, open_file, settings)
        return build_rollouts(
            row_records(unit, open_file, settings, watched=_WATCHED),
            lambda record: _rollout(record, facts, reports=reports, reward_range=settings.reward_range),
            sources=lambda record: (record.value, *entries_of(reports, _instance_of(record, facts))),
        )


def _instance_of(record: NativeRecord, facts: dict[str, str]) -> str:
    return as_text(record.value.get("instance_id")) or facts.get("instance_id") or ""


def _rollout(
    record: NativeRecord,
    facts: dict[str, str],
    *,
    reports: list[tuple[str, Any]],
    reward_range: tuple[float, float],
) -> Rollout:
    native = record.value
    if not isinstance(native.get("messages"), list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`messages` is no list")
    said = mini_messages(native["messages"])
    info = as_object(native.get("info"))
    config = as_object(info.get("config"))
    model = as_object(config.get("model"))
    spent = as_object(info.get("model_stats"))
    instance_id = _instance_of(record, facts) or None
    verdict = verdict_of(reports, instance_id or "")
    ending = _ending(info, said)
    sampling = model.get("model_kwargs")
    times = [message.timestamp for message in said.messages if message.timestamp is not None]
    origin = origin_of(instance_id)
    header = Header(
        source_format=MiniSweAgentAdapter.name,
        env_type=EnvType.CODE_REPO,
        task_id=instance_id,
        repo=origin.repo,
        base_commit=origin.commit,
        task_text=first_user_text(said.messages),
        run_id=facts.get("run") or None,
        image=as_text(as_object(config.get("environment")).get("image")),
        agent_name=AGENT,
        agent_version=as_text(info.get("mini_version")),
        model_name=as_text(model.get("model_name")),
        sampling_json=canonical_text(sampling) if isinstance(sampling, dict) and sampling else None,
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        error_message=_closing_words(said, info),
        submission=info.get("submission") if isinstance(info.get("submission"), str) else None,
        cost_usd=as_number(spent.get("instance_cost")),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        **outcome_fields(verdict, reward_range),
    )
    losses = said.losses | untaken(native, _FIELDS) | untaken(info, _INFO_FIELDS, prefix="info.")
    return Rollout(
        header=header,
        messages=said.messages,
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(losses)),
        parse_warnings=(*record.warnings, *said.warnings, *verdict.warnings),
    )


def _ending(info: dict[str, Any], said: Conversation) -> Ending:
    """Return how the run ended; a status that is no known word is the class of the exception that ended it."""
    status = info.get("exit_status")
    if status is None:
        status = as_object(said.closing.get("extra")).get("exit_status")
    if status == _STILL_RUNNING:
        return ending_of("killed")._replace(raw=_STILL_RUNNING)
    if status == _PROVIDER_TIMEOUT:
        return ending_of("api_timeout")._replace(raw=_PROVIDER_TIMEOUT)
    return ending_of(status, error=status)


def _closing_words(said: Conversation, info: dict[str, Any]) -> str | None:
    """Return what the exit note says beside the submission."""
    words = said.closing.get("content")
    return words if isinstance(words, str) and words and words != info.get("submission") else None
