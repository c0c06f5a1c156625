"""Valid records of the trace formats, altered anywhere: each ends as rows or as a bad record that says why."""

import copy
import io
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats import (
    test_claude_code,
    test_codex,
    test_inspect_eval,
    test_otlp,
    test_skyrl,
    test_tau2,
    test_verifiers,
    test_verifiers_traces,
    test_verl,
)
from tests.transforms.formats.otlp_exports import WRITERS, chat_spans, export
from tests.transforms.formats.table_rows import rows_of
from transforms.formats.assembly import assemble
from transforms.formats.registry import adapter_named
from transforms.formats.steps import messages_of, steps_of

NATIVES = {
    "claude_code": test_claude_code.SESSION + test_claude_code.AGENT,
    "codex": test_codex.SESSION + test_codex.compacted({"message": "m", "replacement_history": test_codex.BARE}),
    "tau2": test_tau2.whole(test_tau2.SIMULATION),
    "inspect": test_inspect_eval.log(test_inspect_eval.SAMPLE),
    "verifiers": test_verifiers.ROW,
    "verifiers_traces": test_verifiers_traces.episode(
        {**test_verifiers_traces.TRACE, "nodes": test_verifiers_traces.NODES}
    ),
    "verl": test_verl.ROW,
    "skyrl": test_skyrl.ROW,
    "otlp": export(*test_otlp.current_spans(), *(one for name in WRITERS for one in chat_spans(test_otlp.TALK, name))),
}
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)


def places_in(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places_in(item, (*path, key))


@st.composite
def altered(draw, native):
    native = copy.deepcopy(native)
    for _ in range(draw(st.integers(1, 3))):
        places = list(places_in(native))
        if not places:
            break
        *path, last = draw(st.sampled_from(places))
        holder = native
        for key in path:
            holder = holder[key]
        if draw(st.integers(0, 3)):
            holder[last] = draw(anything)
        elif isinstance(holder, dict):
            del holder[last]
        else:
            holder.append(copy.deepcopy(holder[last]))
    return native


@pytest.mark.parametrize("name", sorted(NATIVES))
@settings(max_examples=150)
@given(draw=st.data())
def test_altered_records_end_as_rows_or_bad_records(name, draw):
    raw = json.dumps(draw.draw(altered(NATIVES[name]))).encode()
    unit = SourceUnit("k", "run/a.json", name, "1", len(raw), "ab")
    for item in adapter_named(name).read(unit, lambda uri: io.BytesIO(raw), IngestSettings()):
        if isinstance(item, BadRecord):
            assert not re.match(r"\w+Error: ", item.message)
            continue
        trajectory = assemble(item, "t", secrets_redacted={})
        rows_of(trajectory, unit)
        rebuilt = messages_of(trajectory.steps)
        assert messages_of(steps_of(rebuilt)) == rebuilt
