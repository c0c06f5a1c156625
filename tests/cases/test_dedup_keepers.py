"""DED-04 and DED-09: which of several copies stays is the user's to say, and an earlier batch's copies are known."""

from pathlib import Path
from typing import Any

import pytest

from tests.whole_runs import Curate, chat_rollout, write_jsonl


def _lake(folder: Path) -> Path:
    """Five near-copies of one run: what each stands for is in its id."""
    words = " ".join(f"word{number}" for number in range(400))
    facts: dict[str, dict[str, Any]] = {
        "d verified short": {"tests_passed": 4, "tests_failed": 0},
        "c verified long": {"tests_passed": 4, "tests_failed": 0},
        "b unverified short": {},
        "a unverified long": {},
        "e verified short": {"tests_passed": 4, "tests_failed": 0},
    }
    records = []
    for name, more in facts.items():
        record = chat_rollout("task", 0, reward=1.0, words=words)
        messages = list(record["messages"])
        if "long" in name:
            messages.insert(-1, {"role": "assistant", "content": "I read it once more."})
        records.append({**record, "trajectory_id": name, "messages": messages, **more})
    return write_jsonl(folder / "lake" / "part.jsonl", records)


@pytest.mark.parametrize(
    ("order", "keepers", "rules"),
    [
        (None, "de", {"a": "verified", "b": "verified", "c": "fewest_steps"}),
        (["fewest_steps", "smallest_id"], "bde", {"a": "fewest_steps", "c": "fewest_steps"}),
        (["most_steps", "verified"], "c", {"a": "verified", "b": "most_steps", "d": "most_steps"}),
    ],
)
def test_ded_04_written_order_chooses_the_keeper_and_the_drop_list_says_by_which_rule(
    tmp_path: Path, curate: Curate, order: list[str] | None, keepers: str, rules: dict[str, str]
) -> None:
    settings = {} if order is None else {"selection": {"keeper_order": order}}
    curated = curate(_lake(tmp_path), settings=settings)

    letters = {key: name[0] for key, name in curated.table("trajectories").select("traj_id", "native_id").iter_rows()}
    by_letter = {letters[row["traj_id"]]: row for row in curated.table("decisions").to_dicts()}
    (keeper,) = (letter for letter, row in by_letter.items() if row["decision"] == "keep")
    tied = [key for key, letter in letters.items() if letter in keepers]
    assert by_letter[keeper]["traj_id"] == min(tied)
    dropped = {letter: row for letter, row in by_letter.items() if letter != keeper}
    assert {row["reference_id"] for row in dropped.values()} == {by_letter[keeper]["traj_id"]}
    assert {letter: dropped[letter]["keeper_rule"] for letter in rules} == rules
    others = set(dropped) & set(keepers)
    assert {dropped[letter]["keeper_rule"] for letter in others} <= {"smallest_id"}


def test_ded_09_copies_of_an_earlier_batch_are_known(tmp_path: Path, curate: Curate) -> None:
    def batch(name: str, numbers: list[int]) -> Path:
        records = [
            chat_rollout(f"task{number % 5}", number, reward=1.0) | {"trajectory_id": f"{name}-{number}"}
            for number in numbers
        ]
        return write_jsonl(tmp_path / name / "part.jsonl", records)

    first = curate(batch("one", list(range(20))), store="first")
    second = curate(
        batch("two", [*range(6), *range(20, 34)]), store="second", settings={"reference_sets": [first.store.root]}
    )

    dropped = second.table("decisions").filter(decision="drop")
    assert dropped.height == 6
    assert set(dropped["reason"]) == {"in_reference_set"}
    assert set(dropped["reference_id"]) <= set(first.table("trajectories")["traj_id"])
