"""The lines of a Codex session as the contexts the model saw: items of the Responses API, cut at each compaction."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from schemas.records import Message
from transforms.formats.arguments import canonical_text
from transforms.formats.fields import as_count, as_datetime, as_integer, as_list, as_object, as_text
from transforms.formats.responses_conversation import ItemReader, Usage
from transforms.formats.sessions import UNKNOWN_LINE
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import parse_json

ROLLED_BACK: Final = "thread_rolled_back"
"""Warning: the user took turns back; what follows them did not see them."""
ABORTED: Final = "turn_aborted"
"""Warning, with the reason behind it: a turn was broken off and the session went on."""
OTHER_SESSION: Final = "repeats_another_session"
"""Warning: the file repeats a session it was forked from; which lines are copies is not said."""
_SNAPSHOTS: Final = frozenset({"ghost_snapshot", "compaction", "compaction_summary", "context_compaction"})
"""Items of the harness, and compacted context that only the provider can read."""
_ENDINGS: Final = {"task_complete": "finished", "turn_complete": "finished", "error": "agent_error"}
_EXIT_CODE: Final = re.compile(r"^(?:Exit code: |Process exited with code )(-?[0-9]{1,9})$", re.MULTILINE)
_EXIT_CODE_WITHIN: Final = 400
"""Characters of a result in which the harness states the exit code, ahead of the output."""


class Event(NamedTuple):
    """A line: its kind, what it holds and when it was written."""

    kind: str
    payload: Any
    timestamp: datetime | None = None


class Log(NamedTuple):
    """What a session's lines say.

    `contexts` are the messages of each context in the order of the file. `meta` and `turn` are the session's own
    description and the last settings of a turn; `ending` is the harness's last word on how a turn ended.
    """

    contexts: tuple[tuple[Message, ...], ...]
    meta: dict[str, Any]
    turn: dict[str, Any]
    models: tuple[str, ...]
    ending: str | None
    lost: frozenset[str]
    warnings: tuple[str, ...]


def events_of(lines: Iterable[dict[str, Any]]) -> Iterator[Event]:
    """Yield the events of lines; older files have bare items behind a bare head, the oldest one object of both."""
    for line in lines:
        if isinstance(line.get("session"), dict) and isinstance(line.get("items"), list):
            yield Event("session_meta", line["session"])
            yield from (Event("response_item", item) for item in line["items"])
        elif "payload" in line:
            yield Event(str(line.get("type")), line["payload"], as_datetime(line.get("timestamp")))
        elif "record_type" in line:
            yield Event(str(line["record_type"]), line)
        elif "type" not in line and {"id", "timestamp"} <= line.keys():
            yield Event("session_meta", line)
        else:
            yield Event("response_item", line, as_datetime(line.get("timestamp")))


def read_log(events: Iterable[Event]) -> Log:
    """Return the contexts of a session and what its lines say beside messages.

    Raises:
        RecordError: An item is unusable.
    """
    reading = _Reading()
    for event in events:
        reading.read(event)
    return reading.log()


class _Reading:
    """The contexts closed so far, and the open one: what it began with, and its items."""

    def __init__(self) -> None:
        self._closed: list[tuple[Message, ...]] = []
        self._given: list[Message] = []
        self._known: set[tuple[str, str | None]] = set()
        self._reader = ItemReader(sampled=True)
        self._spent = (0, 0, 0)
        self._meta: dict[str, Any] | None = None
        self._turn: dict[str, Any] = {}
        self._models: dict[str, None] = {}
        self._ending: str | None = None
        self._was_aborted = False
        self._lost: set[str] = set()
        self._warnings: dict[str, None] = {}

    def read(self, event: Event) -> None:
        payload = event.payload
        if not isinstance(payload, dict):
            self._warnings[f"{UNKNOWN_LINE}:{event.kind}"] = None
        elif event.kind == "response_item":
            self._read_item(payload, event.timestamp)
        elif event.kind == "event_msg":
            self._read_message(payload)
        elif event.kind == "compacted":
            self._compact(payload, event.timestamp)
        elif event.kind == "session_meta":
            self._read_meta(payload)
        elif event.kind == "turn_context":
            self._turn = payload
            if (model := as_text(payload.get("model"))) is not None:
                self._models[model] = None
        elif event.kind == "state":
            self._lost.add("lines[state]")
        else:
            self._warnings[f"{UNKNOWN_LINE}:{event.kind}"] = None

    def _read_meta(self, payload: dict[str, Any]) -> None:
        if self._meta is not None:
            if payload.get("id") != self._meta.get("id"):
                self._warnings[OTHER_SESSION] = None
            return
        self._meta = payload
        prompt = as_object(payload.get("base_instructions")).get("text")
        if isinstance(prompt, str) and prompt:
            self._given.append(Message("system", prompt, role_raw="base_instructions"))

    def _read_item(self, item: dict[str, Any], timestamp: datetime | None) -> None:
        self._go_on()
        if as_text(item.get("type")) in _SNAPSHOTS:
            self._lost.add(f"items[{item['type']}]")
            return
        _read_into(self._reader, item, timestamp)

    def _go_on(self) -> None:
        """Forget how a turn ended, as the session did not end with it; one that was broken off is told."""
        if self._was_aborted:
            self._warnings[f"{ABORTED}:{self._ending}"] = None
        self._ending, self._was_aborted = None, False

    def _read_message(self, payload: dict[str, Any]) -> None:
        """Take what only the view for users says: tokens, how a turn ended, turns taken back."""
        kind = str(payload.get("type"))
        if kind == "token_count":
            self._spend(as_object(payload.get("info")))
        elif kind == ABORTED:
            self._go_on()
            self._ending = as_text(payload.get("reason")) or "aborted"
            self._was_aborted = True
        elif kind in _ENDINGS:
            self._go_on()
            self._ending = _ENDINGS[kind]
        else:
            if kind == ROLLED_BACK:
                self._warnings[ROLLED_BACK] = None
            self._lost.add(f"event_msg[{kind}]")

    def _spend(self, info: dict[str, Any]) -> None:
        """Give the growth of the session's running sums to the last response; sums that shrink began anew."""
        total = as_object(info.get("total_token_usage"))
        names = ("input_tokens", "output_tokens", "cached_input_tokens")
        sums = tuple(as_count(total.get(name)) or 0 for name in names)
        if not total or sums == self._spent:
            return
        is_new = any(new < old for new, old in zip(sums, self._spent, strict=True))
        grown = sums if is_new else tuple(new - old for new, old in zip(sums, self._spent, strict=True))
        self._spent = (sums[0], sums[1], sums[2])
        if not self._reader.spend(Usage(*grown)):
            self._lost.add("event_msg[token_count] of no response")

    def _compact(self, payload: dict[str, Any], timestamp: datetime | None) -> None:
        """Close the context; the next one begins with what replaces its history."""
        closed = self._close()
        self._known |= {(message.role, message.content) for message in closed}
        reader = ItemReader(sampled=False)
        for item in as_list(payload.get("replacement_history")):
            if isinstance(item, dict) and as_text(item.get("type")) not in _SNAPSHOTS:
                _read_into(reader, item, None)
        reader.end_turn()
        self._note(reader)
        prompt = [message for message in closed[:1] if message.role_raw == "base_instructions"]
        given = [*prompt, *reader.messages]
        self._given = [_as_given(message, self._known) for message in given]
        summary = payload.get("message")
        new = [each.content or "" for each in self._given if not each.is_copied_context]
        # A replaced history mostly holds the summary itself, behind words that introduce it.
        if isinstance(summary, str) and summary and not any(content.endswith(summary) for content in new):
            self._given.append(Message("user", summary, role_raw="compacted", timestamp=timestamp))

    def _close(self) -> tuple[Message, ...]:
        self._reader.end_turn()
        self._note(self._reader)
        closed = (*self._given, *self._reader.messages)
        self._closed.append(closed)
        self._given, self._reader = [], ItemReader(sampled=True)
        return closed

    def _note(self, reader: ItemReader) -> None:
        self._lost |= reader.lost
        self._warnings.update(dict.fromkeys(reader.warnings))

    def log(self) -> Log:
        self._close()
        contexts = tuple(context for context in self._closed if any(not each.is_copied_context for each in context))
        meta = self._meta or {}
        return Log(
            contexts, meta, self._turn, tuple(self._models), self._ending, frozenset(self._lost), tuple(self._warnings)
        )


def _as_given(message: Message, known: set[tuple[str, str | None]]) -> Message:
    """Return a message of a replaced history as context; words of no context before are new, but nobody's training."""
    is_copy = message.role in ("assistant", "tool") or (message.role, message.content) in known
    return replace(message, is_copied_context=is_copy)


def _read_into(reader: ItemReader, item: dict[str, Any], timestamp: datetime | None) -> None:
    """Read one item; a result also gets the exit code that the harness wrote into its text."""
    action = item.get("action")
    if item.get("type") == "local_shell_call" and isinstance(action, dict):
        rest = {name: value for name, value in item.items() if name != "action"}
        item = {**rest, "arguments": canonical_text(action)}
    reader.read(item, timestamp=timestamp)
    if str(item.get("type")).endswith("_output") and reader.messages:
        code = _exit_code(reader.messages[-1].content or "")
        succeeded = as_object(item.get("output")).get("success")
        is_error = not succeeded if isinstance(succeeded, bool) else None if code is None else code != 0
        reader.messages[-1] = replace(reader.messages[-1], exit_code=code, is_error=is_error)


def _exit_code(text: str) -> int | None:
    if text.startswith("{"):
        try:
            value = parse_json(text.encode("utf-8", "replace")).value
        except RecordError:
            return None
        return as_integer(as_object(as_object(value).get("metadata")).get("exit_code"), bits=32)
    stated = _EXIT_CODE.search(text[:_EXIT_CODE_WITHIN])
    return None if stated is None else as_integer(stated.group(1), bits=32)
