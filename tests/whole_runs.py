"""Whole runs for tests: the real command over a lake, and the published snapshot read back.

A pytest plugin: its fixtures are there for every test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
import yaml

from pipelines.run import RunResult, execute
from pipelines.settings_files import load_settings
from transforms.store.files import Store
from transforms.store.manifest import Manifest


@dataclass(frozen=True)
class Curated:
    """A published snapshot."""

    store: Store
    result: RunResult

    @property
    def manifest(self) -> Manifest:
        """Return the manifest of the snapshot this run published or found published."""
        assert self.result.manifest is not None
        return self.result.manifest

    def table(self, name: str) -> pl.DataFrame:
        """Return one of the snapshot's tables, whole."""
        parts = [pl.read_parquet(Path(self.store.root) / file.path) for file in self.manifest.tables[name]]
        return pl.concat(parts)

    def tree(self) -> dict[str, bytes]:
        """Return every file of the snapshots folder by path; the catalog is no part of what must be equal."""
        names = [name for name in self.store.list("snapshots") if not name.endswith("catalog.duckdb")]
        return {name: self.store.read_bytes(name) for name in names}


Curate = Callable[..., Curated]


@pytest.fixture
def curate(tmp_path: Path) -> Curate:
    """Run the whole job over a lake: `curate(lake, store=…, settings={…}, flags=[…], include=[…])`."""

    def run(
        lake: Path,
        *,
        store: str = "store",
        settings: dict[str, Any] | None = None,
        flags: Sequence[str] = (),
        include: Sequence[str] = ("**/*",),
        overrides: Sequence[str] = (),
    ) -> Curated:
        conf = tmp_path / "curate.yaml"
        tree = {
            "lake": {"root": str(lake), "include": list(include)},
            "store": str(tmp_path / store),
            "execution": {"progress": "quiet"},
        }
        conf.write_text(yaml.safe_dump(tree | (settings or {})))
        result = execute(load_settings([conf], overrides), flags=flags)
        return Curated(Store(str(tmp_path / store)), result)

    return run


def chat_rollout(task: str, rollout: int, *, reward: object, words: str = "", turns: int = 3) -> dict[str, Any]:
    """Return an OpenAI-chat rollout whose text depends on its task, its number and `words`."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You repair small programs. Use the tools."},
        {"role": "user", "content": f"Repair the module {task}: its tests fail since yesterday."},
    ]
    for turn in range(turns):
        word = f"{task}_{rollout}_{turn} {words}"
        arguments = orjson.dumps({"command": f"grep -rn {word} src/"}).decode()
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
        messages.append({"role": "assistant", "content": f"I look at {word} first", "tool_calls": [call]})
        found = " ".join(f"{task}_{rollout}_{turn}_{n}" for n in range(20))
        messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": f"src/a.py: {found}"})
    messages.append({"role": "assistant", "content": f"Done with {task} in rollout {rollout}."})
    return {
        "trajectory_id": f"{task}-r{rollout}",
        "task_id": task,
        "rollout_index": rollout,
        "environment": "repo",
        "model": "toy-1",
        "messages": messages,
        "reward": reward,
    }


def write_jsonl(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    """Write records as JSON lines and return the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return path.parent


@pytest.fixture
def chat_lake(tmp_path: Path) -> Path:
    """A lake of 20 rollouts: five tasks, two files, successes and failures."""
    records = [
        chat_rollout(f"task{task}", rollout, reward=float((task + rollout) % 2))
        for task in range(5)
        for rollout in range(4)
    ]
    write_jsonl(tmp_path / "lake" / "a" / "part-0.jsonl", records[:11])
    write_jsonl(tmp_path / "lake" / "b" / "part-1.jsonl", records[11:])
    return tmp_path / "lake"
