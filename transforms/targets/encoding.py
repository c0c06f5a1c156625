"""How a conversation lies in a Parquet file so that every trainer reads what the model saw.

Tool calls and tool schemas are JSON text inside a closed Arrow schema: a struct column would fill every call with the
keys of all the others. The dataset card turns the text back into objects when `datasets` loads it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson
import pyarrow as pa

from schemas.records import MessageCall
from transforms.targets.contract import EncodedMessage

MESSAGE_TYPE: Final = pa.struct(
    [
        pa.field("role", pa.string()),
        pa.field("content", pa.string()),
        pa.field("tool_calls", pa.list_(pa.string())),
        pa.field("tool_call_id", pa.string()),
        pa.field("name", pa.string()),
    ]
)
MESSAGES_TYPE: Final = pa.list_(MESSAGE_TYPE)
TOOLS_TYPE: Final = pa.list_(pa.string())
JSON_LISTS: Final = frozenset({"tool_calls", "tools"})
"""Names of the lists whose elements are JSON text."""


def encode_message(
    role: str,
    content: str | None,
    *,
    calls: Sequence[MessageCall] = (),
    tool_call_id: str | None = None,
    name: str | None = None,
) -> EncodedMessage:
    """Return a message in the exported form.

    Content is never null, as templates concatenate it; `tool_calls` is null where there is none, as an empty list
    breaks some templates.

    Raises:
        ValueError: A call's arguments are no JSON object, or a call has no name.
    """
    return {
        "role": role,
        "content": content or "",
        "tool_calls": [encode_call(call) for call in calls] or None,
        "tool_call_id": tool_call_id,
        "name": name,
    }


def encode_call(call: MessageCall) -> str:
    """Return a call as JSON text; its arguments are an object, and no key is there without a value.

    Raises:
        ValueError: The arguments are no JSON object, or the call has no name.
    """
    if not call.name:
        raise ValueError("a tool call has no name")
    if call.arguments_json is None and call.arguments_state not in {"missing", "null"}:
        raise ValueError(f"the arguments of a call of {call.name!r} are no JSON object")
    arguments = orjson.loads(call.arguments_json) if call.arguments_json else {}
    if not isinstance(arguments, dict):
        raise ValueError(f"the arguments of a call of {call.name!r} are no JSON object")
    identity = {} if call.call_id is None else {"id": call.call_id}
    native = identity | {"type": "function", "function": {"name": call.name, "arguments": arguments}}
    return orjson.dumps(native).decode()


def encode_tools(tools_json: str | None) -> list[str] | None:
    """Return a rollout's tool schemas as one JSON text each in the OpenAI form; None when it states none.

    Schemas that name themselves beside their parameters (`parameters` or `input_schema`) are put under `function`.
    """
    listed = orjson.loads(tools_json) if tools_json else None
    if not isinstance(listed, list):
        return None
    return [orjson.dumps(_tool(tool)).decode() for tool in listed if isinstance(tool, dict)] or None


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if "function" in tool or "name" not in tool:
        return tool
    function = {key: value for key, value in tool.items() if key not in {"input_schema", "type"}}
    if "input_schema" in tool:
        function["parameters"] = tool["input_schema"]
    return {"type": "function", "function": function}


def decode_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the native form of an encoded message: calls as objects, absent keys absent."""
    native = {key: value for key, value in message.items() if value is not None}
    if "tool_calls" in native:
        native["tool_calls"] = [orjson.loads(call) for call in native["tool_calls"]]
    return native


def message_hash(message: EncodedMessage) -> int:
    """Return a signed 64-bit hash of a message; equal messages have equal hashes."""
    digest = hashlib.sha256(orjson.dumps(message, option=orjson.OPT_SORT_KEYS)).digest()
    return int.from_bytes(digest[:8], signed=True)
