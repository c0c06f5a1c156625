"""The messages of a mini-swe-agent run: tool calling, text mode with a fenced block, and raw Responses objects."""

import re
from dataclasses import replace
from typing import Any, Final, NamedTuple

import orjson

from schemas.reasons import QuarantineReason
from schemas.records import Message
from transforms.formats import responses_conversation
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_messages import chat_message
from transforms.formats.fields import as_count, as_datetime, as_integer, as_items, as_list, as_number, as_object
from transforms.formats.losses import untaken, untaken_of_each
from transforms.reading.failures import RecordError

TOOL: Final = "bash"
EXTRA_LOST: Final = "messages[].extra"
RESPONSE_LOST: Final = "messages[].extra.response"
_BLOCK: Final = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n?```", re.DOTALL)
_RETURN_CODE: Final = re.compile(r"<returncode>\s*(-?[0-9]{1,9})\s*</returncode>")
_EXTRA_FIELDS: Final = frozenset({"actions", "response", "cost", "timestamp", "returncode", "raw_output", "exit_code"})
_ACTION_FIELDS: Final = frozenset({"command", "tool_call_id"})
_RESPONSE_FIELDS: Final = frozenset({"object", "output", "usage", "extra", "role"})


class Conversation(NamedTuple):
    """Messages of a run, what its closing note says, the names of what was left out, and warnings."""

    messages: tuple[Message, ...]
    closing: dict[str, Any]
    losses: frozenset[str]
    warnings: tuple[str, ...]


def mini_messages(raw: list[Any]) -> Conversation:
    """Return the messages of a run.

    The note of role `exit` at the end was never part of the conversation: its words stand in the header. In text mode
    the fenced block that was run is cut out of the text and becomes a call; the user message behind it is its result.

    Raises:
        RecordError: A message is no object, or unusable.
    """
    messages: list[Message] = []
    closing: dict[str, Any] = {}
    losses: set[str] = set()
    warnings: list[str] = []
    for index, item in enumerate(raw):
        if not isinstance(item, dict):
            kind = type(item).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"message {index} is no object but {kind}")
        if item.get("extra") and not isinstance(item["extra"], dict):
            losses.add(EXTRA_LOST)
        if item.get("role") == "exit":
            closing = item
            continue
        if as_object(item.get("extra")).get("response"):
            losses.add(RESPONSE_LOST)
        try:
            read = _messages(item, messages[-1] if messages else None)
        except RecordError as error:
            raise RecordError(error.reason, f"message {index}: {error}") from error
        messages.extend(read.messages)
        losses.update(read.lost)
        warnings.extend(read.warnings)
    return Conversation(tuple(messages), closing, frozenset(losses), tuple(warnings))


def _messages(item: dict[str, Any], before: Message | None) -> responses_conversation.Conversation:
    """Return the messages of one native message; a Responses object is one message unless it speaks several times.

    What is said of the whole response stands with its last message.
    """
    extra = as_object(item.get("extra"))
    plain = {name: value for name, value in item.items() if name != "extra"}
    if item.get("object") == "response" or (item.get("role") is None and isinstance(item.get("output"), list)):
        read = responses_conversation.item_messages(as_list(item.get("output")), sampled=True)
        read = read._replace(lost=(*read.lost, *untaken(item, _RESPONSE_FIELDS, prefix="messages[].")))
        extra = {"response": {"usage": item.get("usage")}, **extra}
    elif item.get("type") == "function_call_output":
        read = responses_conversation.item_messages([plain], sampled=True)
    else:
        read = responses_conversation.Conversation((chat_message(plain),))
    if not read.messages:
        return read
    *first, message = read.messages
    if message.role == "assistant":
        message = _acted(message, extra)
    elif message.role in {"user", "tool"}:
        message = _observed(message, extra, before)
    return read._replace(messages=(*first, _with_extra(message, extra)))


def _acted(message: Message, extra: dict[str, Any]) -> Message:
    """Return an assistant message with the calls of its text and what its response cost."""
    usage = as_object(as_object(extra.get("response")).get("usage"))
    if not message.calls:
        message = _with_text_calls(message, extra)
    stated: dict[str, Any] = {
        "prompt_tokens": as_count(usage.get("prompt_tokens", usage.get("input_tokens"))),
        "completion_tokens": as_count(usage.get("completion_tokens", usage.get("output_tokens"))),
        "cost_usd": as_number(extra.get("cost")),
    }
    known = {name: value for name, value in stated.items() if value is not None}
    return replace(message, sampled=True, **known)


def _with_text_calls(message: Message, extra: dict[str, Any]) -> Message:
    text = message.content or ""
    blocks = list(_BLOCK.finditer(text)) if message.content_state == "text" else []
    commands = [action.get("command") for action in as_items(extra.get("actions")) if isinstance(action, dict)]
    texts = [command for command in commands if isinstance(command, str)]
    if "actions" not in extra and len(blocks) == 1:
        texts = [blocks[0].group(1)]
    calls = tuple(message_call(TOOL, {"command": command}) for command in texts)
    if len(calls) == 1 and len(blocks) == 1 and blocks[0].group(1).strip() == texts[0].strip():
        text = text[: blocks[0].start()] + text[blocks[0].end() :]
        message = replace(message, content=text)
    return replace(message, calls=calls)


def _observed(message: Message, extra: dict[str, Any], before: Message | None) -> Message:
    """Return a user or tool message; what follows an action in text mode is its result."""
    follows_action = before is not None and bool(before.calls) and all(call.call_id is None for call in before.calls)
    said_code = _RETURN_CODE.match((message.content or "").lstrip())
    if message.role == "user" and follows_action and ("returncode" in extra or "raw_output" in extra or said_code):
        message = replace(message, role="tool", role_raw="user")
    if message.role != "tool":
        return message
    code = as_integer(extra.get("returncode", extra.get("exit_code")), bits=32)
    if code is None and said_code is not None:
        code = as_integer(said_code.group(1), bits=32)
    return message if code is None else replace(message, exit_code=code, is_error=code != 0)


def _with_extra(message: Message, extra: dict[str, Any]) -> Message:
    """Return the message with its time and with what of its extras no column takes."""
    rest = {name: extra[name] for name in untaken(extra, _EXTRA_FIELDS)}
    for name in ("returncode", "exit_code"):
        if extra.get(name) is not None and as_integer(extra[name], bits=32) is None:
            rest[name] = extra[name]
    output = extra.get("raw_output")
    if isinstance(output, str) and output.strip() not in (message.content or ""):
        rest["raw_output"] = output
    own = orjson.loads(message.extra_json) if message.extra_json else {}
    rest = {**own, **_actions_left(message, extra), **rest}
    return replace(
        message,
        timestamp=as_datetime(extra.get("timestamp")) or message.timestamp,
        extra_json=canonical_text(rest) if rest else None,
    )


def _actions_left(message: Message, extra: dict[str, Any]) -> dict[str, Any]:
    """Return the parsed actions of a message whose calls do not say the same."""
    actions = as_items(extra.get("actions"))
    commands = [as_object(action).get("command") for action in actions]
    called = [orjson.loads(call.arguments_json).get("command") for call in message.calls if call.arguments_json]
    says_more = untaken_of_each(actions, _ACTION_FIELDS, prefix="")
    return {"actions": extra["actions"]} if actions and (commands != called or says_more) else {}
