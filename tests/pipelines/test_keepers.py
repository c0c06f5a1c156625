"""Whatever the chains and the rules: a dropped row names a run that stays, and how similar these two are."""

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.pipelines.chained_lake import chained_records
from tests.whole_runs import Curate, Curated, write_jsonl

THRESHOLDS = {"exact_copy": 1.0, "near_duplicate": 0.8, "cut_copy": 0.95, "semantic_duplicate": 0.93}
SETTINGS: dict[str, Any] = {"semantic": {"min_similarity": THRESHOLDS["semantic_duplicate"]}}

RULES: dict[str, dict[str, Any]] = {
    "plain": {},
    "caps": {"selection": {"max_per_task": 3, "max_per_approach": 2}},
    "budget": {"selection": {"budget": 16}},
    "groups": {"selection": {"keep_groups": True}},
    "groups within a budget": {"selection": {"keep_groups": True, "budget": 30}},
    "joined tasks": {"task_groups": {"join_by_vectors": True, "vector_min_similarity": 0.6}},
}

QUICK = {("plain", 1), ("groups within a budget", 1)}
"""Rules and seeds that every run of the tests checks; the slow ones check all."""


class Measured(NamedTuple):
    """How similar any two rows are by each of the rules, from what the run signed and embedded."""

    signatures: dict[str, dict[str, Any]]
    vectors: dict[str, np.ndarray]
    first_of_text: dict[str, str]

    def similarity(self, reason: str, row: str, keeper: str) -> float:
        if reason == "exact_copy":
            return float(self.first_of_text[row] == self.first_of_text[keeper])
        mine, theirs = self.signatures[row], self.signatures[keeper]
        if reason == "near_duplicate":
            return float(np.mean(np.array(mine["minhash"]) == np.array(theirs["minhash"])))
        if reason == "cut_copy":
            limits = [max(each["bottom"]) for each in (mine, theirs) if len(each["bottom"]) < each["num_shingles"]]
            known = [value for value in mine["bottom"] if value <= min(limits, default=2**32)]
            return len(set(known) & set(theirs["bottom"])) / len(known)
        one, other = (self.vectors[self.first_of_text[each]].astype(np.float64) for each in (row, keeper))
        return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def measured(curated: Curated) -> Measured:
    views = curated.table("views").join(curated.table("signatures"), on="view_hash")
    bodies = curated.table("embeddings").filter(view="body").select("traj_id", "vector")
    return Measured(
        {row["traj_id"]: row for row in views.iter_rows(named=True)},
        {each: np.array(vector) for each, vector in bodies.iter_rows()},
        dict(curated.table("clusters").select("traj_id", "exact_group").iter_rows()),
    )


def check_keepers(curated: Curated) -> Counter[str]:
    """Check every decision, and return how many rows were dropped for each reason."""
    similarity = measured(curated).similarity
    cells = curated.table("clusters").select("traj_id", "task_group", "outcome_class")
    rows = {row["traj_id"]: row for row in curated.table("decisions").join(cells, on="traj_id").iter_rows(named=True)}
    for each, row in rows.items():
        reason = row["reason"]
        if reason in THRESHOLDS:
            keeper = rows[row["reference_id"]]
            assert keeper["reason"] in ("kept", "in_reference_set"), (each, reason)
            assert (keeper["task_group"], keeper["outcome_class"]) == (row["task_group"], row["outcome_class"])
            again = similarity(reason, each, row["reference_id"])
            assert row["similarity"] == pytest.approx(again, abs=1e-9), (each, reason)
            assert row["similarity"] >= THRESHOLDS[reason]
            assert (row["keeper_rule"] is None) == (reason == "cut_copy")
        elif reason != "in_reference_set":
            assert row["reference_id"] is row["similarity"] is None, (each, reason)
    return Counter(row["reason"] for row in rows.values())


@pytest.mark.parametrize(
    ("rules", "seed"),
    [
        pytest.param(rules, seed, marks=() if (rules, seed) in QUICK else pytest.mark.slow)
        for rules in RULES
        for seed in range(1, 6)
    ],
)
def test_a_dropped_row_names_a_run_that_stays(rules: str, seed: int, tmp_path: Path, curate: Curate) -> None:
    records = chained_records(seed, num_policies=16 if "groups" in rules else 2)
    lake = write_jsonl(tmp_path / "lake" / "part.jsonl", records)

    reasons = check_keepers(curate(lake, settings=SETTINGS | RULES[rules]))

    print(rules, seed, dict(reasons))
    assert reasons.keys() >= {"kept", "near_duplicate", "semantic_duplicate"}


def test_a_copy_of_what_a_reference_set_holds_names_a_run_that_is_held(tmp_path: Path, curate: Curate) -> None:
    records = chained_records(3)
    first = curate(write_jsonl(tmp_path / "first" / "part.jsonl", records[::2]), settings=SETTINGS, store="first")
    sets = {"reference_sets": [first.store.root], "selection": {"max_per_task": 3}}
    again = curate(write_jsonl(tmp_path / "lake" / "part.jsonl", records), settings=SETTINGS | sets)

    reasons = check_keepers(again)

    assert reasons.keys() >= {"kept", "in_reference_set", "near_duplicate", "semantic_duplicate", "task_cap"}
    decisions = again.table("decisions")
    held = set(decisions.filter(reason="in_reference_set")["traj_id"])
    assert held & set(decisions["reference_id"])
    kept = set(first.table("decisions").filter(decision="keep")["traj_id"])
    assert set(decisions.filter(reason="in_reference_set")["reference_id"]) <= kept
