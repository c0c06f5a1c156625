"""Values that stand for a place or a kind: the order of messages, a branch or the call beside them tells them."""

import re
from typing import Any, Final

_LINKS: Final = frozenset(
    {
        "uuid", "parentUuid", "logicalParentUuid", "leafUuid", "traceId", "spanId", "parentSpanId", "action_id",
        "llm_response_id", "parent_id",
    }
)  # fmt: skip
"""Names under which a part of a record calls itself or the part it follows, answers or belongs to."""
_OWN_IDS: Final = ("lines[].message.id", ".model_response.id", "events[].id", "history[].id", "history[].cause")
"""Where a part of a record has its id under a common name."""
_CLASSES: Final = (".action.kind", ".observation.kind")
"""Where a class of the harness names the tool that the call names too."""
_WORDS: Final = ("history[].action", "history[].observation")
"""Where an event of the first OpenHands says which tool acts: the call is named after it."""
_VERSIONS: Final = frozenset({"schema_version"})
_NAMES: Final = _LINKS | _VERSIONS | {"id", "cause", "kind", "action", "observation"}
_ID: Final = re.compile(r"[A-Za-z]{1,3}|[0-9a-f]{16}|[0-9a-f]{32}|(?=\D*\d)[\w.:-]{1,80}", re.ASCII)
"""An id: one token with a digit in it, of the digits of a span, or of so few letters that it is no word."""
_CLASS: Final = re.compile(r"[A-Z][A-Za-z]{0,60}")
_VERSION: Final = re.compile(r"(?:ATIF-v?)?1\.\d{1,3}(?:\.\d{1,3})?")
"""The first major version, which is the one that the readings of versioned formats know."""
_EVENT_WORDS: Final = frozenset(
    {
        "browse", "browse_interactive", "call_tool_mcp", "delegate", "edit", "error", "finish", "mcp", "message",
        "read", "reject", "run", "run_ipython", "system", "task_tracking", "think", "user_rejected", "write",
    }
)  # fmt: skip


def is_told_by_place(path: str, name: str, value: Any) -> bool:
    """Say whether a value is an id that joins parts of a record, or a word for what its message or call shows.

    Args:
        path: Where it stands, `[]` for any item of a list.
        name: The last part of the path, or the name of the list it stands in.
        value: A text or a number.
    """
    if name not in _NAMES:
        return False
    if name in _LINKS or path.endswith(_OWN_IDS):
        return isinstance(value, int) or (isinstance(value, str) and _ID.fullmatch(value) is not None)
    if not isinstance(value, str):
        return False
    if name == "kind":
        return path.endswith(_CLASSES) and _CLASS.fullmatch(value) is not None
    if name in _VERSIONS:
        return _VERSION.fullmatch(value) is not None
    return value in _EVENT_WORDS and path.endswith(_WORDS)
