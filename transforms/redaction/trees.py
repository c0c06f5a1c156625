"""Settings and other trees of plain values, redacted text by text."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from transforms.redaction.engine import Redactor


def redact_tree(tree: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return a tree of mappings, lists and scalars with the secrets in its texts replaced, keys included.

    Placeholders are numbered within each text, save that keys that would become one are told apart by a number.
    """
    redacted: dict[str, Any] = _redacted(tree, redactor)
    return redacted


def _redacted(node: Any, redactor: Redactor) -> Any:
    if isinstance(node, str):
        return redactor.redact_text(node)
    if isinstance(node, Mapping):
        told: dict[str, Any] = {}
        seen: Counter[str] = Counter()
        for key, value in node.items():
            name = redactor.redact_text(str(key))
            seen[name] += 1
            told[name if seen[name] == 1 else f"{name}~{seen[name]}"] = _redacted(value, redactor)
        return told
    if isinstance(node, list | tuple):
        return [_redacted(item, redactor) for item in node]
    return node
