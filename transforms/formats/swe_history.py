"""The conversation of a SWE-agent run: its history, in tool-calling or in text mode, and what only the steps tell."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.chat_messages import chat_message
from transforms.reading.failures import RecordError

STEPS_DIFFER: Final = "trajectory_history_differ"
"""Warning: the steps and the history are not the same; what only steps inside the history hold is left out."""
HISTORY_UNREADABLE: Final = "history_unreadable"
"""Warning: the history is no list; the run is told by its steps alone."""
COMMANDS: Final = frozenset(
    {
        "open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "submit", "search_dir",
        "search_file", "find_file", "str_replace_editor", "exit_forfeit", "exit_context", "exit_cost", "skip",
        "view_image",
    }
)  # fmt: skip
"""SWE-agent's own commands; any other first word is a shell command."""
_FENCES: Final = re.compile(r"```(?:bash|sh|python)?|</?command>|\s")
_KEPT: Final = ("role", "content", "tool_calls", "tool_call_ids", "is_demo", "agent")
HISTORY_FIELDS: Final = frozenset({*_KEPT, "action", "thought", "thinking_blocks", "message_type"})
"""Fields of a history's message that are read, or that only say again what these say."""


def history_messages(native: dict[str, Any]) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """Return the messages of a run and the warnings their reading gave.

    In text mode an action is a call of its first word (of `bash`, when that is no command of SWE-agent) and the user
    message behind it is its result. Steps behind the end of the history are added to it.

    Raises:
        RecordError: There is no history and no step, or a message is unusable.
    """
    history, steps = native.get("history"), native.get("trajectory")
    steps = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    if not isinstance(history, list):
        if not steps:
            raise RecordError(QuarantineReason.MISSING_MESSAGES, "neither `history` nor `trajectory` is a list")
        warnings = () if history is None else (HISTORY_UNREADABLE,)
        history = []
    else:
        warnings = ()
    messages = list(_history(history))
    if not steps:
        return tuple(messages), warnings
    done = [_word(item.get("action")) for item in history if isinstance(item, dict) and _is_own_action(item)]
    told = [_word(step.get("action")) for step in steps]
    behind = _first_behind(done, told)
    if behind is None:
        return tuple(messages), (STEPS_DIFFER,)
    if done and messages[-1].role == "assistant" and messages[-1].calls:
        messages.extend(_observation(steps[behind - 1]))
    for step in steps[behind:]:
        messages.extend(_step(step))
    return tuple(messages), (*warnings, *((STEPS_DIFFER,) if told[: len(done)] != done else ()))


def _first_behind(done: list[str], told: list[str]) -> int | None:
    """Return the index of the first step behind those the history holds in order; None when they are not in order."""
    position = 0
    for action in done:
        try:
            position = told.index(action, position) + 1
        except ValueError:
            return None
    return position


def _is_own_action(item: dict[str, Any]) -> bool:
    return item.get("role") == "assistant" and not item.get("is_demo")


def _word(action: Any) -> str:
    return action.strip() if isinstance(action, str) else ""


def _history(history: list[Any]) -> Iterator[Message]:
    awaits_result = False
    for raw in history:
        if not isinstance(raw, dict):
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"a message is no object but {type(raw).__name__}")
        item = {name: raw[name] for name in _KEPT if name in raw}
        thinking = _thinking(raw.get("thinking_blocks"))
        if thinking:
            item["reasoning"] = thinking
        is_text_action = (
            raw.get("role") == "assistant" and not raw.get("tool_calls") and bool(_word(raw.get("action")))
        )
        thought = raw.get("thought")
        if is_text_action and isinstance(thought, str):
            item["content"] = thought
            if _says_more(raw.get("content"), thought, raw["action"]):
                item["written"] = raw["content"]
        elif thought and not isinstance(thought, str):
            item["thought"] = thought
        message = chat_message(item)
        if is_text_action:
            message = _with_call(message, raw["action"])
        elif awaits_result and message.role == "user" and not message.is_demo:
            message = _as_result(message)
        if message.role == "assistant" and not message.is_demo:
            message = replace(message, sampled=True)
        awaits_result = is_text_action
        yield message


def _says_more(content: Any, thought: str, action: str) -> bool:
    """Say whether a text-mode message has words beside its thought and, between fences, its action."""
    if not isinstance(content, str):
        return bool(content)
    for part in (thought.strip(), action.strip()):
        content = content.replace(part, "", 1)
    return _FENCES.sub("", content) != ""


def _thinking(blocks: Any) -> str:
    if not isinstance(blocks, list):
        return ""
    texts = [block.get("thinking") for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _with_call(message: Message, action: str) -> Message:
    return replace(message, calls=(_action_call(action),))


def _as_result(message: Message) -> Message:
    return replace(message, role="tool", role_raw="user")


def _action_call(action: str) -> MessageCall:
    command = action.strip("\n")
    first = command.split(None, 1)[0] if command.split() else ""
    return message_call(first if first in COMMANDS else "bash", {"command": command})


def _step(step: dict[str, Any]) -> Iterator[Message]:
    """Yield the messages of a step that the history does not hold."""
    thought = step.get("thought")
    action = step.get("action")
    calls = (_action_call(action),) if isinstance(action, str) and _word(action) else ()
    content = thought if isinstance(thought, str) else step.get("response")
    yield Message(
        "assistant",
        content if isinstance(content, str) else None,
        "text" if isinstance(content, str) else "missing",
        calls=calls,
        sampled=True,
    )
    yield from _observation(step)


def _observation(step: dict[str, Any]) -> Iterator[Message]:
    observation = step.get("observation")
    if observation is not None:
        yield Message("tool", observation if isinstance(observation, str) else canonical_text(observation))
