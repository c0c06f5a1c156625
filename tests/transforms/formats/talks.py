"""Random conversations in canonical form, which tests write in a native format and read back."""

import io
import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from schemas.records import BadRecord, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import message_call
from transforms.formats.registry import adapter_named

texts = st.text(max_size=12)
words = st.text("abcdefgh", min_size=1, max_size=6)
arguments = st.dictionaries(words, st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts, max_size=3)


@st.composite
def talks(draw, *, max_calls: int = 3, has_reasoning: bool = True, has_system: bool = True, sampled: bool = True):
    """Draw messages: a system prompt, the task, then turns of the agent with calls and results, and of the user."""
    messages = [Message("system", draw(texts))] if has_system and draw(st.booleans()) else []
    messages.append(Message("user", draw(texts)))
    for number in range(draw(st.integers(0, 4))):
        calls = tuple(
            message_call(draw(words), draw(arguments), call_id=f"c{number}-{index}")
            for index in range(draw(st.integers(0, max_calls)))
        )
        reasoning = draw(st.none() | words) if has_reasoning else None
        messages.append(
            Message("assistant", draw(texts), reasoning=reasoning, calls=calls, sampled=True if sampled else None)
        )
        for call in calls:
            if draw(st.booleans()):
                messages.append(Message("tool", draw(texts), tool_call_id=call.call_id, tool_name=call.name))
        if draw(st.booleans()):
            messages.append(Message("user", draw(words)))
    return messages


def read_files(adapter: str, files: Mapping[str, Any], **facts: str) -> list[Rollout | BadRecord]:
    """Read the first file with an adapter; the others lie beside it."""
    content = {uri: value if isinstance(value, bytes) else json.dumps(value).encode() for uri, value in files.items()}
    uri, *beside = content
    size, stated = len(content[uri]), tuple(sorted(facts.items()))
    unit = SourceUnit("k", uri, adapter, "1", size, "ab", sidecars=tuple(beside), path_facts=stated)
    return list(adapter_named(adapter).read(unit, lambda name: io.BytesIO(content[name]), IngestSettings()))
