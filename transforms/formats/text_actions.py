"""Actions that an agent writes into its text: function blocks, fenced commands, Terminus JSON, made calls.

What stands around an action stays the message's text; blanks next to the action are not kept. A call's
`arguments_raw` is the action as written wherever writing the call anew would not give the same.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import orjson

from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.swe_history import COMMANDS
from transforms.reading.failures import RecordError
from transforms.reading.strict_json import parse_json

UNPARSED: Final = "unparsed_action"
"""Warning: an agent's text begins an action that cannot be read as one; it stays text."""
TEXT_AFTER: Final = "text_after"
"""Key of a message's extra JSON for what the agent wrote behind its first action."""
FENCE: Final = "```"
TERMINUS_CALL: Final = "bash_command"
TERMINUS_END: Final = "mark_task_complete"
_OPEN: Final = "<function="
_CLOSE: Final = "</function>"
_PARAMETER: Final = "<parameter="
_PARAMETER_CLOSE: Final = "</parameter>"
_LANGUAGE: Final = re.compile(r"[\w+-]*[ \t]*\n")
_TERMINUS: Final = re.compile(r'\{\s*"(?:analysis|state_analysis|plan|explanation|commands)"\s*:')
_TERMINUS_TEXTS: Final = (
    ("analysis", "Analysis"),
    ("state_analysis", "Analysis"),
    ("plan", "Plan"),
    ("explanation", "Plan"),
)
_TERMINUS_ENDS: Final = ("task_complete", "is_task_complete")
_OPENING_FENCE: Final = re.compile(r"```(?:json)?\s*$")
_CLOSING_FENCE: Final = re.compile(r"^\s*```")
_THINKING: Final = re.compile(r"<think>(.*?)</think>\s*", re.DOTALL)


class Action(NamedTuple):
    """What an agent's text says: the text before its calls, the calls, what follows; `extra` is kept beside them."""

    text: str
    calls: tuple[MessageCall, ...]
    after: str = ""
    reasoning: str | None = None
    extra: dict[str, Any] = {}  # noqa: RUF012


Reader = Callable[[str], Action | None]
"""Reads an action from a text; None when it cannot be read as one."""


def with_text_actions(
    messages: Iterable[Message], read: Reader, *, begins: Callable[[str], bool]
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """Return the messages with the agent's actions as calls, and a warning for texts that only begin one.

    A message that has calls of its own is left as it is.

    Args:
        messages: A conversation in the canonical form.
        read: Reads one text.
        begins: Says whether a text begins an action at all.
    """
    rewritten: list[Message] = []
    warnings: list[str] = []
    for message in messages:
        if message.role == "assistant" and not message.calls and message.content and begins(message.content):
            action = read(message.content)
            if action is None:
                warnings.append(UNPARSED)
            else:
                message = _with_action(message, action)
        rewritten.append(message)
    return tuple(rewritten), tuple(sorted(set(warnings)))


def observed(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages with each user message right behind an agent's call as that call's result."""
    answered: list[Message] = []
    for message in messages:
        if message.role == "user" and answered and answered[-1].role == "assistant" and answered[-1].calls:
            message = replace(message, role="tool", role_raw=message.role_raw or "user")
        answered.append(message)
    return tuple(answered)


def _with_action(message: Message, action: Action) -> Message:
    extra = {**action.extra, **({TEXT_AFTER: action.after} if action.after.strip() else {})}
    if extra and message.extra_json is not None:
        extra = {**orjson.loads(message.extra_json), **extra}
    return replace(
        message,
        content=action.text,
        calls=action.calls,
        reasoning=action.reasoning if message.reasoning is None else message.reasoning,
        extra_json=canonical_text(extra) if extra else message.extra_json,
    )


def begins_function_block(text: str) -> bool:
    """Say whether a text holds the beginning of a `<function=…>` block."""
    return _OPEN in text


def read_function_blocks(text: str) -> Action | None:
    """Read the `<function=NAME>` blocks of a text, each with its `<parameter=NAME>value</parameter>` pairs.

    Values stay text. None where the first block has no name or is not closed.
    """
    calls: list[MessageCall] = []
    between: list[str] = []
    before, position = "", 0
    while (start := text.find(_OPEN, position)) >= 0:
        end, name_end = text.find(_CLOSE, start), text.find(">", start)
        name = text[start + len(_OPEN) : name_end].strip()
        if end < 0 or not 0 < name_end < end or not name:
            break
        if calls:
            between.append(text[position:start].strip())
        else:
            before = text[:start].rstrip()
        position = end + len(_CLOSE)
        calls.append(_block_call(name, text[name_end + 1 : end], text[start:position]))
    if not calls:
        return None
    rest = [*between, text[position:].strip()]
    return Action(before, tuple(calls), "\n".join(part for part in rest if part))


def function_block(name: str, arguments: dict[str, str]) -> str:
    """Return a call as a function block in its usual form."""
    lines = [f"{_PARAMETER}{key}>{value}{_PARAMETER_CLOSE}" for key, value in arguments.items()]
    return "\n".join([f"{_OPEN}{name}>", *lines, _CLOSE])


def _block_call(name: str, body: str, written: str) -> MessageCall:
    arguments: dict[str, str] = {}
    position = 0
    while (start := body.find(_PARAMETER, position)) >= 0:
        name_end, end = body.find(">", start), body.find(_PARAMETER_CLOSE, start)
        if end < 0 or not 0 < name_end < end:
            break
        value = body[name_end + 1 : end]
        if len(value) > 1 and value.startswith("\n") and value.endswith("\n"):
            value = value[1:-1]
        arguments[body[start + len(_PARAMETER) : name_end]] = value
        position = end + len(_PARAMETER_CLOSE)
    return _as_written(
        message_call(name, arguments), written, usual=function_block(name, dict(sorted(arguments.items())))
    )


def begins_fence(text: str) -> bool:
    """Say whether a text holds a fence."""
    return FENCE in text


def read_fenced_command(text: str) -> Action | None:
    """Read the last fenced block of a text as a command; a first word that is no command of SWE-agent is bash's."""
    closing = text.rfind(FENCE)
    opening = text.rfind(FENCE, 0, closing) if closing > 0 else -1
    if opening < 0:
        return None
    body = text[opening + len(FENCE) : closing]
    language = _LANGUAGE.match(body)
    command = (body[language.end() :] if language else body).strip("\n")
    words = command.split(None, 1)
    if not words:
        return None
    name = words[0] if words[0] in COMMANDS else "bash"
    call = _as_written(
        message_call(name, {"command": command}), text[opening : closing + len(FENCE)], usual=fenced_command(command)
    )
    return Action(text[:opening].rstrip(), (call,), text[closing + len(FENCE) :].strip())


def fenced_command(command: str) -> str:
    """Return a command as a fenced block in its usual form."""
    return f"{FENCE}\n{command}\n{FENCE}"


def _as_written(call: MessageCall, written: str, *, usual: str) -> MessageCall:
    return call if written == usual else replace(call, arguments_raw=written)


def begins_terminus(text: str) -> bool:
    """Say whether a text names the commands of a Terminus answer."""
    return '"keystrokes"' in text or ('"commands"' in text and '"plan"' in text)


def read_terminus(text: str) -> Action | None:
    """Read a Terminus answer: JSON with analysis, plan and commands, bare or fenced, thoughts before it allowed.

    Each command is a call, the end of the task another; analysis and plan are the text, as Harbor writes them.
    """
    found = _TERMINUS.search(text)
    end = text.rfind("}") + 1
    answer = _terminus_object(text[found.start() : end]) if found else None
    if found is None or answer is None:
        return None
    before, after = _OPENING_FENCE.sub("", text[: found.start()]), _CLOSING_FENCE.sub("", text[end:])
    thoughts = _THINKING.match(before.lstrip())
    if thoughts:
        before = before.lstrip()[thoughts.end() :]
    said = [f"{title}: {answer.pop(name)}" for name, title in _TERMINUS_TEXTS if isinstance(answer.get(name), str)]
    calls = [message_call(TERMINUS_CALL, command) for command in answer.pop("commands")]
    ends = [answer.pop(name) for name in _TERMINUS_ENDS if isinstance(answer.get(name), bool)]
    if any(ends):
        calls.append(message_call(TERMINUS_END, {}))
    return Action(
        "\n".join(part for part in (before.strip(), *said) if part),
        tuple(calls),
        after.strip(),
        thoughts.group(1).strip() if thoughts else None,
        answer,
    )


def _terminus_object(text: str) -> dict[str, Any] | None:
    try:
        value = parse_json(text.encode("utf-8", "replace")).value
    except RecordError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("commands"), list):
        return None
    is_usable = all(isinstance(item, dict) and "keystrokes" in item for item in value["commands"])
    return value if is_usable else None
