"""Trajectory pairs: one success against one failure of the same task group."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import polars as pl
import pyarrow as pa

from schemas.reasons import UseReason
from schemas.tables import SCHEMAS
from transforms.pairing.candidates import Candidate, find_bar, read_candidates
from transforms.pairing.choosing import Pair, PairLimits, TaskPool, build_pool, choose_pairs, explain_unpaired
from transforms.pairing.copies import num_copies
from transforms.pairing.length_balance import balance_lengths
from transforms.pairing.order import position_key
from transforms.store.keys import short_id
from transforms.store.tables import rows_to_table

DATASET: Final = "dpo"
PAIR_KIND: Final = "trajectory"


class PairResult(NamedTuple):
    """The tables `pairs`, ordered by row_id, and `uses` (dataset dpo), ordered by role, traj_id and row_id.

    A success is a candidate for the chosen side, every other trajectory for the rejected side. `uses` has one row per
    candidate and pair it stands in, and exactly one for a candidate that stands in none.
    """

    pairs: pa.Table
    uses: pa.Table


def mine_pairs(
    candidates: pa.Table | pl.DataFrame,
    *,
    seed: int,
    max_per_task: int,
    max_uses_per_trajectory: int,
    min_margin: float,
    max_length_ratio: float,
    materialise_weights: bool = False,
) -> PairResult:
    """Return the preference pairs of the lake and what became of every candidate.

    Only kept trajectories stand in pairs; the outcome flips and the rewards differ by `min_margin`; both sides differ
    in content; no two pairs join the same two redundancy groups. A pair's weight is the geometric mean of its sides'.
    The result does not depend on the order of the rows.

    Args:
        candidates: Columns of `candidates.CANDIDATE_SCHEMA`, one row per trajectory.
        seed: Seed of the draws.
        max_per_task: Pairs per task group at most.
        max_uses_per_trajectory: Pairs a trajectory stands in at most.
        min_margin: Smallest difference of the rewards.
        max_length_ratio: Token-length ratio sought; a task without such a pair still gives one.
        materialise_weights: Write a pair as often as its weight says instead of once; a pair drawn zero times is left
            out.

    Raises:
        ValueError: A column is missing.
    """
    limits = PairLimits(max_per_task, max_uses_per_trajectory, min_margin, max_length_ratio)
    rows = sorted(read_candidates(candidates), key=lambda candidate: candidate.traj_id)
    by_task: dict[str, list[Candidate]] = defaultdict(list)
    reasons: dict[str, UseReason] = {}
    for candidate in rows:
        bar = find_bar(candidate)
        if bar is None:
            by_task[candidate.task_group].append(candidate)
        else:
            reasons[candidate.traj_id] = bar
    pools = {task: build_pool(members, seed=seed, limits=limits) for task, members in sorted(by_task.items())}
    first = {task: choose_pairs(pool, limits=limits) for task, pool in pools.items()}
    chosen = balance_lengths(pools, first, seed=seed, limits=limits)
    pairs = _pair_rows(pools, chosen, seed=seed, materialise=materialise_weights)
    for task, members in by_task.items():
        reasons.update(_explain(members, pools[task], chosen[task], min_margin))
    written = [pair for pair in pairs if pair["copies"]]
    return PairResult(
        rows_to_table(sorted(written, key=lambda pair: pair["row_id"]), SCHEMAS["pairs"]),
        rows_to_table(_use_rows(rows, written, reasons), SCHEMAS["uses"]),
    )


def _pair_rows(
    pools: Mapping[str, TaskPool], chosen: Mapping[str, Sequence[Pair]], *, seed: int, materialise: bool
) -> list[dict[str, Any]]:
    rows = []
    for task, pairs in chosen.items():
        for success, failure in pairs:
            pair = _pair_row(pools[task].chosen[success], pools[task].rejected[failure], seed=seed)
            pair["copies"] = num_copies(pair["weight"], seed=seed, row_id=pair["row_id"]) if materialise else 1
            rows.append(pair)
    return rows


def _pair_row(chosen: Candidate, rejected: Candidate, *, seed: int) -> dict[str, Any]:
    row_id = short_id(DATASET, PAIR_KIND, chosen.traj_id, rejected.traj_id)
    return {
        "row_id": row_id,
        "pair_kind": PAIR_KIND,
        "chosen_id": chosen.traj_id,
        "rejected_id": rejected.traj_id,
        "task_key": chosen.task_key,
        "task_group": chosen.task_group,
        "environment": chosen.environment,
        "margin": (chosen.reward or 0.0) - (rejected.reward or 0.0),
        "chosen_reward": chosen.reward,
        "rejected_reward": rejected.reward,
        "num_tokens_chosen": chosen.token_count,
        "num_tokens_rejected": rejected.token_count,
        "weight": math.sqrt(chosen.weight * rejected.weight),
        "split": chosen.split,
        "position_key": position_key(seed, DATASET, row_id),
    }


def _explain(
    members: Sequence[Candidate], pool: TaskPool, pairs: Sequence[Pair], min_margin: float
) -> dict[str, UseReason]:
    """Return a reason for each member; a paired one that ends without a row was not drawn by its weight."""
    paired = {pool.chosen[success].traj_id for success, _ in pairs}
    paired |= {pool.rejected[failure].traj_id for _, failure in pairs}
    reasons = {}
    for member in members:
        opposite = pool.rejected if member.is_success else pool.chosen
        reasons[member.traj_id] = (
            UseReason.NOT_DRAWN
            if member.traj_id in paired
            else explain_unpaired(member, opposite, min_margin=min_margin)
        )
    return reasons


def _use_rows(
    candidates: Sequence[Candidate], pairs: Sequence[Mapping[str, Any]], reasons: Mapping[str, UseReason]
) -> list[dict[str, Any]]:
    standing: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda pair: pair["row_id"]):
        standing[pair["chosen_id"]].append(pair)
        standing[pair["rejected_id"]].append(pair)
    rows = []
    for candidate in sorted(candidates, key=lambda candidate: (candidate.role, candidate.traj_id)):
        own = standing.get(candidate.traj_id)
        rows += (
            [_use_row(candidate, UseReason.USED, pair) for pair in own]
            if own
            else [_use_row(candidate, reasons[candidate.traj_id], {})]
        )
    return rows


def _use_row(candidate: Candidate, reason: UseReason, pair: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "dataset": DATASET,
        "role": candidate.role,
        "traj_id": candidate.traj_id,
        "task_key": candidate.task_key,
        "row_id": pair.get("row_id"),
        "used": bool(pair),
        "reason": str(reason),
        "weight": pair.get("weight", candidate.weight),
        "copies": pair.get("copies", 0),
        "split": candidate.split,
        "position_key": pair.get("position_key"),
    }
