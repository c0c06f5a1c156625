"""Codex sessions, `rollout-….jsonl`: items of the Responses API in an envelope each; no task, no reward."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from schemas.reasons import EnvType
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.codex_contexts import Log, events_of, read_log
from transforms.formats.contract import OpenFile, PathFacts, build_groups
from transforms.formats.endings import ending_of
from transforms.formats.fields import as_datetime, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.sessions import (
    CONDENSED,
    SessionLines,
    no_messages,
    read_session,
    session_facts,
    session_rollouts,
)
from transforms.formats.tools import tools_text
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

AGENT: Final = "codex"
_WATCHED: Final = frozenset({"call_id"})
_KINDS: Final = frozenset({"session_meta", "response_item", "turn_context", "event_msg", "compacted"})
_HEAD: Final = frozenset({"id", "timestamp", "instructions"})
_HEAD_OPTIONAL: Final = frozenset({"git", "cwd", "originator", "cli_version", "model", "model_provider"})
_KEPT: Final = ("cwd", "originator", "source", "forked_from_id", "parent_thread_id", "agent_nickname", "agent_role")
_META: Final = frozenset(
    {"id", "timestamp", "cli_version", "git", "model_provider", "base_instructions", "dynamic_tools", "model", *_KEPT}
)
_TURN: Final = frozenset({"model", "effort", "cwd"})
_NO_TASK: Final = (
    "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "<permissions",
    "<user_shell_command>", "<turn_aborted>", "<skill>", "<collaboration_mode>",
)  # fmt: skip
"""How user messages begin that the harness writes: the surroundings, standing instructions, notices."""


class CodexAdapter:
    """Reads a session as one run; what came before a compaction is a part of it."""

    name = "codex"
    version = "2"
    carries = (
        "messages, reasoning, calls and results by call id; exit codes",
        "contexts before a compaction as parts of the run",
        "tokens of each response from the running sums; model, effort, version, folder and commit, times",
        "which turns the model produced and which are copies",
    )
    loses = (
        "the view for users, which tells the same again",
        "tools of the harness (not in the file), permissions and sandbox",
        "encrypted reasoning and compacted context, snapshots, ids of items",
        "links to the sessions of subagents and forks (their ids are kept)",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.records:
            return _is_head(outline.records[0]) or any(_is_line(record) for record in outline.records)
        is_whole = outline.has(0, "session", "items") and outline.has(1, *_HEAD)
        return outline.shape != "parquet" and (is_whole or outline.has(0, "timestamp", "type", "payload"))

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        read = read_session(unit, open_file, settings, watched=_WATCHED)

        def rollouts_of(session: SessionLines) -> Iterator[Rollout | BadRecord]:
            record = NativeRecord("document", {"lines": list(session.lines)}, 0, unit.size)
            records = [record] if session.lines else []
            yield from build_groups(records, lambda record: _rollouts(record, session))

        yield from session_rollouts(read, rollouts_of, check=lambda line: read_log(events_of([line])))


def _is_head(record: dict[str, Any]) -> bool:
    """Say whether a record begins a session without envelopes: its head, or the whole session in one object."""
    if isinstance(record.get("items"), list):
        record = as_object(record.get("session"))
    return _HEAD <= record.keys() <= _HEAD | _HEAD_OPTIONAL


def _is_line(record: dict[str, Any]) -> bool:
    return as_text(record.get("type")) in _KINDS and isinstance(record.get("payload"), dict)


def _rollouts(record: NativeRecord, read: SessionLines) -> list[Rollout]:
    log = read_log(events_of(read.lines))
    if not any(message.role != "system" for context in log.contexts for message in context):
        raise no_messages()
    last, *before = (*log.contexts[-1:], *log.contexts[:-1])
    task_text = _task_text([message for context in log.contexts for message in context])
    native_id = as_text(log.meta.get("id"))
    sha256 = canonical_hash(list(read.lines))
    lost = (
        log.lost | untaken(log.meta, _META, prefix="session_meta.") | untaken(log.turn, _TURN, prefix="turn_context.")
    )
    warnings = (*read.warnings, *log.warnings, *((CONDENSED,) if before else ()))
    return [
        Rollout(
            header=_header(log, messages, task_text, number=number),
            messages=messages,
            native_id=None if native_id is None else f"{native_id}{name}",
            canonical_sha256=canonical_hash([sha256, name]) if name else sha256,
            record_key=f"{record.key}{name}",
            record_offset=record.offset,
            lost_fields=tuple(sorted(lost)),
            parse_warnings=warnings,
            parent_key=record.key if name else None,
        )
        for number, messages in enumerate((last, *before))
        for name in (f"/context:{number - 1}" if number else "",)
    ]


def _task_text(messages: Sequence[Message]) -> str | None:
    """Return the first user message that the harness did not write."""
    asked = (message.content for message in messages if message.role == "user" and message.content)
    return next((text for text in asked if not text.lstrip().startswith(_NO_TASK)), None)


def _header(log: Log, messages: Sequence[Message], task_text: str | None, *, number: int) -> Header:
    meta, git = log.meta, as_object(log.meta.get("git"))
    model = next(iter(log.models), as_text(meta.get("model")))
    said: dict[str, Any] = {name: meta[name] for name in _KEPT if meta.get(name) not in (None, "")}
    said |= {"branch": git["branch"]} if as_text(git.get("branch")) else {}
    said |= {"models": list(log.models)} if len(log.models) > 1 else {}
    effort = as_text(log.turn.get("effort"))
    ending = ending_of(None if number else log.ending)
    facts = session_facts(messages)
    return Header(
        source_format=CodexAdapter.name,
        env_type=EnvType.TERMINAL,
        task_text=task_text,
        session_id=as_text(meta.get("id")),
        branch_index=number or None,
        repo=as_text(git.get("repository_url")),
        base_commit=as_text(git.get("commit_hash")),
        agent_name=AGENT,
        agent_version=as_text(meta.get("cli_version")),
        model_name=model,
        model_provider=as_text(meta.get("model_provider")),
        sampling_json=None if effort is None else canonical_text({"effort": effort}),
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        reward_valid=ending.reward_valid,
        tools_json=tools_text(meta.get("dynamic_tools")),
        extra_json=canonical_text(said) if said else None,
        **facts | {"started_at": facts["started_at"] or as_datetime(meta.get("timestamp"))},
    )
