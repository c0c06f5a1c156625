"""The conversation of several model calls: every call repeats the history, so equal beginnings are one."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from schemas.records import Message
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.fields import as_count, as_datetime, as_number, as_text
from transforms.formats.message_graph import Graph, graph_of
from transforms.formats.otlp_messages import Exchange, exchange_of, has_unreadable_messages
from transforms.formats.otlp_spans import Span
from transforms.formats.rewards import MISSING

UNPLACED: Final = "tool_span_unplaced"
"""Warning: a tool's span answers no call of the conversation."""
NOT_CAPTURED: Final = "content_not_captured"
"""Warning: no model call carries messages; what is known comes from the spans of tools."""
UNREADABLE: Final = "messages_unreadable"
"""Warning: a span's messages are text that is no JSON; they are left out."""
NANOSECONDS: Final = 1e9
_COUNTS: Final = {
    "prompt_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "completion_tokens": (
        "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
    ),
    "cached_tokens": ("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"),
}  # fmt: skip


@dataclass
class _Builder:
    """The graph while it grows.

    `places` finds a message behind another one by what it says, `behind` those that stand behind one, `asked` the
    message that makes a call and `answered` those that answer it, both by the call's id.
    """

    messages: list[Message] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)
    places: dict[tuple[int | None, Any], int] = field(default_factory=dict)
    behind: dict[int | None, list[int]] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    answered: dict[str, list[int]] = field(default_factory=dict)

    def put(self, parent: int | None, message: Message) -> int:
        """Return the place of a message behind `parent`, a new one if nothing equal stands there."""
        key = (parent, _said(message))
        if key in self.places:
            return self.places[key]
        place = self.places[key] = len(self.messages)
        self.messages.append(message)
        self.parents.append(parent)
        self.behind.setdefault(parent, []).append(place)
        for call in message.calls:
            self.asked.setdefault(call.call_id or "", place)
        if message.role == "tool":
            self.answered.setdefault(message.tool_call_id or "", []).append(place)
        return place

    def end_of_results(self, asked_at: int) -> int | None:
        """Return the last result behind a message, if the conversation ends there."""
        end = asked_at
        while behind := self.behind.get(end):
            if len(behind) > 1 or self.messages[behind[0]].role != "tool":
                return None
            end = behind[0]
        return end


@dataclass(frozen=True)
class Talk:
    """The messages of a conversation as a graph, and what could not be placed in it."""

    messages: tuple[Message, ...]
    graph: Graph
    warnings: tuple[str, ...]


def talk_of(spans: list[Span]) -> Talk:
    """Return the graph of a conversation's spans, which come in the order of their start.

    Raises:
        RecordError: A message is of an unknown kind, or the branches unfold too far.
    """
    exchanges = [(span, exchange_of(span)) for span in spans if span.kind in {"chat", "other"}]
    told = [(span, exchange) for span, exchange in exchanges if exchange != Exchange()]
    if not told:
        told = [(span, found) for span in spans if span.kind == "agent" and (found := exchange_of(span)) != Exchange()]
    builder = _Builder()
    for span, exchange in told:
        _add_exchange(builder, span, exchange)
    warnings: tuple[str, ...] = () if told else (NOT_CAPTURED,)
    is_placed = [_add_tool(builder, span, is_alone=not told) for span in spans if span.kind == "tool"]
    warnings += () if all(is_placed) else (UNPLACED,)
    warnings += (UNREADABLE,) if any(has_unreadable_messages(span) for span in spans) else ()
    nodes = [{"parent": parent} for parent in builder.parents]
    return Talk(tuple(builder.messages), graph_of(nodes), warnings)


def _said(message: Message) -> tuple[Any, ...]:
    """Return what makes two messages the same one: a repetition may leave out the reasoning."""
    calls = tuple((call.name, call.arguments_json or call.arguments_raw, call.call_id) for call in message.calls)
    return message.role, message.content, message.parts_json, calls, message.tool_call_id


def _add_exchange(builder: _Builder, span: Span, exchange: Exchange) -> None:
    place: int | None = None
    for message in exchange.inputs:
        place = builder.put(place, _as_given(message))
    for message in exchange.outputs:
        at = builder.put(place, message)
        builder.messages[at] = _as_answer(builder.messages[at], message, span)


def _as_given(message: Message) -> Message:
    """Return a message of the input: an agent's message that no span gave was produced elsewhere."""
    if message.role == "tool":
        return message
    return replace(message, sampled=False, is_copied_context=message.role == "assistant")


def _as_answer(known: Message, answer: Message, span: Span) -> Message:
    """Return the answer of a model call with its usage; of equal answers to equal inputs the usage is added up."""
    counts: dict[str, Any] = {name: as_count(span.first(*names)) for name, names in _COUNTS.items()}
    counts["cost_usd"] = as_number(span.first("gen_ai.usage.cost", "llm.cost.total"))
    for name, value in counts.items():
        before = getattr(known, name)
        counts[name] = value if before is None else before if value is None else before + value
    return replace(
        known,
        reasoning=known.reasoning or answer.reasoning,
        sampled=True if known.role == "assistant" else known.sampled,
        is_copied_context=False,
        timestamp=as_datetime(span.end / NANOSECONDS),
        latency_s=(span.end - span.start) / NANOSECONDS if span.end >= span.start > 0 else None,
        **counts,
    )


def _add_tool(builder: _Builder, span: Span, *, is_alone: bool) -> bool:
    """Give a tool's span its place: the result it states, or the mark of its failure; say whether there is one.

    Without any captured message the span itself is the call.
    """
    call_id = as_text(span.first("gen_ai.tool.call.id", "tool_call.id", "tool.call.id"))
    name = as_text(span.first("gen_ai.tool.name", "tool.name", "tool_call.function.name")) or "tool"
    if is_alone:
        arguments = span.first("gen_ai.tool.call.arguments", "tool.parameters", "input.value")
        call = message_call(name, MISSING if arguments is None else arguments, call_id=call_id)
        last = len(builder.messages) - 1 if builder.messages else None
        asked = builder.put(last, Message("assistant", None, "missing", calls=(call,), sampled=True))
        builder.put(asked, _result(span, name, call_id))
        return True
    if call_id in builder.answered:
        if span.has_failed:
            for place in builder.answered[call_id]:
                builder.messages[place] = replace(builder.messages[place], is_error=True)
        return True
    if call_id not in builder.asked:
        return False
    end = builder.end_of_results(builder.asked[call_id])
    if end is None:
        return False
    builder.put(end, _result(span, name, call_id))
    return True


def _result(span: Span, name: str, call_id: str | None) -> Message:
    written = span.first("gen_ai.tool.call.result", "output.value")
    content = written if written is None or isinstance(written, str) else canonical_text(written)
    state = "null" if content is None else "text"
    is_error = True if span.has_failed else None
    return Message("tool", content, state, tool_call_id=call_id, tool_name=name, is_error=is_error)
