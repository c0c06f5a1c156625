"""OTLP exports of GenAI spans as a test writes them, in each of the conventions."""

import json
from collections.abc import Sequence
from typing import Any

import orjson

from schemas.records import Message

START = 1767323045_000000000


def typed(value: Any) -> dict[str, Any]:
    """Return a value with its OTLP type."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    return {"kvlistValue": {"values": attributes(value)}}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values that are not None as OTLP attributes."""
    return [{"key": name, "value": typed(value)} for name, value in values.items() if value is not None]


def span(number: int, values: dict[str, Any], *, trace: str = "t1", parent: str = "", **fields: Any) -> dict[str, Any]:
    """Return a span that starts `number` seconds after the first and takes half a second."""
    start = START + number * 1_000_000_000
    return {
        "traceId": trace,
        "spanId": f"s{number}",
        "parentSpanId": parent,
        "name": "call",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 500_000_000),
        "attributes": attributes(values),
        **fields,
    }


def event(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return an event of a span."""
    return {"name": name, "attributes": attributes(values)}


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    """Return an export request of spans."""
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def chat_spans(conversation: Sequence[Message], written: str) -> list[dict[str, Any]]:
    """Return a span for every message of the agent, each repeating what was said before, in one convention."""
    places = [place for place, message in enumerate(conversation) if message.role == "assistant"]
    return [WRITERS[written](number, conversation[:place], conversation[place]) for number, place in enumerate(places)]


def _current(number: int, before: Sequence[Message], answer: Message) -> dict[str, Any]:
    return span(
        number,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [_with_parts(message) for message in before],
            "gen_ai.output.messages": [{**_with_parts(answer), "finish_reason": "stop"}],
        },
    )


def _current_text(number: int, before: Sequence[Message], answer: Message) -> dict[str, Any]:
    return span(
        number,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([_with_parts(message) for message in before]),
            "gen_ai.output.messages": json.dumps([_with_parts(answer)]),
        },
    )


def _events(number: int, before: Sequence[Message], answer: Message) -> dict[str, Any]:
    told = [event(f"gen_ai.{message.role}.message", _as_body(message)) for message in before]
    choice = event("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": json.dumps(_as_body(answer))})
    return span(number, {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}, events=[*told, choice])


def _numbered(number: int, before: Sequence[Message], answer: Message) -> dict[str, Any]:
    values: dict[str, Any] = {"llm.request.type": "chat"}
    for prefix, messages in (("gen_ai.prompt", before), ("gen_ai.completion", [answer])):
        for place, message in enumerate(messages):
            head = f"{prefix}.{place}"
            values[f"{head}.role"], values[f"{head}.content"] = message.role, message.content
            values[f"{head}.tool_call_id"] = message.tool_call_id
            for index, call in enumerate(message.calls):
                values[f"{head}.tool_calls.{index}.id"] = call.call_id
                values[f"{head}.tool_calls.{index}.name"] = call.name
                values[f"{head}.tool_calls.{index}.arguments"] = call.arguments_json
    return span(number, values)


def _openinference(number: int, before: Sequence[Message], answer: Message) -> dict[str, Any]:
    values: dict[str, Any] = {"openinference.span.kind": "LLM"}
    for prefix, messages in (("llm.input_messages", before), ("llm.output_messages", [answer])):
        for place, message in enumerate(messages):
            head = f"{prefix}.{place}.message"
            values[f"{head}.role"], values[f"{head}.content"] = message.role, message.content
            values[f"{head}.tool_call_id"] = message.tool_call_id
            for index, call in enumerate(message.calls):
                values[f"{head}.tool_calls.{index}.tool_call.id"] = call.call_id
                values[f"{head}.tool_calls.{index}.tool_call.function.name"] = call.name
                values[f"{head}.tool_calls.{index}.tool_call.function.arguments"] = call.arguments_json
    return span(number, values)


def _with_parts(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        part = {"type": "tool_call_response", "id": message.tool_call_id, "response": message.content}
        return {"role": "tool", "parts": [part]}
    parts: list[dict[str, Any]] = []
    if message.content is not None:
        parts.append({"type": "text", "content": message.content})
    parts += [
        {
            "type": "tool_call",
            "id": call.call_id,
            "name": call.name,
            "arguments": orjson.loads(call.arguments_json or ""),
        }
        for call in message.calls
    ]
    return {"role": message.role, "parts": parts}


def _as_body(message: Message) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        body["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_json}}
            for call in message.calls
        ]
    if message.role == "tool":
        body["id"] = message.tool_call_id
    return body


WRITERS = {
    "current": _current,
    "current_text": _current_text,
    "events": _events,
    "numbered": _numbered,
    "openinference": _openinference,
}
