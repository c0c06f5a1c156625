"""What workers need to know of each trajectory besides its pack: its environment and its task, as positions."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.stages.context import StageContext
from transforms.judging.identities import environments, task_keys


@dataclass(frozen=True, slots=True)
class Identities:
    """The identities of a run's trajectories, as a file.

    Attributes:
        path: Parquet file with `traj_id`, sorted, `pack_id` (the pack it counts from), and `environment` and `task` as
            positions in the sorted lists of names.
        environments: Name of each environment and the number of its task keys, by position.
    """

    path: Path
    environments: dict[int, tuple[str, int]]


def write_identities(context: StageContext, path: Path) -> Identities:
    """Write the identities of this run's trajectories to `path`."""
    columns = ["traj_id", "task_id", "task_hash", "env_name", "env_type"]
    trajectories = context.read("trajectories", columns)
    environment_codes, environment_names = _positions(environments(trajectories))
    task_codes, _ = _positions(task_keys(trajectories, context.settings.identity.task_aliases))
    pack_of = {traj_id: pack_id for pack_id, owned in context.owned_ids.items() for traj_id in owned}
    table = pa.table(
        {
            "traj_id": trajectories["traj_id"],
            "pack_id": pa.array([pack_of[traj_id] for traj_id in trajectories["traj_id"].to_pylist()], pa.string()),
            "environment": pa.array(environment_codes, pa.int32()),
            "task": pa.array(task_codes, pa.int32()),
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    pairs = set(zip(environment_codes, task_codes, strict=True))
    num_tasks = [0] * len(environment_names)
    for environment, _ in pairs:
        num_tasks[environment] += 1
    return Identities(path, dict(enumerate(zip(environment_names, num_tasks, strict=True))))


def _positions(values: list[str]) -> tuple[list[int], list[str]]:
    names = sorted(set(values))
    place = {name: position for position, name in enumerate(names)}
    return [place[value] for value in values], names
