"""Where text lies in a rollout: every field that is scanned, and how a rollout is rebuilt with these rewritten."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import orjson

from schemas.records import Header, Message, MessageCall, Rollout

HEADER_TEXTS: Final = (
    "task_text",
    "submission",
    "answer",
    "error_message",
    "error_type",
    "reward_raw",
    "termination_raw",
)
HEADER_JSON: Final = ("tools_json", "sampling_json", "extra_json")
MESSAGE_TEXTS: Final = ("content", "reasoning")
MESSAGE_JSON: Final = ("parts_json", "extra_json")
CALL_TEXTS: Final = ("arguments_raw",)
CALL_JSON: Final = ("arguments_json",)

Rewrite = Callable[[str], str]


def scanned_texts(rollout: Rollout) -> Iterator[str]:
    """Yield every text of a rollout; JSON text with escapes comes as written and, decoded, string by string."""
    yield from _texts(rollout.header, HEADER_TEXTS, HEADER_JSON)
    for message in rollout.messages:
        yield from _texts(message, MESSAGE_TEXTS, MESSAGE_JSON)
        for call in message.calls:
            yield from _texts(call, CALL_TEXTS, CALL_JSON)
    yield from rollout.parse_warnings


def rewrite_rollout(rollout: Rollout, text: Rewrite, json_text: Rewrite) -> Rollout:
    """Return the rollout with its texts and JSON texts rewritten, in the order of `scanned_texts`."""
    header = _rewrite(rollout.header, HEADER_TEXTS, text) | _rewrite(rollout.header, HEADER_JSON, json_text)
    messages = []
    for message in rollout.messages:
        changes = _rewrite(message, MESSAGE_TEXTS, text) | _rewrite(message, MESSAGE_JSON, json_text)
        calls = tuple(
            replace(call, **_rewrite(call, CALL_TEXTS, text), **_rewrite(call, CALL_JSON, json_text))
            for call in message.calls
        )
        messages.append(replace(message, calls=calls, **changes))
    warnings = tuple(text(warning) for warning in rollout.parse_warnings)
    return replace(
        rollout, header=replace(rollout.header, **header), messages=tuple(messages), parse_warnings=warnings
    )


def rewrite_json(json_text: str, rewrite: Rewrite) -> str:
    """Rewrite the decoded strings of a JSON text, keys included; a text that is no JSON is rewritten as it is.

    A value under a key is rewritten as `"key":"value"`, so that a name like `api_key` speaks for it. The JSON text
    is written anew, compact and in its order, only when a string changed.
    """
    try:
        node = json.loads(json_text)
    except (ValueError, RecursionError):
        return rewrite(json_text)
    rewritten = _rewrite_node(node, rewrite, key=None)
    if rewritten == node:
        return json_text
    return json.dumps(rewritten, ensure_ascii=False, separators=(",", ":"))


def _texts(
    record: Header | Message | MessageCall, plain: tuple[str, ...], json_names: tuple[str, ...]
) -> Iterator[str]:
    for name in plain:
        if value := getattr(record, name):
            yield value
    for name in json_names:
        if value := getattr(record, name):
            yield value
            if "\\" in value:
                yield from _decoded_strings(value)


def _decoded_strings(json_text: str) -> Iterator[str]:
    try:
        node = orjson.loads(json_text)
    except ValueError:
        return
    pending = [(None, node)]
    while pending:
        key, value = pending.pop()
        if isinstance(value, str):
            yield value if key is None else f'"{key}":"{value}"'
        elif isinstance(value, dict):
            pending.extend(value.items())
        elif isinstance(value, list):
            pending.extend((None, item) for item in value)


def _rewrite(record: Header | Message | MessageCall, names: tuple[str, ...], rewrite: Rewrite) -> dict[str, Any]:
    return {name: rewrite(value) for name in names if (value := getattr(record, name))}


def _rewrite_node(node: object, rewrite: Rewrite, *, key: str | None) -> object:
    if isinstance(node, str):
        return rewrite(node) if key is None else _rewrite_value(node, rewrite, key=key)
    if isinstance(node, list):
        return [_rewrite_node(item, rewrite, key=None) for item in node]
    if isinstance(node, dict):
        return {rewrite(name): _rewrite_node(value, rewrite, key=name) for name, value in node.items()}
    return node


def _rewrite_value(value: str, rewrite: Rewrite, *, key: str) -> str:
    opening = f'"{key}":"'
    rewritten = rewrite(f'{opening}{value}"')
    if rewritten.startswith(opening) and rewritten.endswith('"') and len(rewritten) > len(opening):
        return rewritten[len(opening) : -1]
    return rewrite(value)
