"""Poison records in every format of rows: each is a trajectory or a bad record, none is lost, none ends the run."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from tests.faults.poison import poison_line
from tests.faults.reading import MAX_BYTES, MAX_SECONDS, Tally, read_lake, write_lake
from tests.faults.samples import ROWS

pytestmark = pytest.mark.slow
RECORDS_PER_FILE = 500


def test_poison_records_are_read_or_told(
    tmp_path: Path, faults: Callable[[int, int], int], say: Callable[[str], None]
) -> None:
    rng = random.Random(100_000)
    tally = Tally()
    count = 0
    while count < faults(20_000, 100_000):
        files = {}
        for name, row in ROWS.items():
            poisoned = [poison_line(row, rng) for _ in range(RECORDS_PER_FILE)]
            files[f"{name}.jsonl"] = b"\n".join([orjson.dumps(row), *poisoned])
        write_lake(tmp_path / "lake", files)
        read_lake(tmp_path / "lake", tally)
        for uri, keys in tally.keys.items():
            if keys != ["file"]:
                count += RECORDS_PER_FILE
                told = {key.partition("/")[0] for key in keys if key.startswith("line:")}
                assert told == {f"line:{number}" for number in range(1, RECORDS_PER_FILE + 2)}, uri
        shutil.rmtree(tmp_path / "lake")
    say(f"poison records: {count:,} in {tally}; reasons {dict(sorted(tally.reasons.items()))}")
    assert tally.outcomes["trajectories"] > 0.2 * count
    assert tally.seconds < MAX_SECONDS * len(ROWS)
    assert tally.memory_bytes < MAX_BYTES
