"""DED-02 to DED-16: what counts as a copy, what becomes of it, and how much of it is found."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.lexical_corpus import run_words, with_noise
from tests.whole_runs import Curate, chat_rollout, write_jsonl
from transforms.lexical.shingles import jaccard, shingles
from transforms.lexical.signatures import make_engine, sign_strings


def test_ded_02_a_shared_prompt_joins_nothing(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "DED-02" / "data")
    names = curated.table("trajectories").select("traj_id", "native_id")
    groups = curated.table("clusters").join(names, on="traj_id").group_by("semantic_group").agg("native_id")
    assert groups.height == 12
    assert sorted(max(groups["native_id"].to_list(), key=len)) == ["bp3-copy0", "bp3-copy1", "bp3-copy2", "bp3-r0"]


def test_ded_05_short_runs_stay_apart_and_an_empty_one_is_set_aside(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "DED-05" / "data")
    table = curated.table("decisions").join(
        curated.table("trajectories").select("traj_id", "native_id", "instruction"), on="traj_id"
    )
    kept = table.filter(table["decision"] == "keep")
    assert sorted(kept["instruction"].drop_nulls().to_list()) == sorted(
        set(kept["instruction"].drop_nulls().to_list())
    )
    assert kept["instruction"].n_unique() >= 5
    assert kept.filter(kept["instruction"] == "git push").height == 1
    assert table.filter(table["reason"] == "empty").height == 1
    assert table.height + curated.manifest.funnel["quarantined"] == 7


def test_ded_07_every_dropped_copy_names_keeper_similarity_and_rule(tmp_path: Path, curate: Curate) -> None:
    records = [chat_rollout("one", 0, reward=1.0) | {"trajectory_id": f"copy{number}"} for number in range(10)]
    curated = curate(write_jsonl(tmp_path / "lake" / "part.jsonl", records))
    decisions = curated.table("decisions")
    kept = decisions.filter(decisions["decision"] == "keep")["traj_id"].to_list()
    dropped = decisions.filter(decisions["decision"] == "drop")
    assert (len(kept), dropped.height) == (1, 9)
    assert sorted([*kept, *dropped["traj_id"]]) == sorted(curated.table("trajectories")["traj_id"])
    assert set(dropped.select("stage", "reason", "reference_id", "similarity").iter_rows()) == {
        ("copies", "exact_copy", kept[0], 1.0)
    }


def test_ded_11_tasks_of_one_template_stay_apart_and_none_is_dropped(tmp_path: Path, curate: Curate) -> None:
    text = "Convert the first {} files of the archive to plain text and write the number of words of each to a table."
    records = []
    for number in range(10):
        record = chat_rollout("same", 0, reward=1.0) | {"trajectory_id": f"t{number}", "task_id": None}
        record["messages"][1]["content"] = text.format(number + 3)
        records.append(record)
    curated = curate(write_jsonl(tmp_path / "lake" / "part.jsonl", records))
    assert curated.table("clusters")["task_group"].n_unique() == 10
    assert set(curated.table("decisions")["decision"]) == {"keep"}


@pytest.mark.parametrize(("reward", "num_turns"), [(1.0, 10), (0.0, 10), (1.0, 27), (1.0, 29)])
def test_ded_13_of_a_cut_run_and_its_full_twin_the_full_one_stays(
    tmp_path: Path, curate: Curate, reward: float, num_turns: int
) -> None:
    full = chat_rollout("one", 0, reward=1.0, turns=30) | {"trajectory_id": "full"}
    cut: dict[str, Any] = full | {"trajectory_id": "cut", "reward": reward}
    cut["messages"] = full["messages"][: 2 + 2 * num_turns]
    curated = curate(write_jsonl(tmp_path / "lake" / "part.jsonl", [cut, full]))
    names = dict(curated.table("trajectories").select("native_id", "traj_id").iter_rows())
    rows = {row["traj_id"]: row for row in curated.table("decisions").iter_rows(named=True)}
    assert rows[names["full"]]["decision"] == "keep"
    cut_row = rows[names["cut"]]
    if reward == 0.0:
        # A failure that begins as a success does is the pair to learn from.
        assert cut_row["decision"] == "keep"
    else:
        # What is cut late is a near-copy as well, and goes to its full twin all the same.
        assert (cut_row["stage"], cut_row["reason"]) == ("copies", "cut_copy")
        assert cut_row["reference_id"] == names["full"]
        assert cut_row["similarity"] >= 0.95


def test_ded_16_recall_and_false_merges_are_known_at_each_similarity() -> None:
    rng = random.Random(16)
    vocabulary = [f"{rng.choice('abcdefgh')}{number}" for number in range(5000)]
    pairs = []
    for noise in (0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1):
        for _ in range(60):
            base = run_words(rng, vocabulary, 690)
            pairs.append((" ".join(base), " ".join(with_noise(rng, base, vocabulary, noise))))
    truth = np.array([jaccard(shingles(left), shingles(right)) for left, right in pairs])
    for name in ("fast", "datasketch"):
        left, right = (sign_strings(make_engine(name), texts).minhash for texts in zip(*pairs, strict=True))
        estimate = (left == right).mean(axis=1)
        print(f"{name}: similarity, pairs, joined at .8, mean error")
        for low, high in ((0.0, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0), (1.0, 1.1)):
            inside = (truth >= low) & (truth < high)
            joined = (estimate[inside] >= 0.8).mean()
            error = (estimate - truth)[inside].mean()
            print(f"  {low:.1f}-{min(high, 1.0):.1f} {inside.sum():>5} {joined:.3f} {error:+.4f}")
            assert inside.sum() >= 20
            # Four standard errors of the mean of the step; at .7 a pair is joined when it is off by three of its own.
            assert abs(error) < 4 * 0.045 / inside.sum() ** 0.5
            assert joined == 0 if high <= 0.7 else joined <= 0.4 if high <= 0.8 else joined >= 0.6
            assert joined >= (0.99 if low >= 0.9 else 0)
        foreign = (left[:, None] == right[None, :]).mean(axis=2) >= 0.8
        np.fill_diagonal(foreign, False)
        assert not foreign.any()
