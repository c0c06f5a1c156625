"""OTLP JSON as spans: attributes decoded, exports of one span counted once, spans put together to conversations."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from transforms.formats.fields import as_integer, as_list, as_object, as_text

CONVERSATION: Final = ("gen_ai.conversation.id", "session.id")
_GROUPS: Final = ("scopeSpans", "instrumentationLibrarySpans")
_PREFIXES: Final = ("gen_ai.", "llm.", "openinference.", "traceloop.", "tool.")
_CHAT: Final = frozenset({"chat", "text_completion", "generate_content", "llm", "completion"})
_TOOL: Final = frozenset({"execute_tool", "tool"})
_AGENT: Final = frozenset({"invoke_agent", "create_agent", "agent", "chain", "workflow", "task", "invoke_workflow"})
_KINDS: Final = ("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "llm.request.type")
_MAX_ANCESTORS: Final = 100
_FAILED: Final = frozenset({2, "2", "STATUS_CODE_ERROR"})


@dataclass(frozen=True)
class Event:
    """An event of a span."""

    name: str
    attributes: dict[str, Any]


@dataclass(frozen=True)
class Span:
    """A span; `kind` is chat | tool | agent | other | foreign (nothing of a model in it), times are nanoseconds.

    `is_repeated` says that it was exported more than once; the first export counts.
    """

    trace_id: str
    span_id: str
    parent_id: str
    start: int
    end: int
    kind: str
    attributes: dict[str, Any]
    events: tuple[Event, ...]
    has_failed: bool
    status_message: str | None
    raw: dict[str, Any] = field(compare=False)
    is_repeated: bool = False

    def first(self, *names: str) -> Any:
        """Return the value of the first attribute that is there; None when none is."""
        return next((self.attributes[name] for name in names if self.attributes.get(name) is not None), None)


def spans_of(export: dict[str, Any]) -> list[Span]:
    """Return the spans of an export request; what is no span is left out."""
    found = []
    for resource in as_list(export.get("resourceSpans")):
        resource = as_object(resource)
        groups = as_list(resource.get("scopeSpans")) or as_list(resource.get("instrumentationLibrarySpans"))
        for group in groups:
            found += [_span(raw) for raw in as_list(as_object(group).get("spans")) if isinstance(raw, dict)]
    return found


def without_spans(export: dict[str, Any]) -> dict[str, Any]:
    """Return an export request as far as `spans_of` leaves it: resources, scopes and whatever else stands there."""
    return {
        **export,
        "resourceSpans": [
            {
                name: [_without(group, "spans") for group in as_list(value)] if name in _GROUPS else value
                for name, value in resource.items()
            }
            if isinstance(resource, dict)
            else resource
            for resource in as_list(export.get("resourceSpans"))
        ],
    }


def around_spans(export: dict[str, Any]) -> set[str]:
    """Return which of the two that stand around spans say something: `resource`, `scope`."""
    resources = [as_object(resource) for resource in as_list(export.get("resourceSpans"))]
    groups = [as_object(group) for resource in resources for name in _GROUPS for group in as_list(resource.get(name))]
    scopes = [group.get(name) for group in groups for name in ("scope", "instrumentationLibrary")]
    found = {"resource": [resource.get("resource") for resource in resources], "scope": scopes}
    return {name for name, values in found.items() if any(map(_says_something, values))}


def _says_something(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_says_something, value.values() if isinstance(value, dict) else value))
    return value is not None and value != ""


def _without(group: Any, name: str) -> Any:
    return {key: value for key, value in group.items() if key != name} if isinstance(group, dict) else group


def _span(raw: dict[str, Any]) -> Span:
    attributes = attributes_of(raw.get("attributes"))
    events = tuple(
        Event(as_text(event.get("name")) or "", attributes_of(event.get("attributes")))
        for event in map(as_object, as_list(raw.get("events")))
    )
    status = as_object(raw.get("status"))
    code = status.get("code")
    return Span(
        trace_id=as_text(raw.get("traceId")) or "",
        span_id=as_text(raw.get("spanId")) or "",
        parent_id=as_text(raw.get("parentSpanId")) or "",
        start=as_integer(raw.get("startTimeUnixNano")) or 0,
        end=as_integer(raw.get("endTimeUnixNano")) or 0,
        kind=_kind(attributes, events),
        attributes=attributes,
        events=events,
        has_failed=(isinstance(code, int | str) and code in _FAILED) or attributes.get("error.type") is not None,
        status_message=as_text(status.get("message")),
        raw=raw,
    )


def _kind(attributes: dict[str, Any], events: tuple[Event, ...]) -> str:
    words = [as_text(attributes.get(name)) for name in _KINDS]
    word = next((word.lower() for word in words if word), "")
    for kind, known in (("chat", _CHAT), ("tool", _TOOL), ("agent", _AGENT)):
        if word in known:
            return kind
    is_foreign = not any(name.startswith(_PREFIXES) for name in attributes)
    return "foreign" if is_foreign and not any(event.name.startswith("gen_ai.") for event in events) else "other"


def attributes_of(raw: Any) -> dict[str, Any]:
    """Return a list of keys and typed values as an object."""
    pairs = [as_object(pair) for pair in as_list(raw)]
    return {pair["key"]: _value(pair.get("value")) for pair in pairs if isinstance(pair.get("key"), str)}


def _value(raw: Any) -> Any:
    typed = as_object(raw)
    if "kvlistValue" in typed:
        return attributes_of(as_object(typed["kvlistValue"]).get("values"))
    if "arrayValue" in typed:
        return [_value(item) for item in as_list(as_object(typed["arrayValue"]).get("values"))]
    if "intValue" in typed:
        return as_integer(typed["intValue"])
    plain = ("stringValue", "boolValue", "doubleValue", "bytesValue")
    return next((typed[name] for name in plain if name in typed), None)


def conversations_of(spans: Iterable[Span]) -> dict[str, list[Span]]:
    """Return the spans of each conversation in the order of their start, each span once.

    The conversation is the one a span names, else the one its nearest ancestor names, else the only one of its trace,
    else the trace.
    """
    known: dict[tuple[str, str], Span] = {}
    for number, span in enumerate(spans):
        key = (span.trace_id, span.span_id or f"unnamed {number}")
        known[key] = replace(known[key], is_repeated=True) if key in known else span
    named: dict[str, set[str]] = {}
    for span in known.values():
        if conversation := as_text(span.first(*CONVERSATION)):
            named.setdefault(span.trace_id, set()).add(conversation)
    groups: dict[str, list[Span]] = {}
    for span in known.values():
        of_trace = named.get(span.trace_id, set())
        fallback = next(iter(of_trace)) if len(of_trace) == 1 else span.trace_id
        groups.setdefault(_named_above(span, known) or fallback, []).append(span)
    for group in groups.values():
        group.sort(key=lambda span: (span.start, span.end, span.span_id))
    return groups


def _named_above(span: Span, known: dict[tuple[str, str], Span]) -> str | None:
    above: Span | None = span
    for _ in range(_MAX_ANCESTORS):
        if above is None:
            return None
        if conversation := as_text(above.first(*CONVERSATION)):
            return conversation
        above = known.get((above.trace_id, above.parent_id))
    return None
