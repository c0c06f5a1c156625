"""Claude Code sessions, `<session>.jsonl` and the subagents' files below `<session>/subagents`; no task, no reward.

A session is one run: its last branch is the trajectory; what was edited away, what stood before a compaction and what
subagents said are parts of it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from schemas.reasons import EnvType
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.claude_code_messages import KNOWN_LINES, is_written_by_harness, line_losses, turn_messages
from transforms.formats.claude_code_turns import SEVERAL_SESSIONS, Line, Turn, Turns, sessions_of, speaks, turns_of
from transforms.formats.contract import OpenFile, PathFacts, build_groups
from transforms.formats.documents import read_sidecar, warned
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_list, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.message_graph import Branch
from transforms.formats.sessions import (
    CONDENSED,
    SessionLines,
    no_messages,
    read_session,
    read_session_beside,
    session_facts,
    session_rollouts,
)
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

AGENT: Final = "claude-code"
_KEY: Final = "document"
_WATCHED: Final = frozenset({"uuid", "parentUuid", "sessionId", "tool_use_id"})
_AGENT_FILE: Final = re.compile(r"agent-(.+)\.(?:jsonl|meta\.json)")
_FACTS: Final = ("cwd", "gitBranch")
_NO_TASK: Final = ("<command-", "<local-command-", "<system-reminder>", "<bash-", "[Request interrupted")
"""How user messages begin that the harness writes: commands of its own and their output."""
_INTERRUPTED: Final = "[Request interrupted"
_TOO_LONG: Final = re.compile(r"prompt is too long|context (?:window|limit)", re.IGNORECASE)


class _Session(NamedTuple):
    """One file of a session: the record key of its own run, what its lines say, and the run it is a part of.

    `suffix` is the part of the key that tells a subagent's file from the session's own.
    """

    suffix: str
    lines: tuple[Line, ...]
    found: Turns
    sha256: str
    lost_fields: tuple[str, ...]
    warnings: tuple[str, ...]
    parent_key: str | None = None
    agent_type: str | None = None
    is_named_by_suffix: bool = True


class ClaudeCodeAdapter:
    """Reads a session with its subagents as one run."""

    name = "claude_code"
    version = "3"
    carries = (
        "messages, reasoning, calls and results by call id, in turns of one response each",
        "branches, contexts before a compaction, sidechains and subagents as parts of the run",
        "tokens, once per response; model, version, folder and git branch, times",
        "which turns the model produced, which are copies, which the harness wrote",
    )
    loses = (
        "system prompt and tools (not in the file)",
        "attachments but queued messages, snapshots, titles and other lines of the harness itself",
        "structured copies of results, signatures and redacted thinking",
        "the order of text, thinking and calls inside one response",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.records:
            return any(_is_line(record) for record in outline.records)
        level = 1 if outline.starts_as == "[" else 0
        keys = (("type", "uuid", "parentUuid", "sessionId"), ("type", "summary", "leafUuid"))
        return outline.shape != "parquet" and any(outline.has(level, *names) for names in keys)

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the subagents' files below the folder that is named as the session."""
        folder, slash, name = uri.rpartition("/")
        prefix = f"{folder}{slash}{name.partition('.jsonl')[0]}/subagents/"
        found = []
        for place in range(bisect_left(listing.uris, prefix), len(listing.uris)):
            if not listing.uris[place].startswith(prefix):
                break
            if _AGENT_FILE.fullmatch(listing.uris[place].rpartition("/")[2]):
                found.append(listing.uris[place])
        return tuple(found)

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        links: dict[str, str] = {}
        own = read_session(unit, open_file, settings, watched=_WATCHED)
        top = None
        for item in _sessions_rollouts(own, links, size=unit.size):
            if isinstance(item, Rollout) and top is None:
                top = item.record_key
            yield item
        waiting = [uri for uri in unit.sidecars if uri.endswith(".jsonl")]
        while waiting:
            # A parent comes before its parts: first the subagents that were called by what has been read.
            uri = next((uri for uri in waiting if _caller(uri, links)), waiting[0])
            waiting.remove(uri)
            beside = read_session_beside(uri, unit, open_file, settings, watched=_WATCHED)
            about = f"{uri.removesuffix('.jsonl')}.meta.json"
            stated = read_sidecar(about if about in unit.sidecars else None, open_file, settings)
            rollouts = _file_rollouts(
                beside,
                f"/{uri.partition('/subagents/')[2].removesuffix('.jsonl')}",
                links,
                parent_key=_caller(uri, links) or top,
                about=stated.value,
            )
            yield from warned(rollouts, stated)


def _is_line(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    is_titled = kind == "summary" and "leafUuid" in record
    is_snapshot = kind == "file-history-snapshot" and "snapshot" in record
    is_linked = "uuid" in record and "parentUuid" in record
    return (
        is_titled or is_snapshot or ((is_linked or kind in KNOWN_LINES) and isinstance(record.get("sessionId"), str))
    )


def _caller(uri: str, links: dict[str, str]) -> str | None:
    """Return the key of the run that called the subagent of a file, by its id or by the folder of its workflow."""
    *_, folder, name = ("", *uri.split("/"))
    file = _AGENT_FILE.fullmatch(name)
    return links.get(file.group(1) if file else "") or links.get(folder)


def _sessions_rollouts(own: SessionLines, links: dict[str, str], *, size: int | None) -> Iterator[Rollout | BadRecord]:
    """Yield the rollouts of a file's own lines, which may be those of several sessions."""
    parts = sessions_of(own.lines)
    if len(parts) < 2:
        yield from _file_rollouts(own, "", links, size=size)
        return
    yield from own.bad
    for index, lines in enumerate(parts):
        told = own._replace(lines=lines, bad=(), warnings=(*own.warnings, SEVERAL_SESSIONS))
        place = f"/session:{index}" if index else ""
        yield from _file_rollouts(told, place, links, size=size, is_subagent=False)


def _file_rollouts(
    read: SessionLines,
    suffix: str,
    links: dict[str, str],
    *,
    is_subagent: bool = True,
    size: int | None = None,
    parent_key: str | None = None,
    about: dict[str, Any] | None = None,
) -> Iterator[Rollout | BadRecord]:
    """Yield the rollouts of one file and note in `links` which of them called which subagent.

    `about` is what the file beside a subagent's says of it.
    """
    agent_type = as_text((about or {}).get("agentType"))

    def build(record: NativeRecord, read: SessionLines) -> list[Rollout]:
        found = turns_of(read.lines)
        if not found.turns:
            raise no_messages()
        sha256 = canonical_hash(list(read.lines))
        lost, unknown = line_losses(read.lines)
        is_condensed = any(_branch_name(found, branch).startswith("/context") for branch in found.branches)
        condensed = (CONDENSED,) if is_condensed else ()
        warnings = (*read.warnings, *found.warnings, *condensed, *sorted(unknown))
        session = _Session(
            suffix, read.lines, found, sha256, tuple(sorted(lost)), warnings, parent_key, agent_type, is_subagent
        )
        rollouts = [_rollout(session, branch) for branch in found.branches]
        for rollout, branch in zip(rollouts, found.branches, strict=True):
            for name in _called_agents(found.turns[index] for index in sorted(branch.own)):
                links.setdefault(name, rollout.record_key)
        return rollouts

    def rollouts_of(session: SessionLines) -> Iterator[Rollout | BadRecord]:
        place = None if size is None else 0
        record = NativeRecord(f"{_KEY}{suffix}", {"lines": list(session.lines)}, place, size)
        records = [record] if session.lines else []
        return build_groups(
            records, lambda whole: build(whole, session), sources=lambda whole: (whole.value, about or {})
        )

    yield from session_rollouts(read, rollouts_of, check=_check)


def _check(line: Line) -> None:
    """Read a line alone.

    Raises:
        RecordError: What it says is unusable.
    """
    if speaks(line):
        turn_messages(Turn([line], None, False), is_copied=False)


def _called_agents(turns: Iterable[Turn]) -> Iterator[str]:
    """Yield the ids of subagents, and of workflows, that results of calls name."""
    for line in (line for turn in turns for line in turn.behind):
        result = as_object(line.get("toolUseResult"))
        yield from (result[name] for name in ("agentId", "runId") if isinstance(result.get(name), str))


def _subagent_calls(turns: Iterable[Turn]) -> Iterator[tuple[str, str]]:
    """Yield the id of each call whose result names the subagent it ran, with the key of that one's rollout."""
    for line in (line for turn in turns for line in turn.behind):
        agent_id = as_text(as_object(line.get("toolUseResult")).get("agentId"))
        blocks = as_list(as_object(line.get("message")).get("content"))
        answered = [call_id for block in blocks if (call_id := as_text(as_object(block).get("tool_use_id")))]
        if agent_id is not None and len(answered) == 1:
            yield answered[0], f"{_KEY}/agent-{agent_id}"


def _rollout(session: _Session, branch: Branch) -> Rollout:
    turns = session.found.turns
    name = _branch_name(session.found, branch)
    messages: list[Message] = []
    for index in branch.nodes:
        messages += turn_messages(turns[index], is_copied=index not in branch.own or turns[index].is_copy)
        for copy in turns[index].copies:
            messages += turn_messages(turns[copy], is_copied=True)
    key = f"{_KEY}{session.suffix}"
    native_id = _native_id(session)
    return Rollout(
        header=_header(session, branch, messages, name=name),
        messages=tuple(messages),
        native_id=None if native_id is None else f"{native_id}{name}",
        canonical_sha256=canonical_hash([session.sha256, name]) if name else session.sha256,
        record_key=f"{key}{name}",
        record_offset=None if session.suffix else 0,
        lost_fields=session.lost_fields,
        parse_warnings=session.warnings,
        parent_key=key if name else session.parent_key,
        subagents=tuple(_subagent_calls(turns[index] for index in sorted(branch.own))),
    )


def _native_id(session: _Session) -> str | None:
    """Return the session's id; a subagent's file names the session it was called in, and an id of its own."""
    session_id, suffix = _first(session.lines, "sessionId"), session.suffix if session.is_named_by_suffix else ""
    if not suffix and all(turn.is_sidechain for turn in session.found.turns):
        agent_id = _first(session.lines, "agentId")
        suffix = "" if agent_id is None else f"/agent-{agent_id}"
    return None if session_id is None else f"{session_id}{suffix}"


def _branch_name(found: Turns, branch: Branch) -> str:
    """Return what tells a branch from the session's own: none, a sidechain, an own root, a fork."""
    own = found.branches[0]
    if branch is own:
        return ""
    if found.turns[branch.nodes[-1]].is_sidechain is not found.turns[own.nodes[-1]].is_sidechain:
        return f"/sidechain:{branch.index}"
    kind = "branch" if branch.nodes[0] == own.nodes[0] else "context"
    return f"/{kind}:{branch.index}"


def _header(session: _Session, branch: Branch, messages: Sequence[Message], *, name: str) -> Header:
    turns = [session.found.turns[index] for index in branch.nodes]
    models = list(dict.fromkeys(_models(turns)))
    said = {fact: value for fact in _FACTS if (value := _first(session.lines, fact)) is not None}
    if session.agent_type is not None:
        said["agentType"] = session.agent_type
    ending = ending_of(None) if name.startswith("/context") else _ending(turns[-1], messages[-1])
    return Header(
        source_format=ClaudeCodeAdapter.name,
        env_type=EnvType.TERMINAL,
        task_text=_task_text(session, turns, messages),
        session_id=_first(session.lines, "sessionId"),
        branch_index=branch.index if name else None,
        agent_name=AGENT,
        agent_version=_first(session.lines, "version"),
        model_name=models[0] if models else None,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        reward_valid=ending.reward_valid,
        extra_json=canonical_text(said | ({"models": models} if len(models) > 1 else {}))
        if said or models[1:]
        else None,
        **session_facts(messages),
    )


def _first(lines: Sequence[Line], name: str) -> str | None:
    return next((text for line in lines if (text := as_text(line.get(name))) is not None), None)


def _models(turns: Sequence[Turn]) -> Iterator[str]:
    for line in (line for turn in turns for line in turn.lines):
        model = as_text(as_object(line.get("message")).get("model"))
        if model is not None and not is_written_by_harness(line):
            yield model


def _task_text(session: _Session, turns: Sequence[Turn], messages: Sequence[Message]) -> str | None:
    """Return the first words of the user; a context that begins with a summary has the task of the whole session."""
    if turns[0].lines[0].get("isCompactSummary") is True:
        first = next((turn for turn in session.found.turns if not turn.is_sidechain), turns[0])
        if first is not turns[0]:
            messages = turn_messages(first, is_copied=False)
    asked = [
        message.content
        for message in messages
        if message.role == "user" and message.content and message.extra_json is None and message.role_raw is None
    ]
    return next((text for text in asked if not text.lstrip().startswith(_NO_TASK)), asked[0] if asked else None)


def _ending(turn: Turn, last: Message) -> Ending:
    """Return how a run ended: by the reason of its last response, an interruption, or an error of the provider."""
    if last.role == "user" and (last.content or "").startswith(_INTERRUPTED):
        return ending_of("interrupted")
    if turn.lines[0].get("isApiErrorMessage") is True:
        return ending_of("prompt_too_long" if _TOO_LONG.search(last.content or "") else "api_error")
    stated = (as_object(line.get("message")).get("stop_reason") for line in reversed(turn.lines))
    reason = next((text for each in stated if (text := as_text(each)) is not None), None)
    # A run that ends with a call or its result may have been cut.
    return ending_of(None)._replace(raw=reason) if reason == "tool_use" else ending_of(reason)
