"""Which task keys are one task, told by their texts, and by which rule each key joined: the start of `copies`.

Writes `task_groups`, ordered by task key. Work file for `similar`: `<work_dir>/copies/task_texts.parquet`, columns
`task_key, text, scope`, one row per task key.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.stages.context import StageContext
from transforms.judging.identities import ID_PREFIX, environments
from transforms.lexical.signatures import make_engine
from transforms.lexical.task_texts import TaskText, join_task_texts, joined_ids
from transforms.querying.display import on_one_line
from transforms.store.tables import read_table
from transforms.views.bodies import task_text
from transforms.views.hashes import boilerplate_by_environment

TEXTS_FILE: Final = "copies/task_texts.parquet"
"""File of the statements below the work folder."""

_ID_CHARS: Final = 60
_STATEMENT_CHARS: Final = 120


def group_tasks(context: StageContext, trajectories: pa.Table, *, keys: Sequence[str]) -> dict[str, str]:
    """Return the task group of each task key, as far as text decides it.

    Args:
        context: The run.
        trajectories: Columns `traj_id`, `task_id`, `task_hash`, `env_name`, `env_type`, `repo`, `base_commit`.
        keys: Task key of each row of `trajectories`.
    """
    settings = context.settings.task_groups
    groups = {key: key for key in keys}
    if settings.join_near_duplicates or settings.join_by_vectors:
        tasks = _task_texts(context, trajectories, keys=keys)
        path = context.work_dir / TEXTS_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = {name: [getattr(task, name) for task in tasks] for name in ("task_key", "text", "scope")}
        pq.write_table(pa.table(columns, schema=_TEXTS_SCHEMA), path)
        if settings.join_near_duplicates:
            engine = make_engine(context.settings.lexical.engine)
            groups = join_task_texts(tasks, engine, min_similarity=settings.min_similarity)
            _tell_joined_ids(context, tasks, groups)
    aliases = context.settings.identity.task_aliases
    aliased = {key for key, name in zip(keys, trajectories["task_id"].to_pylist(), strict=True) if name in aliases}
    rules = {key: _rule(key, groups[key], is_aliased=key in aliased) for key in groups}
    write_task_groups(context, groups, rules)
    return groups


def write_task_groups(context: StageContext, groups: Mapping[str, str], rules: Mapping[str, str]) -> None:
    """Write the table `task_groups`: task key → group, task key → rule."""
    context.write(
        "task_groups",
        [{"task_key": key, "task_group": groups[key], "join_rule": rules[key]} for key in sorted(groups)],
    )


_TEXTS_SCHEMA = pa.schema([pa.field(name, pa.string(), nullable=False) for name in ("task_key", "text", "scope")])


def _rule(key: str, group: str, *, is_aliased: bool) -> str:
    if group != key:
        return "near_text"
    if is_aliased:
        return "alias"
    return "id" if key.startswith(ID_PREFIX) else "text_hash"


def _tell_joined_ids(context: StageContext, tasks: Sequence[TaskText], groups: Mapping[str, str]) -> None:
    """Count for the run record the ids that text joined, and warn of them: each may be a task of its own."""
    joined = joined_ids(tasks, groups)
    if not joined:
        return
    num_ids = sum(len(members) for members in joined)
    context.progress.counts |= {"joined_task_ids": num_ids, "joined_id_groups": len(joined)}
    first, second, *others = [on_one_line(task.task_key[len(ID_PREFIX) :], max_chars=_ID_CHARS) for task in joined[0]]
    more = f" and {len(others):,} more" if others else ""
    stated = on_one_line(joined[0][0].text, max_chars=_STATEMENT_CHARS)
    context.progress.notes.append(
        f"warning: {num_ids:,} task ids were joined into {len(joined):,} task groups, as their statements are equal "
        "but for dates and labels of runs: "
        f"{first!r}, {second!r}{more} state {stated!r}. If each id is a task of its own, set "
        "task_groups.join_near_duplicates=false"
    )


def _task_texts(context: StageContext, trajectories: pa.Table, *, keys: Sequence[str]) -> list[TaskText]:
    """Return the statement of each task key, ordered by key."""
    ids = trajectories["traj_id"].to_pylist()
    row_of = _speaking_rows(keys, trajectories["task_hash"].to_pylist())
    statements = _statements(context, {ids[row] for row in row_of.values()})
    boilerplate = boilerplate_by_environment(context.read("boilerplate", ["environment", "block_hash"]))
    names = environments(trajectories)
    repos, commits = trajectories["repo"].to_pylist(), trajectories["base_commit"].to_pylist()
    return [
        TaskText(
            task_key=key,
            text=task_text(statements.get(ids[row], ""), boilerplate.get(names[row], frozenset())),
            scope=f"{repos[row] or ''}@{commits[row] or ''} in {names[row]}",
            has_id=key.startswith(ID_PREFIX),
        )
        for key, row in sorted(row_of.items())
    ]


def _speaking_rows(keys: Sequence[str], statements: Sequence[str]) -> dict[str, int]:
    """Return for each task key the first row that states what most of its rows do: a stray one speaks for no task.

    Args:
        keys: Task key of each row.
        statements: What the rows of one statement have in common.
    """
    first: dict[tuple[str, str], int] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row, stated in enumerate(zip(keys, statements, strict=True)):
        first.setdefault(stated, row)
        counts[stated] += 1
    rows: dict[str, int] = {}
    # The most frequent come last, of equally frequent ones the first row.
    for stated in sorted(first, key=lambda stated: (counts[stated], -first[stated])):
        rows[stated[0]] = first[stated]
    return rows


def _statements(context: StageContext, traj_ids: set[str]) -> dict[str, str]:
    """Return the statement of each of the trajectories that states a task: one trajectory per task key is asked."""
    wanted = pa.array(sorted(traj_ids), pa.string())
    statements: dict[str, str] = {}
    for pack in context.packs:
        table = read_table(context.store, pack.path("trajectories"), ["traj_id", "instruction"])
        table = table.filter(pc.and_(pc.is_in(table["traj_id"], value_set=wanted), pc.is_valid(table["instruction"])))
        for traj_id, text in zip(table["traj_id"].to_pylist(), table["instruction"].to_pylist(), strict=True):
            statements.setdefault(traj_id, text)
    return statements
