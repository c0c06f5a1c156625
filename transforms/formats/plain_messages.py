"""The few shapes that nearly every chat message has, read in a fraction of the time that any shape takes.

Only what is stated in full and as the format has it is read here: a text or null with or without calls, and a result
with the id it answers. Whatever else a message says, or says otherwise, is left to `chat_messages`, which reads these
shapes too, and to the same.
"""

from typing import Any

from schemas.records import Message, MessageCall
from transforms.formats.arguments import call_of_text


def plain_message(raw: dict[str, Any], *, is_after_agent: bool) -> Message | None:
    """Return a message of a plain shape; None for any other.

    Keys are not compared: as many fields as were looked at and found are all that there are.

    Args:
        raw: The native message.
        is_after_agent: Whether it follows a message of the agent; a user's text may then be a tool's output.
    """
    role, content = raw.get("role"), raw.get("content")
    if type(content) is str:
        state = "text"
    elif content is None and "content" in raw:
        state = "null"
    else:
        return None
    size = len(raw)
    if role == "assistant":
        if size == 2:
            return Message("assistant", content, state)
        calls = _plain_calls(raw.get("tool_calls")) if size == 3 else None
        return None if calls is None else Message("assistant", content, state, None, None, None, calls)
    if role == "tool":
        call_id, name = raw.get("tool_call_id"), raw.get("name")
        if type(call_id) is not str or not (size == 3 or (size == 4 and type(name) is str)):
            return None
        tool_name = name.strip() or None if name else None
        return Message("tool", content, state, None, None, None, (), call_id.strip() or None, tool_name)
    if size == 2 and (role == "system" or (role == "user" and not is_after_agent)):
        return Message(role, content, state)
    return None


def _plain_calls(raw: Any) -> tuple[MessageCall, ...] | None:
    """Return calls of which each states a type, an id, a name and a text of arguments, and no more."""
    if type(raw) is not list:
        return None
    calls = []
    for call in raw:
        if type(call) is not dict or len(call) != 3 or call.get("type") != "function":
            return None
        call_id, function = call.get("id"), call.get("function")
        if type(call_id) is not str or type(function) is not dict or len(function) != 2:
            return None
        name, arguments = function.get("name"), function.get("arguments")
        if type(name) is not str or type(arguments) is not str or not (name := name.strip()):
            return None
        calls.append(call_of_text(name, arguments, call_id=call_id.strip() or None))
    return tuple(calls)
