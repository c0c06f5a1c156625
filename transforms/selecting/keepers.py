"""Rank rollouts by a written order of rules: the best of a redundant group is its keeper."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_RULE_COLUMNS: Final[dict[str, tuple[str, float]]] = {
    "best_reward": ("reward", -1.0),
    "no_audit_flag": ("has_audit_flag", 1.0),
    "verified": ("is_verified", -1.0),
    "fewest_steps": ("num_agent_steps", 1.0),
    "fewest_tokens": ("token_count", 1.0),
    "most_steps": ("num_agent_steps", -1.0),
}
"""Rule → the column it reads and the sign that makes the smallest value the best."""

SETTLED_RULE: Final = "settled_first"
"""Rule that names a keeper though the keeper order puts the row first: it stayed already when the row, left behind by
the run it was a copy of, was looked at again."""


def keeper_ranks(columns: pa.Table, keeper_order: Sequence[str]) -> np.ndarray:
    """Return each row's place in the keeper order, 0 the best: a total order that depends on the rows alone.

    The first rule decides first; what all rules leave equal is decided by the smallest id. A value that is unknown
    (NULL or NaN) comes after all known ones, whichever way the rule points.

    Args:
        columns: `traj_id`, unique, and the columns of the rules used: `reward` (best_reward), `has_audit_flag`
            (no_audit_flag), `is_verified` (verified), `num_agent_steps` (fewest_steps, most_steps), `token_count`
            (fewest_tokens).
        keeper_order: Names of rules as in the settings; `smallest_id` ends the order.

    Returns:
        int64, shape (rows,): a permutation of 0 … rows − 1.

    Raises:
        ValueError: A rule's column is missing, or an id stands twice.
    """
    id_ranks = _id_ranks(columns.column("traj_id"))
    keys: list[np.ndarray] = []
    for rule in keeper_order:
        if rule == "smallest_id":
            break
        keys.append(_rule_key(columns, rule))
    order = np.lexsort([id_ranks, *reversed(keys)])
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order), dtype=np.int64)
    return ranks


def deciding_rules(columns: pa.Table, keepers: Sequence[str], keeper_order: Sequence[str]) -> list[str | None]:
    """Return, for each row, the first rule by which its keeper is better; None where a row keeps itself.

    `SETTLED_RULE` where the order puts the row first.

    Args:
        columns: As `keeper_ranks` takes them.
        keepers: Id of each row's keeper, itself a row.
        keeper_order: Names of rules as in the settings.
    """
    ids = columns.column("traj_id").to_pylist()
    row_of = {traj_id: row for row, traj_id in enumerate(ids)}
    keeper_rows = np.array([row_of[keeper] for keeper in keepers], dtype=np.int64)
    is_smaller = np.array([keeper < own for keeper, own in zip(keepers, ids, strict=True)], dtype=bool)
    rules = np.where(is_smaller, np.array("smallest_id", dtype=object), SETTLED_RULE)
    is_open = np.ones(len(ids), dtype=bool)
    for rule in keeper_order:
        if rule == "smallest_id":
            break
        key = _rule_key(columns, rule)
        differs = is_open & (key != key[keeper_rows])
        rules[differs] = np.where(key[keeper_rows] < key, np.array(rule, dtype=object), SETTLED_RULE)[differs]
        is_open &= ~differs
    return [None if keeper == own else str(rule) for keeper, own, rule in zip(keepers, ids, rules, strict=True)]


def is_verified(trajectories: pa.Table) -> pa.Array:
    """Say of each row whether tests or reward components stand behind its reward, or nothing but a number.

    Args:
        trajectories: `tests_passed`, `tests_failed`, `reward_components`.
    """
    tests = pc.or_(pc.is_valid(trajectories["tests_passed"]), pc.is_valid(trajectories["tests_failed"]))
    components = [bool(each) for each in trajectories["reward_components"].to_pylist()]
    return pc.or_(tests, pa.chunked_array([pa.array(components, pa.bool_())])).combine_chunks()


def _id_ranks(ids: pa.ChunkedArray) -> np.ndarray:
    if pc.count_distinct(ids, mode="all").as_py() != len(ids):
        raise ValueError("traj_id must be unique to rank keepers")
    order = pc.sort_indices(ids).to_numpy()
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order), dtype=np.int64)
    return ranks


def _rule_key(columns: pa.Table, rule: str) -> np.ndarray:
    """Return numbers of which the smallest is the best under the rule; unknown values become infinity."""
    if rule not in _RULE_COLUMNS:
        raise ValueError(f"unknown keeper rule {rule!r}, known: {sorted([*_RULE_COLUMNS, 'smallest_id'])}")
    name, sign = _RULE_COLUMNS[rule]
    if name not in columns.column_names:
        raise ValueError(f"keeper rule {rule!r} needs the column {name!r}, got {columns.column_names}")
    values = columns.column(name).cast(pa.float64()).to_numpy()
    return np.where(np.isnan(values), np.inf, sign * values)
