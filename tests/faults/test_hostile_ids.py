"""Hostile ids are values: a run over them makes no file outside the store and none that an id names."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.hostile import payloads
from tests.whole_runs import Curate, chat_rollout, write_jsonl

pytestmark = pytest.mark.slow
_PIECES = (
    "..", "/", "\\", "../", "..\\", "~", ".", "C:", "CON", "NUL", "%2e%2e%2f", "\u2215", "\u202e", "\x00",
    "\n", "\r", " ", "$HOME", "'", '"', "`", "*", "?", "[x]", "{a,b}", "|", ";", "&", "<", ">", "#", "é", "ﬁ", "a",
    "-rf", "=", "\x1b[31m",
)  # fmt: skip


def _hostile_id(rng: random.Random, absolute: str) -> str:
    kind = rng.random()
    if kind < 0.2:
        return rng.choice(payloads())
    if kind < 0.3:
        return f"{absolute}/escaped-{rng.randrange(10**6)}"
    if kind < 0.35:
        return rng.choice(_PIECES) * rng.choice((300, 5000))
    return "".join(rng.choice(_PIECES) for _ in range(rng.randint(1, 8)))


def test_hostile_ids_stay_inside_the_data(
    tmp_path: Path, curate: Curate, faults: Callable[[int, int], int], say: Callable[[str], None]
) -> None:
    rng = random.Random(1_000)
    count = faults(150, 1_000)
    target = str(tmp_path / "outside")
    records = []
    for number in range(count):
        names = ("trajectory_id", "task_id", "environment", "model", "run_id", "group_id", "agent_name")
        ids = {name: _hostile_id(rng, target) for name in names}
        records.append(chat_rollout("t", number, reward=float(number % 2), turns=1) | ids)
    lake = write_jsonl(tmp_path / "lake" / "a.jsonl", records)
    before = set(tmp_path.rglob("*")) | set(Path.cwd().glob("*"))
    curated = curate(lake)
    made = (set(tmp_path.rglob("*")) | set(Path.cwd().glob("*"))) - before
    store = Path(curated.store.root)
    outside = [path for path in made if store not in (path, *path.parents) and path != tmp_path / "curate.yaml"]
    funnel = curated.manifest.funnel
    say(f"hostile ids: {count:,} records, {len(made):,} files made, {len(outside)} outside the store")
    assert outside == []
    assert funnel["trajectories"] + funnel["repeats"] == count
    names_made = {part for path in made for part in path.relative_to(store.parent).parts}
    assert not names_made & {record[name] for record in records for name in ("trajectory_id", "task_id", "model")}
    kept = {(text or "").strip() for text in curated.table("trajectories")["native_id"]}
    assert kept == {record["trajectory_id"].strip() for record in records}
