"""Lines of Claude Code sessions, and what is read of them."""

import json

from tests.transforms.formats.talks import read_files


def line(kind, uuid, parent, **fields):
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", **fields}


def user(uuid, parent, content, **fields):
    return line("user", uuid, parent, message={"role": "user", "content": content}, **fields)


def said(uuid, parent, response, *blocks, **fields):
    message = {"id": response, "type": "message", "role": "assistant", "model": "m1", "content": list(blocks)}
    own = {name: fields.pop(name) for name in ("usage", "stop_reason", "model") if name in fields}
    return line("assistant", uuid, parent, message=message | own, **fields)


def text(words):
    return {"type": "text", "text": words}


def call(call_id, **arguments):
    return {"type": "tool_use", "id": call_id, "name": "Bash", "input": arguments}


def result(call_id, content, **fields):
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def as_lines(*lines):
    return "".join(json.dumps(each) + "\n" for each in lines).encode()


def run(*lines, **beside):
    """Read lines as a session; files beside it are named by their last part."""
    files = {f"s1/subagents/{name}": content for name, content in beside.items()}
    return read_files("claude_code", {"s1.jsonl": as_lines(*lines)} | files)


def told(rollout):
    """Return who says what in a rollout, and whether it is a copy."""
    return [
        (message.role, message.content if not message.calls else [each.call_id for each in message.calls],
         message.is_copied_context)
        for message in rollout.messages
    ]  # fmt: skip


AGENT = [
    user("v1", None, "explore", isSidechain=True, agentId="x7"),
    said("v2", "v1", "m_8", text("Seen."), isSidechain=True, agentId="x7", usage={"output_tokens": 4}),
]
