"""Tool-call arguments in one form: the object as compact JSON text with sorted keys, and how it was written."""

from typing import Any, Final

import orjson

from schemas.records import MessageCall
from transforms.formats.rewards import MISSING
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import parse_json

_COMMAND_KEYS: Final = ("command", "cmd", "code", "script", "keystrokes", "commands", "bash_command")


def canonical_text(value: Any) -> str:
    """Return a JSON value as compact text with sorted keys."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def message_call(
    name: str, arguments: Any, *, call_id: str | None = None, requestor: str = "assistant"
) -> MessageCall:
    """Return a call from its arguments as written: an object, JSON text of one, or doubly encoded JSON text.

    The text as written is kept where parsing and writing it again would not give the same.
    """
    if isinstance(arguments, str):
        return call_of_text(name, arguments, call_id=call_id, requestor=requestor)
    if arguments is MISSING:
        return MessageCall(name, None, "missing", None, call_id, requestor)
    if arguments is None:
        return MessageCall(name, None, "null", None, call_id, requestor)
    if isinstance(arguments, dict):
        return MessageCall(name, canonical_text(arguments), "ok", None, call_id, requestor)
    return MessageCall(name, None, "unparsed", canonical_text(arguments), call_id, requestor)


def call_of_text(name: str, written: str, *, call_id: str | None = None, requestor: str = "assistant") -> MessageCall:
    """Return a call whose arguments are written as text, as `message_call` does."""
    text = _text_of_flat(written)
    if text is not None:
        return MessageCall(name, text, "ok", None if text == written else written, call_id, requestor)
    value = _parse(written)
    state = "ok"
    if isinstance(value, str):
        value, state = _parse(value), "double_encoded"
    if not isinstance(value, dict):
        return MessageCall(name, None, "unparsed", written, call_id, requestor)
    text = canonical_text(value)
    return MessageCall(name, text, state, None if text == written else written, call_id, requestor)


def _text_of_flat(written: str) -> str | None:
    """Return the canonical text of an object in which nothing could be mended, so that it needs no strict reading.

    That is one that holds nothing but texts; and one with whole numbers, flags and nulls too whose text is as long
    when it is written anew: a key that was lost, a blank or an escape would have made it shorter.
    """
    try:
        value = orjson.loads(written)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not dict or not value:
        return None
    has_only_texts = True
    for item in value.values():
        if type(item) is not str:
            if item is not None and type(item) is not int and type(item) is not bool:
                return None
            has_only_texts = False
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return text if has_only_texts or len(text) == len(written) else None


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
    if arguments_json is None or not _may_hold_command(arguments_json):
        return None
    arguments = orjson.loads(arguments_json)
    value = None
    for key in _COMMAND_KEYS:
        if (value := arguments.get(key)) is not None:
            break
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = " ".join(value)
    if not isinstance(value, str):
        return None
    value = value.strip()
    # Whatever ends a line is no printable character.
    return (value if value.isprintable() else "\n".join(line.rstrip() for line in value.splitlines())) or None


def _may_hold_command(text: str) -> bool:
    """Say whether a text may hold one of `_COMMAND_KEYS`, without a loop over them: it is asked of every call."""
    return "command" in text or "cmd" in text or "code" in text or "script" in text or '"keystrokes"' in text
