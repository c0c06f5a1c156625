"""Contents that are written as a list of one text part, read as the text they are."""

from typing import Any, Final

from transforms.formats.chat_messages import Content, message_content
from transforms.formats.losses import untaken

_TEXT_TYPES: Final = frozenset({"text", "output_text", "input_text"})
_PLAIN_FIELDS: Final = frozenset({"type", "text", "cache_prompt", "enable_truncation"})


def text_or_parts(raw: Any) -> Content:
    """Return a content; one text part that says nothing beside its text becomes plain text, no part null.

    Raises:
        RecordError: The content is of an unknown kind.
    """
    if raw == []:
        return Content(None, "null")
    part = raw[0] if isinstance(raw, list) and len(raw) == 1 else raw
    if not isinstance(part, dict) or not isinstance(part.get("text"), str) or not isinstance(part.get("type"), str):
        return message_content(raw)
    is_plain = part["type"] in _TEXT_TYPES and not untaken(part, _PLAIN_FIELDS)
    return Content(part["text"], "text") if is_plain else message_content(raw)
