"""Tool-call arguments in one form: the object as compact JSON text with sorted keys, and how it was written."""

from typing import Any, Final

import orjson

from schemas.records import MessageCall
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import parse_json

_COMMAND_KEYS: Final = ("command", "cmd", "code", "script", "keystrokes", "commands", "bash_command")
_QUOTED_KEYS: Final = tuple(f'"{key}"' for key in _COMMAND_KEYS)


def canonical_text(value: Any) -> str:
    """Return a JSON value as compact text with sorted keys."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def message_call(
    name: str, arguments: Any, *, call_id: str | None = None, requestor: str = "assistant"
) -> MessageCall:
    """Return a call from its arguments as written: an object, JSON text of one, or doubly encoded JSON text.

    The text as written is kept where parsing and writing it again would not give the same.
    """
    if arguments is MISSING:
        return MessageCall(name, None, "missing", None, call_id, requestor)
    if arguments is None:
        return MessageCall(name, None, "null", None, call_id, requestor)
    if isinstance(arguments, dict):
        return MessageCall(name, canonical_text(arguments), "ok", None, call_id, requestor)
    if not isinstance(arguments, str):
        return MessageCall(name, None, "unparsed", canonical_text(arguments), call_id, requestor)
    value = _flat_object(arguments) or _parse(arguments)
    state = "ok"
    if isinstance(value, str):
        value, state = _parse(value), "double_encoded"
    if not isinstance(value, dict):
        return MessageCall(name, None, "unparsed", arguments, call_id, requestor)
    text = canonical_text(value)
    return MessageCall(name, text, state, None if text == arguments else arguments, call_id, requestor)


def _flat_object(text: str) -> dict[str, str] | None:
    """Return an object that holds nothing but texts: nothing in it could be mended, so it needs no strict reading."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict):
        return None
    for item in value.values():
        if type(item) is not str:
            return None
    return value


def _parse(text: str) -> Any:
    """Return the parsed value of a JSON text; None when it is none."""
    if text[:1] not in '{"' and text.lstrip()[:1] not in {"{", '"'}:
        return None
    try:
        return parse_json(text.encode("utf-8", "replace")).value
    except RecordError:
        return None


def command_of(arguments_json: str | None) -> str | None:
    """Return the command or code a call runs, without outer blanks and trailing blanks of lines; None for none."""
    value: Any = None
    if arguments_json is not None:
        for key in _QUOTED_KEYS:
            if key in arguments_json:
                break
        else:
            return None
        arguments = orjson.loads(arguments_json)
        value = next((arguments[key] for key in _COMMAND_KEYS if arguments.get(key) is not None), None)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " ".join(value)
    if not isinstance(value, str):
        return None
    value = value.strip()
    # Whatever ends a line is no printable character.
    return (value if value.isprintable() else "\n".join(line.rstrip() for line in value.splitlines())) or None
