"""Messages of a ShareGPT conversation in the canonical form."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import message_call
from transforms.formats.chat_messages import chat_message
from transforms.formats.fields import as_text
from transforms.formats.rewards import MISSING
from transforms.formats.sharegpt_tags import FUNCTION, Tags
from transforms.reading.failures import RecordError, unknown_value
from transforms.reading.strict_json import parse_json

UNPARSED_CALL: Final = "unparsed_function_call"
"""Warning: a function call's value is no JSON of name and arguments; the call is kept as written."""
OUT_OF_ORDER: Final = "roles_out_of_order"
"""Warning: what is said to the model and what it says do not alternate; LLaMA-Factory would drop the row."""
UNNAMED: Final = "function_call"
"""Name of a call whose value does not tell one."""
_LOSS_FLAGS: Final = ("loss", "train", "weight")
_CALL_KEYS: Final = frozenset({"name", "arguments", "parameters", "id"})


class Talk(NamedTuple):
    """The messages of a conversation, and warnings."""

    messages: tuple[Message, ...]
    warnings: tuple[str, ...]


def sharegpt_messages(turns: Sequence[Any], tags: Tags, *, is_whole: bool = True) -> Talk:
    """Return the messages of a conversation; calls and results have no ids and are paired by position.

    Args:
        turns: The items as parsed.
        tags: Names of keys and roles.
        is_whole: Whether the items are a conversation from its beginning, so that their order can be checked.

    Raises:
        RecordError: An item is no object, has an unknown role, or a value of an unknown kind.
    """
    messages: list[Message] = []
    warnings: set[str] = set()
    for index, turn in enumerate(turns):
        if not isinstance(turn, dict):
            kind = type(turn).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"message {index} is no object but {kind}")
        try:
            message = _message(turn, tags)
        except RecordError as error:
            raise RecordError(error.reason, f"message {index}: {error}") from error
        if any(call.name == UNNAMED for call in message.calls):
            warnings.add(UNPARSED_CALL)
        messages.append(message)
    if is_whole and not _alternates(messages):
        warnings.add(OUT_OF_ORDER)
    return Talk(tuple(messages), tuple(sorted(warnings)))


def _message(turn: dict[str, Any], tags: Tags) -> Message:
    """Return a turn's message by way of the chat form, which knows the keys that some writers add."""
    keys = (tags.role_tag, "role"), (tags.content_tag, "content")
    role_key, content_key = (next((key for key in pair if turn.get(key) is not None), pair[0]) for pair in keys)
    role_raw, value = turn.get(role_key), turn.get(content_key, MISSING)
    role = tags.role(role_raw)
    if role is None:
        raise unknown_value("role", role_raw)
    found = _found_calls(value)
    if role == FUNCTION:
        role = "function_call" if found and all("arguments" in call for call in found) else "tool"
    rest = {name: item for name, item in turn.items() if name not in {role_key, content_key}}
    rest["role"] = "assistant" if role == "function_call" else role
    flag = None
    if rest["role"] == "assistant":
        flag = next((rest.pop(name) for name in _LOSS_FLAGS if isinstance(rest.get(name), bool | int)), None)
    if role != "function_call" and value is not MISSING:
        rest["content"] = value
    if role == "function_call" and any(call.keys() - _CALL_KEYS for call in found):
        rest["calls"] = found
    message = chat_message(rest)
    return replace(
        message,
        calls=_calls(value, found) if role == "function_call" else message.calls,
        role_raw=as_text(role_raw) if role_raw != message.role else None,
        sampled=None if flag is None else bool(flag),
    )


def _found_calls(value: Any) -> list[dict[str, Any]]:
    """Return the calls a value holds: JSON text, or an object, of one named call or a list of them; else none."""
    if isinstance(value, str):
        if value.lstrip()[:1] not in {"{", "["}:
            return []
        try:
            value = parse_json(value.encode("utf-8", "replace")).value
        except RecordError:
            return []
    found = value if isinstance(value, list) else [value]
    is_usable = all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in found)
    return found if is_usable else []


def _calls(value: Any, found: list[dict[str, Any]]) -> tuple[MessageCall, ...]:
    if not found:
        return (message_call(UNNAMED, value if isinstance(value, str) or value is MISSING else [value]),)
    return tuple(
        message_call(
            call["name"], call.get("arguments", call.get("parameters", MISSING)), call_id=as_text(call.get("id"))
        )
        for call in found
    )


def _alternates(messages: Sequence[Message]) -> bool:
    spoken = messages[1:] if messages and messages[0].role == "system" else messages
    return all((message.role == "assistant") == (index % 2 == 1) for index, message in enumerate(spoken))
