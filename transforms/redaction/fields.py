"""Where text lies in a rollout: every field that is scanned, and how a rollout is rebuilt with these rewritten."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Protocol

import orjson

from schemas.records import Header, Message, MessageCall, Rollout
from transforms.redaction.seams import seam

_Record = Header | Message | MessageCall | Rollout

HEADER_TEXTS: Final = (
    "task_text",
    "submission",
    "answer",
    "error_message",
    "error_type",
    "reward_raw",
    "termination_raw",
)
HEADER_JSON: Final = ("tools_json", "sampling_json")
HEADER_NAMES: Final = (
    *("task_id", "task_source", "group_id", "run_id", "parent_traj_id", "session_id", "license", "env_name", "repo"),
    *("base_commit", "language", "image", "task_checksum", "agent_name", "agent_version", "model_name"),
    *("model_provider", "reward_name"),
)
MESSAGE_TEXTS: Final = ("content", "reasoning")
MESSAGE_JSON: Final = ("parts_json", "extra_json")
MESSAGE_NAMES: Final = ("role_raw", "tool_call_id", "tool_name", "actor", "requestor")
CALL_JSON: Final = ("arguments_raw", "arguments_json")
CALL_NAMES: Final = ("name", "call_id", "requestor")
ROLLOUT_NAMES: Final = ("native_id", "record_key")


class Rewrite(Protocol):
    """Gives the text that stands in place of a text; `key` is the JSON key that the text is the value of."""

    def __call__(self, text: str, *, key: str | None = None, is_name: bool = False) -> str: ...


def scanned_texts(rollout: Rollout) -> Iterator[str]:
    """Yield every text of a rollout for the one pass.

    JSON text comes as written and, where it has escapes, decoded too, string by string; a content made of parts comes
    a second time without its line breaks, and what two contents in a row would make is there too, for what was split.
    """
    yield from _texts(rollout, ROLLOUT_NAMES)
    header = rollout.header
    yield from _texts(header, (*HEADER_NAMES, *HEADER_TEXTS))
    yield from _json_texts(header, HEADER_JSON)
    content_before: str | None = None
    for message in rollout.messages:
        if halves := seam(content_before, message.content):
            yield "".join(halves)
        content_before = message.content
        yield from _texts(message, (*MESSAGE_NAMES, *MESSAGE_TEXTS))
        yield from _json_texts(message, MESSAGE_JSON)
        if message.parts_json and message.content and "\n" in message.content:
            yield message.content.replace("\n", "")
        for call in message.calls:
            yield from _texts(call, CALL_NAMES)
            yield from _json_texts(call, CALL_JSON)
    yield from rollout.parse_warnings
    yield from rollout.lost_fields


def rewrite_rollout(rollout: Rollout, rewrite: Rewrite) -> Rollout:
    """Return the rollout with every text rewritten, always in the same order."""
    names = _rewritten(rollout, rewrite, names=ROLLOUT_NAMES)
    header = _rewritten(rollout.header, rewrite, names=HEADER_NAMES, texts=HEADER_TEXTS, json_texts=HEADER_JSON)
    messages = []
    for message in rollout.messages:
        changes = _rewritten(message, rewrite, names=MESSAGE_NAMES, texts=MESSAGE_TEXTS, json_texts=MESSAGE_JSON)
        calls = tuple(
            replace(call, **_rewritten(call, rewrite, names=CALL_NAMES, json_texts=CALL_JSON))
            for call in message.calls
        )
        messages.append(replace(message, calls=calls, **changes))
    return replace(
        rollout,
        header=replace(rollout.header, **header),
        messages=tuple(messages),
        parse_warnings=tuple(rewrite(warning) for warning in rollout.parse_warnings),
        lost_fields=tuple(rewrite(name) for name in rollout.lost_fields),
        **names,
    )


def rewrite_json(json_text: str, rewrite: Rewrite) -> str:
    """Rewrite the decoded strings of a JSON text, keys included; a text that is no JSON is rewritten as it is.

    The JSON text is written anew, compact and in its order, only when a string changed.
    """
    try:
        node = json.loads(json_text)
    except (ValueError, RecursionError):
        return rewrite(json_text)
    rewritten = _rewrite_node(node, rewrite, key=None)
    if rewritten == node:
        return json_text
    return json.dumps(rewritten, ensure_ascii=False, separators=(",", ":"))


def framed(key: str, value: str) -> str:
    """Return a value as it stands under its key, so that a name like `api_key` speaks for it."""
    return f'"{key}":"{value}"'


def _texts(record: _Record, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if value := getattr(record, name):
            yield value


def _json_texts(record: _Record, names: tuple[str, ...]) -> Iterator[str]:
    for value in _texts(record, names):
        yield value
        if "\\" in value:
            yield from _decoded_strings(value)


def _decoded_strings(json_text: str) -> Iterator[str]:
    try:
        pending = [(None, _parse(json_text))]
    except (ValueError, RecursionError):
        return
    while pending:
        key, value = pending.pop()
        if isinstance(value, str):
            yield value if key is None else framed(key, value)
        elif isinstance(value, dict):
            pending.extend((_speaking_key(value, name), member) for name, member in value.items())
        elif isinstance(value, list):
            pending.extend((_flag_before(value, index), item) for index, item in enumerate(value))


def _parse(json_text: str) -> Any:
    try:
        return orjson.loads(json_text)
    except ValueError:
        return json.loads(json_text)


def _speaking_key(node: dict[str, Any], name: str) -> str:
    """Return what names a member's value: its key, or the name beside it in `{"name": "API_KEY", "value": ...}`."""
    if name != "value":
        return name
    beside = node.get("name", node.get("key"))
    return beside if isinstance(beside, str) else name


def _flag_before(node: list[Any], index: int) -> str | None:
    """Return the command-line flag that an item of a list is the value of."""
    before = node[index - 1] if index else None
    return before if isinstance(before, str) and before.startswith("-") else None


def _rewritten(
    record: _Record,
    rewrite: Rewrite,
    *,
    names: tuple[str, ...] = (),
    texts: tuple[str, ...] = (),
    json_texts: tuple[str, ...] = (),
) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name in names:
        if value := getattr(record, name):
            changes[name] = rewrite(value, is_name=True)
    for name in texts:
        if value := getattr(record, name):
            changes[name] = rewrite(value)
    for name in json_texts:
        if value := getattr(record, name):
            changes[name] = rewrite_json(value, rewrite)
    return changes


def _rewrite_node(node: object, rewrite: Rewrite, *, key: str | None) -> object:
    if isinstance(node, str):
        return rewrite(node, key=key)
    if isinstance(node, list):
        return [_rewrite_node(item, rewrite, key=_flag_before(node, index)) for index, item in enumerate(node)]
    if isinstance(node, dict):
        return {
            rewrite(name): _rewrite_node(value, rewrite, key=_speaking_key(node, name)) for name, value in node.items()
        }
    return node
