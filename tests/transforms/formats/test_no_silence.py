"""Nothing of a record is left out in silence: a mark anywhere stands in a column, is named, or is set aside."""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from schemas.records import BadRecord, SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.faults.samples import lines, sample_files
from tests.transforms.formats.markers import MARK, names_place, places_in, planted, shown
from transforms.formats.assembly import assemble
from transforms.formats.registry import CLAIMING, adapter_named, detect
from transforms.reading.failures import UnreadableError
from transforms.reading.outline import outline_of

SETTINGS = IngestSettings()
BESIDE = {
    "runs/m__d__x/o__r-1/o__r-1.traj": ("runs/m__d__x/o__r-1/report.json",),
    "harbor/t__x/result.json": ("harbor/t__x/agent/trajectory.json",),
}
"""Files that are read with another one."""
FILES = {
    uri: content
    for uri, content in sample_files().items()
    if uri.endswith((".json", ".jsonl", ".traj")) and not uri.startswith("packed/")
}
MAIN = sorted(FILES.keys() - {uri for beside in BESIDE.values() for uri in beside})
EXCEPTIONS = {
    ("runs/m__d__x/o__r-1/report.json", (), "unknown"): "a report's entry of another instance is no part of this run",
    ("runs/m__d__x/o__r-1/report.json", ("o__r-1",), "rename"): "as above: the entry is another instance's then",
    ("runs/m__d__x/o__r-1/report.json", ("o__r-1", "resolved"), "rename"): "an entry without a verdict is none",
    ("tau2/results.json", ("tasks", 0, "id"), "*"): "a task under another id is another task's",
}
"""Marks that nothing tells of, and why: by file, path and kind."""


class Said(NamedTuple):
    """What reading made of a file: texts of all columns, losses and warnings, how many records of each sort."""

    texts: list[str]
    losses: list[str]
    num_rollouts: int
    num_bad: int


def read(uri: str, files: Mapping[str, bytes], adapter: str) -> Said:
    reader, content = adapter_named(adapter), files[uri]
    facts = tuple(sorted(reader.path_facts(uri)))
    beside = BESIDE.get(uri, ())
    unit = SourceUnit("u", uri, adapter, "1", len(content), "ab", sidecars=beside, path_facts=facts)
    said = Said([], [], 0, 0)
    try:
        for item in reader.read(unit, lambda name: io.BytesIO(files[name]), SETTINGS):
            if isinstance(item, BadRecord):
                said = said._replace(num_bad=said.num_bad + 1)
                continue
            trajectory = assemble(item, "t", secrets_redacted={})
            said.texts.append(repr(replace(trajectory, lost_fields=(), parse_warnings=())))
            said.losses.extend((*item.lost_fields, *item.parse_warnings))
            said = said._replace(num_rollouts=said.num_rollouts + 1)
    except UnreadableError:
        return said._replace(num_bad=said.num_bad + 1)
    return said


def parsed(content: bytes) -> Any:
    """Return a file's value; of a file of lines the list of them."""
    try:
        return json.loads(content)
    except ValueError:
        return [json.loads(line) for line in content.splitlines()][:4]


def written(native: Any, uri: str) -> bytes:
    return lines(native) if uri.endswith(".jsonl") else json.dumps(native).encode()


def adapter_of(uri: str) -> str:
    content = FILES[uri]
    return detect(outline_of(io.BytesIO(content), len(content)), SETTINGS, uri=uri).name


def untold(main: str, kinds: frozenset[str]) -> list[str]:
    """Return the marks in a file, and in those beside it, that nothing tells of."""
    adapter = adapter_of(main)
    silent = []
    for uri in (main, *BESIDE.get(main, ())):
        native = parsed(FILES[uri])
        if uri.startswith("rows/"):
            native = native[:1]
        files = {**FILES, uri: written(native, uri)}
        before = read(main, files, adapter)
        assert before.num_rollouts, (uri, adapter)
        for place in places_in(native):
            if place.kind not in kinds:
                continue
            said = read(main, {**files, uri: written(planted(native, place), uri)}, adapter)
            is_told = said.num_bad > before.num_bad or any(MARK in text for text in (*said.texts, *said.losses))
            is_named = any(names_place(name, native, place, is_new=name not in before.losses) for name in said.losses)
            excused = any((uri, place.path, kind) in EXCEPTIONS for kind in (place.kind, "*"))
            if not (is_told or is_named or excused):
                silent.append(f"{uri}: {shown(place)}")
    return silent


def test_every_format_is_looked_at():
    assert {adapter_of(uri) for uri in MAIN} == {adapter.name for adapter in CLAIMING}


@pytest.mark.parametrize("uri", MAIN)
def test_unknown_and_renamed_fields_are_told(uri):
    assert untold(uri, frozenset({"unknown", "rename"})) == []


@pytest.mark.parametrize("uri", MAIN)
def test_texts_in_any_place_are_told(uri):
    assert untold(uri, frozenset({"text", "tail"})) == []


def with_first_key_doubled(native: Any, path: tuple[Any, ...], uri: str) -> bytes:
    """Write a value whose object at a path has its first key twice."""
    copy = json.loads(json.dumps(native))
    item = copy
    for part in path:
        item = item[part]
    key, members = next(iter(item)), dict(item)
    item.clear()
    item.update({MARK: 0, **members})
    return written(copy, uri).replace(json.dumps(MARK).encode(), json.dumps(key).encode())


def paths_of_objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inner:
        yield from paths_of_objects(item, (*path, name))


@pytest.mark.parametrize("main", MAIN)
def test_doubled_keys_in_any_place_are_told(main):
    adapter = adapter_of(main)
    silent = []
    for uri in (main, *BESIDE.get(main, ())):
        native = parsed(FILES[uri])
        assert "duplicate_key" not in read(main, FILES, adapter).losses
        for path in paths_of_objects(native):
            said = read(main, {**FILES, uri: with_first_key_doubled(native, path, uri)}, adapter)
            if not (said.num_bad or {"duplicate_key", "unreadable_report"} & set(said.losses)):
                silent.append((uri, path))
    assert silent == []


@pytest.mark.slow
@pytest.mark.parametrize("uri", MAIN)
def test_lists_and_objects_in_place_of_values_are_told(uri):
    assert untold(uri, frozenset({"list", "object"})) == []
