"""Turns of a Claude Code session as messages: blocks of the Anthropic API as text, reasoning, calls and results."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import Message, MessageCall
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.claude_code_turns import Line, Turn, blocks_of, is_boundary, is_queued_message, speaks
from transforms.formats.fields import as_count, as_datetime, as_object, as_text
from transforms.formats.losses import untaken
from transforms.formats.responses_conversation import Usage
from transforms.formats.rewards import MISSING
from transforms.formats.sessions import UNKNOWN_LINE
from transforms.formats.text_parts import text_or_parts
from transforms.reading.failures import RecordError

SYNTHETIC: Final = "<synthetic>"
"""The model named by messages that the harness wrote itself, such as errors of the provider."""
SUMMARY: Final = "compact_summary"
_FLAGS: Final = ("isMeta", "isApiErrorMessage")
KNOWN_LINES: Final = frozenset(
    {
        "system", "attachment", "summary", "progress", "file-history-snapshot", "queue-operation", "custom-title",
        "ai-title", "last-prompt", "mode", "permission-mode", "tag", "agent-name", "agent-setting", "pr-link",
    }
)  # fmt: skip
"""Types of lines that the harness writes for itself."""
_OF_LINE: Final = frozenset(
    {
        "type", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "version", "cwd", "gitBranch", "timestamp",
        "isSidechain", "message", "agentId", "isCompactSummary", "attachment", "compactMetadata", "subtype", *_FLAGS,
    }
)  # fmt: skip
_OF_MESSAGE: Final = frozenset({"id", "role", "type", "model", "content", "usage", "stop_reason"})
_OF_USAGE: Final = frozenset(
    {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}
)
_OF_CALL: Final = frozenset({"type", "id", "name", "input"})
_OF_RESULT: Final = frozenset({"type", "tool_use_id", "content", "is_error"})
_EXIT_CODE: Final = re.compile(r"(?:Error: )?Exit code (\d{1,3})\b")


def turn_messages(turn: Turn, *, is_copied: bool) -> list[Message]:
    """Return a turn's messages: what was said, then the results of its calls.

    Args:
        turn: The turn.
        is_copied: Whether another branch already gave it.

    Raises:
        RecordError: A line's message is unusable.
    """
    is_response = turn.lines[0].get("type") == "assistant"
    messages = _response(turn) if is_response else _user(turn.lines[0])
    messages += [message for line in turn.behind for message in _user(line)]
    if not is_copied:
        return messages
    return [_copied(message) for message in messages]


def _copied(message: Message) -> Message:
    """Return a message as context: its cost was paid where it was said."""
    sampled = False if message.role == "assistant" else None
    costs: dict[str, Any] = {"prompt_tokens": None, "completion_tokens": None, "cached_tokens": None}
    return replace(message, is_copied_context=True, sampled=sampled, **costs)


def is_written_by_harness(line: Line) -> bool:
    """Say whether no model wrote a line of the assistant."""
    return line.get("isApiErrorMessage") is True or as_object(line.get("message")).get("model") == SYNTHETIC


def _response(turn: Turn) -> list[Message]:
    first = turn.lines[0]
    blocks = [block for line in turn.lines for block in _checked(line) if isinstance(block, dict)]
    calls = [block for block in blocks if _is_call(block)]
    results = [block for block in blocks if _is_result(block)]
    thoughts = [block["thinking"] for block in blocks if isinstance(block.get("thinking"), str)]
    content = text_or_parts(
        [block for block in blocks if not (_is_call(block) or _is_result(block) or _thinks(block))]
    )
    usage = Usage() if turn.is_repeated else _usage(turn.lines)
    extra = {name: True for name in _FLAGS if first.get(name) is True}
    said = {f"call_{index}": rest for index, block in enumerate(calls) if (rest := _rest(block, _OF_CALL))}
    message = Message(
        "assistant",
        content.text,
        content.state,
        parts_json=content.parts_json,
        reasoning="\n".join(thoughts) or None,
        calls=tuple(_call(block) for block in calls),
        timestamp=as_datetime(first.get("timestamp")),
        sampled=not is_written_by_harness(first),
        extra_json=canonical_text(extra | said) if extra or said else None,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
    )
    return [message, *(_result(block, first) for block in results)]


def _usage(lines: list[Line]) -> Usage:
    """Return the token columns of a response; its last line with a usage has the final one."""
    stated = [as_object(as_object(line.get("message")).get("usage")) for line in lines]
    usage: dict[str, Any] = next((each for each in reversed(stated) if each), {})
    cached = as_count(usage.get("cache_read_input_tokens"))
    parts = (as_count(usage.get("input_tokens")), cached, as_count(usage.get("cache_creation_input_tokens")))
    prompt = None if parts[0] is None else sum(part or 0 for part in parts)
    return Usage(prompt, as_count(usage.get("output_tokens")), cached)


def _user(line: Line) -> list[Message]:
    """Return the messages of a user's line: results of calls, and what else it says."""
    if is_queued_message(line):
        prompt = line["attachment"]["prompt"]
        return [_said(line, prompt, role_raw="queued_command")]
    blocks = [as_object(block) for block in _checked(line)]
    messages = [_result(block, line) for block in blocks if _is_result(block)]
    content = as_object(line.get("message")).get("content", MISSING)
    if not messages:
        return [_said(line, content, role_raw=SUMMARY if line.get("isCompactSummary") is True else None)]
    rest = [block for block in content if not _is_result(as_object(block))]
    return [*messages, _said(line, rest, role_raw=None)] if rest else messages


def _said(line: Line, content: Any, *, role_raw: str | None) -> Message:
    found = text_or_parts(content)
    extra = {name: True for name in _FLAGS if line.get(name) is True}
    return Message(
        "user",
        found.text,
        found.state,
        role_raw=role_raw,
        parts_json=found.parts_json,
        timestamp=as_datetime(line.get("timestamp")),
        extra_json=canonical_text(extra) if extra else None,
    )


def _checked(line: Line) -> list[Any]:
    """Return the blocks of a line.

    Raises:
        RecordError: The line has no message, or its content is neither text nor a list.
    """
    message = line.get("message")
    if not isinstance(message, dict):
        place = line.get("uuid")
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"line {place} of type {line['type']} holds no message")
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        kind = type(content).__name__
        raise RecordError(QuarantineReason.INVALID_MESSAGE, f"content is neither text nor blocks but {kind}")
    return blocks_of(line)


def _is_call(block: dict[str, Any]) -> bool:
    """Say whether a block is a call: of a tool, or of one that the provider runs (`server_tool_use`)."""
    return isinstance(block.get("type"), str) and block["type"].endswith("tool_use")


def _is_result(block: dict[str, Any]) -> bool:
    return isinstance(block.get("type"), str) and block["type"].endswith("tool_result")


def _thinks(block: dict[str, Any]) -> bool:
    return block.get("type") in ("thinking", "redacted_thinking")


def _call(block: dict[str, Any]) -> MessageCall:
    name = as_text(block.get("name"))
    if name is None:
        raise RecordError(QuarantineReason.INVALID_MESSAGE, "a call names no tool")
    return message_call(name, block.get("input", MISSING), call_id=as_text(block.get("id")))


def _result(block: dict[str, Any], line: Line) -> Message:
    content = text_or_parts(block.get("content", MISSING))
    is_error = block.get("is_error") if isinstance(block.get("is_error"), bool) else None
    code = _EXIT_CODE.match(content.text or "") if is_error else None
    rest = _rest(block, _OF_RESULT if isinstance(block.get("is_error"), bool) else _OF_RESULT - {"is_error"})
    return Message(
        "tool",
        content.text,
        content.state,
        role_raw=block["type"] if block["type"] != "tool_result" else None,
        parts_json=content.parts_json,
        tool_call_id=as_text(block.get("tool_use_id")),
        is_error=is_error,
        exit_code=int(code.group(1)) if code else None,
        timestamp=as_datetime(line.get("timestamp")),
        extra_json=canonical_text(rest) if rest else None,
    )


def _rest(block: dict[str, Any], taken: frozenset[str]) -> dict[str, Any]:
    return {name: block[name] for name in untaken(block, taken)}


def line_losses(lines: Iterable[Line]) -> tuple[set[str], set[str]]:
    """Return the names of what no message carries, and the warnings about lines of unknown types."""
    lost: set[str] = set()
    warnings: set[str] = set()
    for line in lines:
        kind = str(line.get("type"))
        if not speaks(line):
            if kind == "attachment":
                lost.add(f"attachment[{as_object(line.get('attachment')).get('type')}]")
            elif not is_boundary(line):
                lost.add(f"lines[system/{line.get('subtype')}]" if kind == "system" else f"lines[{kind}]")
            if kind not in KNOWN_LINES:
                warnings.add(f"{UNKNOWN_LINE}:{kind}")
            continue
        message = as_object(line.get("message"))
        lost |= untaken(line, _OF_LINE, prefix=f"{kind}.") | untaken(message, _OF_MESSAGE, prefix="message.")
        lost |= untaken(as_object(message.get("usage")), _OF_USAGE, prefix="usage.")
        blocks = blocks_of(line)
        lost |= {f"content[{type(block).__name__}]" for block in blocks if not isinstance(block, dict | None)}
        for block in map(as_object, blocks):
            if block.get("type") == "redacted_thinking":
                lost.add("content[redacted_thinking]")
            elif block.get("type") == "thinking":
                taken = {"type", "thinking"} if isinstance(block.get("thinking"), str) else {"type"}
                lost |= untaken(block, taken, prefix="thinking.")
    return lost, warnings
