"""What is known of a lake's files decides which are opened, never what is found."""

import os
import time
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem

from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.known_files import PATH, KnownFiles, keep_known_files, known_key, read_known_files
from transforms.formats.units import list_lake, plan_units
from transforms.store.files import Store

LINE = '{"messages": [{"role": "user", "content": "x"}], "id": "%d"}\n'
RUN = '{"history": [{"role": "user", "content": "x"}], "trajectory": [{"action": "ls"}], "info": {}}'
SETTINGS = IngestSettings()


class CountingFileSystem(LocalFileSystem):
    """Local files that tell which of them were opened."""

    cachable = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.opened: list[str] = []

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        self.opened.append(Path(path).name)
        return super()._open(path, mode, **options)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    (tmp_path / "lake" / "run").mkdir(parents=True)
    (tmp_path / "lake" / "a.jsonl").write_text("".join(LINE % number for number in range(10)))
    (tmp_path / "lake" / "run" / "task.traj").write_text(RUN)
    (tmp_path / "lake" / "run" / "report.json").write_text('{"task": {"resolved": true}}')
    return tmp_path / "lake"


def _later() -> int:
    """A time at which the files of the test have long been left alone."""
    return time.time_ns() + 10**10


def _plan(lake: Path, known: KnownFiles | None) -> tuple[list[SourceUnit], list[str]]:
    fs = CountingFileSystem()
    uris = list_lake(fs, str(lake), ["**/*"])
    return plan_units(fs, str(lake), uris, SETTINGS, known=known), sorted(set(fs.opened))


def test_files_in_the_same_state_are_not_opened_and_give_the_same_units(lake: Path) -> None:
    known = KnownFiles(str(lake), taken_ns=_later())
    first, opened = _plan(lake, known)
    again, opened_again = _plan(lake, known)
    assert first == again == _plan(lake, None)[0]
    assert opened == ["a.jsonl", "report.json", "task.traj"]
    assert opened_again == []
    assert [unit.sidecars for unit in first] == [(), ("run/report.json",)]


def test_a_file_of_other_content_is_opened_whatever_its_size_and_time(lake: Path) -> None:
    known = KnownFiles(str(lake), taken_ns=_later())
    first, _ = _plan(lake, known)
    status = os.stat(lake / "a.jsonl")
    (lake / "a.jsonl").write_text("".join(LINE % number for number in reversed(range(10))))
    os.utime(lake / "a.jsonl", ns=(status.st_atime_ns, status.st_mtime_ns))
    again, opened = _plan(lake, known)
    assert opened == ["a.jsonl"]
    assert (again[0].unit_key == first[0].unit_key, again[1:] == first[1:]) == (False, True)


def test_a_file_that_changed_just_now_is_not_trusted(lake: Path) -> None:
    known = KnownFiles(str(lake), taken_ns=time.time_ns())
    _plan(lake, known)
    assert (known.found, known.hashes, known.has_changed) == ({}, {}, False)


def test_a_file_that_is_gone_is_forgotten(lake: Path) -> None:
    known = KnownFiles(str(lake), taken_ns=_later())
    _plan(lake, known)
    (lake / "run" / "report.json").unlink()
    _plan(lake, known)
    assert (len(known.found), len(known.hashes)) == (2, 0)


def test_what_is_known_is_kept_for_the_next_run_with_equal_settings(lake: Path, tmp_path: Path) -> None:
    store, fs = Store(str(tmp_path / "store")), fsspec.filesystem("file")
    known = KnownFiles(str(lake), taken_ns=_later())
    first, _ = _plan(lake, known)
    keep_known_files(store, known, settings=SETTINGS)

    kept = read_known_files(store, fs, root=str(lake), settings=SETTINGS)
    other = read_known_files(store, fs, root=str(lake), settings=IngestSettings(max_depth=100))

    assert (kept.found, kept.hashes) == (known.found, known.hashes)
    assert _plan(lake, kept) == (first, [])
    assert not kept.has_changed
    assert b"task" not in store.read_bytes(PATH)
    assert (other.found, other.hashes) == ({}, {})


@pytest.mark.parametrize("content", [b"", b"[]", b'{"key": 1}', b'{"found": {"a": 1}}'])
def test_a_damaged_listing_is_as_good_as_none(lake: Path, tmp_path: Path, content: bytes) -> None:
    store = Store(str(tmp_path / "store"))
    store.write_atomic(PATH, content)
    assert read_known_files(store, fsspec.filesystem("file"), root=str(lake), settings=SETTINGS).found == {}
    with_key = b'{"key": "%s", "found": {"a": [[1], 2]}, "hashes": {}}' % known_key(SETTINGS).encode()
    assert KnownFiles.from_json(with_key, str(lake), key=known_key(SETTINGS)).found == {}


def test_a_file_system_without_states_is_read_each_time(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    known = read_known_files(Store(str(tmp_path)), memory, root="/lake", settings=SETTINGS)
    assert known.state("a.jsonl") is None
