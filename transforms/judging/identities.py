"""Name what a rollout belongs to: its task, its environment, its policy."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.settings.ingest import follow_alias

ID_PREFIX = "id:"
"""Begins the key of a task that is known by its id."""

MISSING = "-"
"""Stands in a policy's name where the rollout does not state the field."""


def task_keys(trajectories: pa.Table, aliases: Mapping[str, str]) -> list[str]:
    """Return the task key of every row, in row order.

    The key is `id:<task_id>`, with the id replaced by the one it is an alias of, or `text:<task_hash>` where the
    rollout names no task.

    Args:
        trajectories: Columns `task_id` and `task_hash`.
        aliases: Task id → the task id it stands for; followed to its end.
    """
    resolved = {alias: follow_alias(alias, aliases) for alias in aliases}
    ids = trajectories.column("task_id").to_pylist()
    hashes = trajectories.column("task_hash").to_pylist()
    return [
        id_task_key(resolved.get(task_id, task_id)) if task_id else f"text:{task_hash}"
        for task_id, task_hash in zip(ids, hashes, strict=True)
    ]


def id_task_key(task_id: str) -> str:
    """Return the key of a task that is known by its id."""
    return f"{ID_PREFIX}{task_id}"


def environments(trajectories: pa.Table) -> list[str]:
    """Return the environment of every row: `env_name`, or `env_type` where the rollout names none."""
    names = trajectories.column("env_name").to_pylist()
    kinds = trajectories.column("env_type").to_pylist()
    return [name or kind for name, kind in zip(names, kinds, strict=True)]


def policies(trajectories: pa.Table, fields: Sequence[str]) -> list[str]:
    """Return the policy of every row: the values of `fields` joined by `/`, `-` for a missing one."""
    columns = [trajectories.column(field).to_pylist() for field in fields]
    return [
        "/".join(MISSING if value is None or value == "" else str(value) for value in values)
        for values in zip(*columns, strict=True)
    ]
