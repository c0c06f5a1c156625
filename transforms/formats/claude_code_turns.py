"""The lines of a Claude Code session as turns, and the branches that turns form.

Lines name their parent, so an edited session is a tree. A response of the model stands in one line per content block,
and results of parallel calls hang beside each other: lines of one response are one turn, and result lines belong to
the turn whose call they answer, so that only what was really said anew is a branch. A compaction begins a new root.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from transforms.formats.fields import as_list, as_object
from transforms.formats.message_graph import Branch, graph_of

UNKNOWN_PARENT: Final = "unknown_parent"
"""Warning: a line names a parent that does not stand before it; it is taken to follow the turn before it."""
REPEATED_LINE: Final = "repeated_line"
"""Warning: a line stands in the file again, word for word; it is read once."""

SEVERAL_SESSIONS: Final = "several_sessions"
"""Warning: the file holds lines of sessions that have nothing to do with each other; each is read by itself."""

Line = dict[str, Any]


@dataclass
class Turn:
    """One side's turn.

    `lines` are the model's lines of one response, or one line of the user; `behind` the user's lines with results of
    the turn's calls. `copies` are turns that a compaction kept in the context, right behind this one.
    """

    lines: list[Line]
    parent: int | None
    is_sidechain: bool
    behind: list[Line] = field(default_factory=list)
    copies: tuple[int, ...] = ()
    is_repeated: bool = False
    """The same response of the model stands in an earlier turn, where it is paid for."""
    is_copy: bool = False
    """That turn says the same words."""


class Turns(NamedTuple):
    """The turns of a session in the order of the file, its branches, the session's own first, and warnings."""

    turns: tuple[Turn, ...]
    branches: tuple[Branch, ...]
    warnings: tuple[str, ...]


def turns_of(lines: Sequence[Line]) -> Turns:
    """Return the turns and branches of a session.

    The last branch that is no sidechain is the session's own; of a file of sidechains only, the last one.

    Raises:
        RecordError: The branches together are far larger than the session.
    """
    reading = _Reading(lines)
    for line in lines:
        reading.read(line)
    turns = reading.turns
    # The graph takes its last leaf for the run's own.
    order = sorted(range(len(turns)), key=lambda index: (not turns[index].is_sidechain, index))
    places = {index: place for place, index in enumerate(order)}
    parents = (turns[index].parent for index in order)
    graph = graph_of([{"parent": None if parent is None else places[parent]} for parent in parents])
    branches = tuple(_renumbered(branch, order) for branch in graph.branches)
    return Turns(tuple(turns), branches, tuple(reading.warnings))


def _renumbered(branch: Branch, order: list[int]) -> Branch:
    nodes = tuple(order[place] for place in branch.nodes)
    return Branch(branch.index, nodes, frozenset(order[place] for place in branch.own), branch.is_trainable)


def sessions_of(lines: Sequence[Line]) -> list[tuple[Line, ...]]:
    """Return the lines of each session of a file, in the order of the sessions' first lines.

    A session that goes on from a line of another one is the same. A line without an id, or of a session that says
    nothing, is of the session before it.
    """
    home: dict[str, str] = {}

    def root(name: str) -> str:
        while home.setdefault(name, name) != name:
            name = home[name]
        return name

    session_of: dict[str, str] = {}
    named: list[str | None] = []
    for line in lines:
        own = line.get("sessionId") if isinstance(line.get("sessionId"), str) else None
        named.append(own if own is not None else named[-1] if named else None)
        if own is None:
            continue
        root(own)
        for key in ("parentUuid", "logicalParentUuid"):
            before = session_of.get(line[key]) if isinstance(line.get(key), str) else None
            if before is not None:
                home[root(own)] = root(before)
        if isinstance(line.get("uuid"), str):
            session_of.setdefault(line["uuid"], own)
    roots = [None if name is None else root(name) for name in named]
    speaking = dict.fromkeys(name for name, line in zip(roots, lines, strict=True) if name and speaks(line))
    if len(speaking) < 2:
        return [tuple(lines)]
    parts: dict[str, list[Line]] = {name: [] for name in speaking}
    current = next(iter(speaking))
    for name, line in zip(roots, lines, strict=True):
        current = name if name in parts else current
        parts[current].append(line)
    return [tuple(part) for part in parts.values()]


def blocks_of(line: Line) -> list[Any]:
    """Return the content blocks of a line's message; a text, alone or among blocks, is one."""
    content = as_object(line.get("message")).get("content")
    blocks = [content] if isinstance(content, str) else as_list(content)
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]


def is_queued_message(line: Line) -> bool:
    """Say whether an attachment is a user's message that was sent while the agent worked."""
    attached = as_object(line.get("attachment"))
    return (
        line.get("type") == "attachment"
        and attached.get("type") == "queued_command"
        and isinstance(attached.get("prompt"), str | list)
    )


def speaks(line: Line) -> bool:
    """Say whether a line gives messages."""
    return line.get("type") in ("user", "assistant") or is_queued_message(line)


def is_boundary(line: Line) -> bool:
    """Say whether a line marks a compaction."""
    return line.get("type") == "system" and line.get("subtype") == "compact_boundary"


class _Reading:
    """The turns of the lines read so far; `_turn_of` knows the turn at which each line's uuid stands."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.turns: list[Turn] = []
        self.warnings: dict[str, None] = {}
        self._by_uuid: dict[str, Line] = {}
        self._turn_of: dict[str, int | None] = {}
        self._responses: dict[str, int] = {}
        self._callers: dict[str, int] = {}
        self._last: dict[bool, int] = {}
        self._early: dict[str, list[Line]] = {}
        responses = (line for line in lines if line.get("type") == "assistant")
        self._called = {call_id for line in responses for call_id in _ids(line, "tool_use", "id")}
        self._kept: list[str] = []

    def read(self, line: Line) -> None:
        uuid = line.get("uuid")
        if isinstance(uuid, str):
            if self._by_uuid.get(uuid) == line:
                self.warnings[REPEATED_LINE] = None
                return
            self._by_uuid[uuid] = line
        if is_boundary(line):
            self._kept = [*self._kept_by(line), *([uuid] if isinstance(uuid, str) else [])]
            turn = None
        elif not speaks(line):
            turn = self._parent(line)
        elif line.get("type") == "assistant":
            turn = self._read_response(line)
        else:
            turn = self._read_user(line)
        if isinstance(uuid, str):
            self._turn_of[uuid] = turn

    def _parent(self, line: Line) -> int | None:
        named, is_sidechain = line.get("parentUuid"), line.get("isSidechain") is True
        if isinstance(named, str) and named in self._turn_of:
            parent = self._turn_of[named]
        elif named is None and "parentUuid" in line:
            return None
        else:
            parent = self._last.get(is_sidechain)
            if named is not None:
                self.warnings[UNKNOWN_PARENT] = None
        if parent is not None and self.turns[parent].is_sidechain is not is_sidechain:
            return None
        return parent

    def _open(self, line: Line, parent: int | None, **facts: Any) -> int:
        is_sidechain = line.get("isSidechain") is True
        self.turns.append(Turn([line], parent, is_sidechain, **facts))
        self._last[is_sidechain] = len(self.turns) - 1
        return len(self.turns) - 1

    def _read_response(self, line: Line) -> int:
        parent = self._parent(line)
        response = as_object(line.get("message")).get("id")
        before = self._responses.get(response) if isinstance(response, str) else None
        if before is not None and parent in (before, self.turns[before].parent):
            turn = before
            self.turns[turn].lines.append(line)
        else:
            copied = [] if before is None else [blocks_of(other) for other in self.turns[before].lines]
            is_copy = blocks_of(line) in copied
            turn = self._open(line, parent, is_repeated=before is not None, is_copy=is_copy)
        if isinstance(response, str):
            self._responses[response] = turn
        for call_id in _ids(line, "tool_use", "id"):
            self._callers[call_id] = turn
            self.turns[turn].behind.extend(self._early.pop(call_id, ()))
        return turn

    def _read_user(self, line: Line) -> int | None:
        answered = _ids(line, "tool_result", "tool_use_id")
        caller = next((self._callers[call_id] for call_id in answered if call_id in self._callers), None)
        if caller is not None:
            self.turns[caller].behind.append(line)
            self._last[self.turns[caller].is_sidechain] = caller
            return caller
        awaited = next((call_id for call_id in answered if call_id in self._called), None)
        if awaited is not None:
            # A result is written when its tool ends, which may be before its call's own line.
            self._early.setdefault(awaited, []).append(line)
            return self._parent(line)
        if line.get("isCompactSummary") is not True:
            return self._open(line, self._parent(line))
        found = {self._turn_of.get(uuid) for uuid in self._kept}
        turn = self._open(line, None, copies=tuple(sorted(index for index in found if index is not None)))
        self._turn_of.update(dict.fromkeys(self._kept, turn))
        self._kept = []
        return turn

    def _kept_by(self, boundary: Line) -> list[str]:
        """Return the uuids of the lines that a compaction left in the context, as a list or from tail to head."""
        said = as_object(boundary.get("compactMetadata"))
        kept = as_list(as_object(said.get("preservedMessages")).get("uuids"))
        segment = as_object(said.get("preservedSegment"))
        head, uuid = segment.get("headUuid"), segment.get("tailUuid")
        seen: set[str] = set()
        while isinstance(uuid, str) and uuid in self._by_uuid and uuid not in seen:
            seen.add(uuid)
            uuid = None if uuid == head else self._by_uuid[uuid].get("parentUuid")
        return [*(uuid for uuid in kept if isinstance(uuid, str)), *sorted(seen)]


def _ids(line: Line, kind: str, name: str) -> list[str]:
    """Return the ids that a line's blocks of one kind carry."""
    blocks: Iterable[Line] = (as_object(block) for block in blocks_of(line))
    return [block[name] for block in blocks if block.get("type") == kind and isinstance(block.get(name), str)]
