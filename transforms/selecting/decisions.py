"""Decide for every trajectory whether it is in the curated pool, and say why."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

from schemas.reasons import DecisionReason, OutcomeClass
from schemas.tables.clusters import METHOD_CONTAINMENT, METHOD_EXACT, METHOD_LEXICAL, METHOD_SEMANTIC

KEEP: Final = "keep"
DROP: Final = "drop"

_STAGES: Final[dict[DecisionReason, str]] = {
    DecisionReason.EXACT_COPY: "copies",
    DecisionReason.NEAR_DUPLICATE: "copies",
    DecisionReason.CUT_COPY: "copies",
    DecisionReason.SEMANTIC_DUPLICATE: "similar",
    DecisionReason.IN_REFERENCE_SET: "references",
}
"""Reason → the stage that found it; the others are found here."""

_REASONS: Final[dict[str, DecisionReason]] = {
    METHOD_EXACT: DecisionReason.EXACT_COPY,
    METHOD_LEXICAL: DecisionReason.NEAR_DUPLICATE,
    METHOD_CONTAINMENT: DecisionReason.CUT_COPY,
    METHOD_SEMANTIC: DecisionReason.SEMANTIC_DUPLICATE,
}
"""Method by which a row was found to repeat its keeper → the reason it is dropped for."""

REDUNDANT_REASONS: Final = frozenset(_STAGES) - {DecisionReason.IN_REFERENCE_SET}
"""Another trajectory of the lake keeps the row's place."""

_PLACE_REASONS: Final = frozenset({DecisionReason.APPROACH_CAP, DecisionReason.TASK_CAP, DecisionReason.BUDGET})
"""There was no place for the row."""

_CHOSEN_AMONG: Final = REDUNDANT_REASONS - {DecisionReason.CUT_COPY}
"""The keeper was chosen by the keeper order; of a run and its beginning the whole run stays, whatever the order."""


class Verdict(NamedTuple):
    """The reason for a decision; a redundant trajectory names its keeper and its similarity to it."""

    reason: DecisionReason
    reference_id: str | None = None
    similarity: float | None = None


KEPT: Final = Verdict(DecisionReason.KEPT)


def first_verdicts(columns: pa.Table) -> list[Verdict]:
    """Return the verdict of every row before cap and budget, in row order.

    The first rule that applies decides: there is nothing to learn from, as the agent did nothing (`is_empty`; a task
    that has nothing else may keep one of these, which weighs nothing and is in no dataset); the reward is
    invalid; another trajectory keeps its place (an exact copy, a near-duplicate, a run cut from it, a semantic
    duplicate); a reference set holds it already, of which the redundant trajectories it stands for are none the more
    kept. Safety and audit flags drop nothing from the pool: a dataset leaves a flagged trajectory out where it must
    not be shown.

    Args:
        columns: `traj_id`, `outcome_class`, `is_empty`, `keeper_id`, `method`, `similarity_to_keeper`,
            `repeated_item`, `item_similarity`. `repeated_item` is what a reference set holds of the row, null where
            it does not.
    """
    return [_first_verdict(row) for row in columns.to_pylist()]


def _first_verdict(row: Mapping[str, Any]) -> Verdict:
    if row["is_empty"]:
        return Verdict(DecisionReason.EMPTY)
    if row["outcome_class"] == OutcomeClass.INVALID:
        return Verdict(DecisionReason.INVALID_REWARD)
    if row["traj_id"] == row["keeper_id"]:
        if row["repeated_item"] is None:
            return KEPT
        return Verdict(DecisionReason.IN_REFERENCE_SET, row["repeated_item"], row["item_similarity"])
    return Verdict(_REASONS[row["method"]], row["keeper_id"], row["similarity_to_keeper"])


def narrow_verdicts(
    verdicts: Sequence[Verdict], ids: Sequence[str], *, chosen: Collection[str], reason: DecisionReason
) -> list[Verdict]:
    """Return the verdicts with those kept rows that were not chosen dropped for `reason`."""
    return [
        Verdict(reason) if verdict.reason == DecisionReason.KEPT and traj_id not in chosen else verdict
        for traj_id, verdict in zip(ids, verdicts, strict=True)
    ]


def follow_keepers(verdicts: Sequence[Verdict], ids: Sequence[str]) -> list[Verdict]:
    """Return the verdicts with each redundant row whose keeper fell to a cap or to the budget fallen with it.

    No run of the pool stays for it: it has no keeper. A row whose keeper a reference set holds names it still, as what
    it repeats is not lost.
    """
    verdict_of = dict(zip(ids, verdicts, strict=True))
    followed = []
    for verdict in verdicts:
        of_keeper = verdict_of[verdict.reference_id or ""] if verdict.reason in REDUNDANT_REASONS else verdict
        followed.append(of_keeper if of_keeper.reason in _PLACE_REASONS else verdict)
    return followed


def decision_rows(columns: pa.Table, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return the rows of the table `decisions`, exactly one per trajectory, sorted by id.

    Args:
        columns: `traj_id`, `score`, `educational_score`, `weight`, `stratum`, `split`, and `keeper_rule`, the rule by
            which the keeper is better; a dropped row's weight is 0.
        verdicts: Verdict of each row.
    """
    rows = []
    for row, verdict in zip(columns.to_pylist(), verdicts, strict=True):
        kept = verdict.reason == DecisionReason.KEPT
        rows.append(
            {
                "traj_id": row["traj_id"],
                "decision": KEEP if kept else DROP,
                "stage": _STAGES.get(verdict.reason, "select"),
                "reason": str(verdict.reason),
                "reference_id": verdict.reference_id,
                "similarity": verdict.similarity,
                "keeper_rule": row["keeper_rule"] if verdict.reason in _CHOSEN_AMONG else None,
                "score": row["score"],
                "educational_score": row["educational_score"],
                "weight": row["weight"] if kept else 0.0,
                "stratum": row["stratum"],
                "split": row["split"],
            }
        )
    return sorted(rows, key=lambda row: row["traj_id"])
