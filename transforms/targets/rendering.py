"""Render the conversations that datasets want, pack by pack, into one work file per shard and pack.

This is the only place of the export where texts are read, of the columns that a conversation takes. They go straight
into the shard they are for, never through a shuffle.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.pvalue import PCollection

from schemas.records import Trajectory
from transforms.store.columns import ReadColumns, read_columns
from transforms.store.files import Store
from transforms.store.garbage import rare_collections
from transforms.store.keys import sha_hex
from transforms.store.packs import Pack
from transforms.store.progress import ProgressFile
from transforms.store.tables import rows_to_table, write_table
from transforms.targets.catalog import TARGETS
from transforms.targets.contract import Conversation, Refusal, Target
from transforms.targets.conversations import make_conversation
from transforms.targets.texts import TEXT_SCHEMA, text_row, text_writer
from transforms.targets.turns import turns_of

WANTED_SCHEMA: Final = pa.schema(
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("bucket", pa.string(), nullable=False),
    ]
)
"""Which trajectory is wanted for which dataset in which bucket (a shard of a split)."""

RENDERED_SCHEMA: Final = pa.schema(
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("detail", pa.string()),
        pa.field("completion_hash", pa.string()),
    ]
)
"""What became of each; null are the `reason` of a usable conversation and hashes where no sides are compared."""

_BUFFER_BYTES: Final = 8 * 2**20
"""Text held per bucket before it is written."""


_COLUMNS: Final = ReadColumns(
    header=("tools_json",),
    steps=(
        "step_id",
        "source",
        "message",
        "message_state",
        "parts_json",
        "obs_text",
        "is_copied_context",
        "is_demo",
        "extra_json",
    ),
    calls=(
        "call_index",
        "call_id",
        "tool_name",
        "arguments_json",
        "arguments_state",
        "result_text",
        "result_state",
        "requestor",
    ),
)
"""What `turns_of` looks at."""


def render_trajectory(trajectory: Trajectory, *, dataset: str) -> Conversation | Refusal:
    """Return the trajectory's conversation as the dataset wants it."""
    return _render(trajectory, without_context=TARGETS[dataset].without_context)


def _render(trajectory: Trajectory, *, without_context: bool) -> Conversation | Refusal:
    return make_conversation(
        turns_of(trajectory), tools_json=trajectory.header.tools_json, without_context=without_context
    )


class _Renderings:
    """A trajectory's conversations; datasets that want the same share one."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory
        self._has_context = any(step.is_demo or step.is_copied_context for step in trajectory.steps)
        self._made: dict[bool, Conversation | Refusal] = {}

    def of(self, target: Target) -> Conversation | Refusal:
        """Return the conversation as the target wants it."""
        without_context = target.without_context and self._has_context
        if without_context not in self._made:
            self._made[without_context] = _render(self._trajectory, without_context=without_context)
        return self._made[without_context]


def outcome_row(traj_id: str, dataset: str, rendered: Conversation | Refusal) -> dict[str, Any]:
    """Return the row of `RENDERED_SCHEMA`."""
    if isinstance(rendered, Refusal):
        return {"traj_id": traj_id, "dataset": dataset, "reason": str(rendered.reason), "detail": rendered.message}
    if not TARGETS[dataset].compares_sides:
        return {"traj_id": traj_id, "dataset": dataset}
    parts = [part for message in rendered.completion for part in _parts(message)]
    return {"traj_id": traj_id, "dataset": dataset, "completion_hash": sha_hex(*parts)}


def _parts(message: Mapping[str, Any]) -> list[str | int | None]:
    calls = message["tool_calls"] or ()
    return [message["role"], message["content"], message["tool_call_id"], message["name"], len(calls), *calls]


@dataclass
class RenderConversations(beam.PTransform[PCollection[Pack], PCollection[int]]):
    """Write the conversations of wanted trajectories.

    Takes packs, gives the number of conversations of each. Writes `<folder>/texts/<bucket>/<pack id>.arrow` in
    `TEXT_SCHEMA` and `<folder>/rendered/<pack id>.parquet` in `RENDERED_SCHEMA`.

    Args:
        store: Where the packs lie.
        folder: Local work folder; `<folder>/wanted/<pack id>.parquet` says what is wanted of a pack.
        progress: Where finished packs are counted.
    """

    store: Store
    folder: Path
    progress: ProgressFile

    def expand(self, packs: PCollection[Pack]) -> PCollection[int]:
        return packs | "RenderPack" >> beam.Map(self._render)

    def _render(self, pack: Pack) -> int:
        name = f"{pack.pack_id}.parquet"
        path = self.folder / "wanted" / name
        wanted: dict[str, list[tuple[str, str]]] = defaultdict(list)
        if path.is_file():
            for row in pq.read_table(path).to_pylist():
                wanted[row["traj_id"]].append((row["dataset"], row["bucket"]))
            trajectories = read_columns(self.store, pack, wanted=wanted, columns=_COLUMNS)
            with rare_collections():
                rows = write_texts(trajectories, wanted, folder=Store(str(self.folder)), name=pack.pack_id)
            write_table(Store(str(self.folder)), f"rendered/{name}", rows_to_table(rows, RENDERED_SCHEMA))
        self.progress.tick()
        return len(wanted)


def write_texts(
    trajectories: Iterable[Trajectory],
    wanted: Mapping[str, Sequence[tuple[str, str]]],
    *,
    folder: Store,
    name: str,
) -> list[dict[str, Any]]:
    """Write each wanted conversation into the file `<name>.arrow` of its buckets; return what became of each."""
    outcomes = []
    with ExitStack() as stack:
        buckets: dict[str, _BucketFile] = {}
        for trajectory in trajectories:
            renderings = _Renderings(trajectory)
            for dataset, members in _by_dataset(wanted[trajectory.traj_id]):
                rendered = renderings.of(TARGETS[dataset])
                outcomes.append(outcome_row(trajectory.traj_id, dataset, rendered))
                if isinstance(rendered, Refusal):
                    continue
                row = text_row(trajectory.traj_id, rendered, target=TARGETS[dataset])
                for bucket in members:
                    if bucket not in buckets:
                        file = stack.enter_context(folder.writer(f"texts/{bucket}/{name}.arrow"))
                        buckets[bucket] = stack.enter_context(_BucketFile(file))
                    buckets[bucket].add(row)
    return outcomes


def _by_dataset(places: Sequence[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    by_dataset: dict[str, list[str]] = defaultdict(list)
    for dataset, bucket in places:
        by_dataset[dataset].append(bucket)
    yield from sorted(by_dataset.items())


class _BucketFile:
    """A work file of `TEXT_SCHEMA`, written in batches of about `_BUFFER_BYTES`."""

    def __init__(self, file: Any) -> None:
        self._writer = text_writer(file)
        self._rows: list[dict[str, Any]] = []
        self._num_bytes = 0

    def __enter__(self) -> "_BucketFile":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            self._flush()
        self._writer.close()

    def add(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self._rows.append(row)
        self._num_bytes += row["num_bytes"]
        if self._num_bytes >= _BUFFER_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(rows_to_table(self._rows, TEXT_SCHEMA))
            self._rows, self._num_bytes = [], 0
