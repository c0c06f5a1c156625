"""Pictures and other files that lie in messages as base64: told by type, size and hash instead of their bytes."""

import binascii
import hashlib
import re
from dataclasses import replace
from typing import Any, Final

import orjson

from schemas.records import Message, Rollout
from transforms.formats.arguments import canonical_text

SUMMARISED: Final = "inline_files_summarised"
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+=-]+)*;base64,([A-Za-z0-9+/_=-]+)")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]+=*")
_MIN_CHARS: Final = 256
"""Shorter ones are tracking pixels and examples, and cost nothing."""


def summarise_inline_files(rollout: Rollout) -> Rollout:
    """Return the rollout with a `data:<type>;bytes=…;sha256=…` in place of every inline file of its messages."""
    messages = tuple(map(_summarised, rollout.messages))
    if messages == rollout.messages:
        return rollout
    return replace(rollout, messages=messages, parse_warnings=(*rollout.parse_warnings, SUMMARISED))


def without_inline_files(text: str) -> str:
    """Return a text with every inline file in it summarised."""
    return _DATA_URL.sub(_summary_of_match, text) if ";base64," in text else text


def _summarised(message: Message) -> Message:
    content = message.content and without_inline_files(message.content)
    parts_json = message.parts_json
    if parts_json is not None and len(parts_json) >= _MIN_CHARS:
        parts_json = canonical_text(_rewritten(orjson.loads(parts_json)))
    if (content, parts_json) == (message.content, message.parts_json):
        return message
    return replace(message, content=content, parts_json=parts_json)


def _rewritten(node: Any) -> Any:
    if isinstance(node, str):
        return without_inline_files(node)
    if isinstance(node, list):
        return [_rewritten(item) for item in node]
    if not isinstance(node, dict):
        return node
    rewritten = {name: _rewritten(value) for name, value in node.items()}
    bare = node.get("data")
    if isinstance(bare, str) and len(bare) >= _MIN_CHARS and _BASE64.fullmatch(bare):
        kind = node.get("media_type", node.get("mime_type", node.get("format")))
        rewritten["data"] = _summary(kind if isinstance(kind, str) else "", bare)
    return rewritten


def _summary_of_match(match: re.Match[str]) -> str:
    kind, packed = match.groups()
    return match.group() if len(packed) < _MIN_CHARS else _summary(kind or "", packed)


def _summary(kind: str, packed: str) -> str:
    try:
        raw = binascii.a2b_base64(packed.translate({45: 43, 95: 47}))
    except binascii.Error:
        raw = packed.encode()
    return f"data:{kind};bytes={len(raw)};sha256={hashlib.sha256(raw).hexdigest()}"
