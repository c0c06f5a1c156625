"""Actions and observations of the Agent Data Protocol as messages, one a message."""

from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_messages import Content, message_content
from transforms.formats.fields import as_text
from transforms.formats.rewards import MISSING, number_said
from transforms.reading.failures import RecordError, unknown_value

UNLINKED: Final = "ambiguous_pairing"
"""Warning: observations without call ids follow several actions; they are paired with the last."""
_SOURCES: Final = {"user": "user", "agent": "assistant", "assistant": "assistant", "system": "system"}
_TAKEN: Final = {
    "api_action": frozenset({"function", "kwargs", "description"}),
    "code_action": frozenset({"content", "description"}),
    "message_action": frozenset({"content"}),
    "text_observation": frozenset({"content", "source"}),
}
_COMMON: Final = frozenset({"class_", "reasoning_content", "reward", "tool_call_id"})


class AdpMessages(NamedTuple):
    """The messages of a trajectory, and warnings."""

    messages: tuple[Message, ...]
    warnings: tuple[str, ...]


def adp_messages(content: list[Any]) -> AdpMessages:
    """Return the messages of a trajectory's content.

    An observation is a result when it names a call, when its source is the environment, or when it stands right behind
    an action; otherwise its source says who speaks.

    Raises:
        RecordError: An item is no object, has no class, or lacks what its class needs.
    """
    messages: list[Message] = []
    is_ambiguous = False
    for index, item in enumerate(content):
        if not isinstance(item, dict):
            kind = type(item).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"item {index} is no object but {kind}")
        try:
            message = _message(item, after_call=bool(messages) and bool(messages[-1].calls))
        except RecordError as error:
            raise RecordError(error.reason, f"item {index}: {error}") from error
        if message.role == "tool" and message.tool_call_id is None:
            is_ambiguous = is_ambiguous or [bool(one.calls) for one in messages[-2:]] == [True, True]
        messages.append(message)
    return AdpMessages(tuple(messages), (UNLINKED,) if is_ambiguous else ())


def _message(item: dict[str, Any], *, after_call: bool) -> Message:
    kind = item.get("class_")
    if not isinstance(kind, str):
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "no `class_`")
    if kind.endswith("_action"):
        return _action(item, kind)
    if kind.endswith("_observation"):
        return _observation(item, kind, after_call=after_call)
    raise unknown_value("class", kind)


def _action(item: dict[str, Any], kind: str) -> Message:
    """Return an action: its thought is the text before a call; a code action is a call named after its language."""
    thought = message_content(item.get("description", MISSING))
    calls: tuple[MessageCall, ...] = ()
    if kind == "api_action":
        name, arguments = as_text(item.get("function")), item.get("kwargs", MISSING)
        calls = (message_call(_named(name, kind), arguments, call_id=as_text(item.get("tool_call_id"))),)
    elif kind == "code_action":
        name = as_text(item.get("language"))
        arguments = {"code": item.get("content")}
        calls = (message_call(_named(name, kind), arguments, call_id=as_text(item.get("tool_call_id"))),)
    else:
        thought = message_content(item.get("content", MISSING))
    extra = _rest(item, kind, used={"language"} if kind == "code_action" else set())
    if kind != "api_action" and kind != "message_action":
        extra["class_"] = kind
    extra |= _unread_reward(item)
    reasoning = item.get("reasoning_content")
    return Message(
        "assistant",
        thought.text,
        thought.state,
        parts_json=thought.parts_json,
        reasoning=reasoning if isinstance(reasoning, str) and reasoning else None,
        calls=calls,
        step_reward=number_said(item.get("reward")),
        extra_json=canonical_text(extra) if extra else None,
    )


def _unread_reward(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item's reward that the conversion table has no rule for."""
    raw = item.get("reward")
    return {} if raw is None or number_said(raw) is not None else {"reward": raw}


def _named(name: str | None, kind: str) -> str:
    if name is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"a {kind} without a name")
    return name


def _observation(item: dict[str, Any], kind: str, *, after_call: bool) -> Message:
    call_id, source = as_text(item.get("tool_call_id")), as_text(item.get("source"))
    is_result = call_id is not None or after_call or source in {None, "environment"} or kind == "web_observation"
    role = "tool" if is_result else _SOURCES.get(source or "")
    if role is None:
        raise unknown_value("source", source)
    extra = {**(_rest(item, kind, used=set()) if kind in _TAKEN else {}), **_unread_reward(item)}
    content = message_content(item.get("content", MISSING)) if kind in _TAKEN else _parts(item, kind)
    return Message(
        role,
        content.text,
        content.state,
        role_raw=source if source != role else None,
        parts_json=content.parts_json,
        tool_call_id=call_id,
        step_reward=number_said(item.get("reward")),
        extra_json=canonical_text(extra) if extra else None,
    )


def _parts(item: dict[str, Any], kind: str) -> Content:
    """Return a page or picture as one part; a page's accessibility tree, else its markup, is the text."""
    key = next((name for name in ("axtree", "html") if isinstance(item.get(name), str)), None)
    part = {name: value for name, value in item.items() if name not in _COMMON and name != key and value is not None}
    part["type"] = kind.removesuffix("_observation")
    if key is not None:
        part["text_from"] = key
    return Content(item[key] if key is not None else "", "parts", canonical_text([part]))


def _rest(item: dict[str, Any], kind: str, *, used: set[str]) -> dict[str, Any]:
    """Return what an item says beside the fields of its class."""
    taken = _TAKEN.get(kind, frozenset({"content"})) | _COMMON | used
    return {name: value for name, value in item.items() if name not in taken and value is not None}
