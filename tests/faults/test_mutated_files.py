"""Mutated files of every format: nothing uncaught, nothing hangs, memory bounded, every record told."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.mutations import mutate
from tests.faults.reading import MAX_BYTES, MAX_SECONDS, Tally, read_lake, write_lake
from tests.faults.samples import sample_files
from tests.whole_runs import Curate
from transforms.formats.registry import CLAIMING
from transforms.reading.outline import outline_of_head

pytestmark = pytest.mark.slow
FILES_PER_LAKE = 250


def _mutated(count: int, rng: random.Random) -> dict[str, bytes]:
    samples = list(sample_files().items())
    files = {}
    for number in range(count):
        uri, content = rng.choice(samples)
        files[f"{number:03d}/{uri}"] = mutate(content, rng)
    return files


def test_every_format_has_a_sample_that_its_adapter_reads(tmp_path: Path, say: Callable[[str], None]) -> None:
    tally = Tally()
    write_lake(tmp_path, sample_files())
    read_lake(tmp_path, tally)
    say(f"samples: {tally}; {dict(tally.reasons)}")
    assert {adapter.name for adapter in CLAIMING} - tally.adapters.keys() == set()
    assert tally.outcomes["trajectories"] >= 40


def test_mutated_files_are_read_or_told(
    tmp_path: Path, faults: Callable[[int, int], int], say: Callable[[str], None]
) -> None:
    rng = random.Random(20_000)
    tally = Tally()
    while tally.files < faults(4_000, 20_000):
        files = _mutated(FILES_PER_LAKE, rng)
        lake = tmp_path / "lake"
        write_lake(lake, files)
        read_lake(lake, tally)
        _check_all_told(files, tally)
        shutil.rmtree(lake)
    say(f"mutated files: {tally}; reasons {dict(sorted(tally.reasons.items()))}")
    assert tally.seconds < MAX_SECONDS
    assert tally.memory_bytes < MAX_BYTES


def _check_all_told(files: dict[str, bytes], tally: Tally) -> None:
    """Every line of a plain line file of rows is told once, by its number."""
    for uri, content in files.items():
        if not uri.endswith("openai_chat.jsonl") or outline_of_head(content, is_complete=True).shape != "lines":
            continue
        told = {int(key.partition(":")[2]) for key in tally.keys.get(uri, ()) if key.startswith("line:")}
        plain = content.removeprefix(b"\xef\xbb\xbf")
        written = {number for number, line in enumerate(plain.split(b"\n"), start=1) if line.strip()}
        if told:
            assert told == written, uri
            assert len(tally.keys[uri]) == len(written), uri


def test_a_lake_of_mutated_files_is_published_with_every_record_accounted_for(
    tmp_path: Path, curate: Curate, faults: Callable[[int, int], int], say: Callable[[str], None]
) -> None:
    lake = tmp_path / "lake"
    write_lake(lake, _mutated(faults(100, 1_000), random.Random(7)))
    tally = Tally()
    read_lake(lake, tally)
    curated = curate(lake, settings={"ingest": {"max_bad_ratio": 1.0}})
    funnel = curated.manifest.funnel
    say(f"mutated lake, whole run: {funnel}")
    assert funnel["read"] == funnel["trajectories"] + funnel["quarantined"] + funnel["repeats"]
    assert funnel["read"] == tally.outcomes.total()
