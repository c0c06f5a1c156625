import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import SettingsError
from transforms.selecting.seeds import RlTask, SeedTask, choose_rl_tasks, read_seed_file, seed_counts

_GOOD = b'{"task_id": "s1", "prompt": "Fix it", "environment": "swe", "ground_truth": "42", "a": [1]}'


def test_seed_file_gives_tasks_with_all_other_fields_for_the_verifier() -> None:
    content = _GOOD + b'\n\n  \n{"task_id": 7, "prompt": "p", "environment": "e", "verifier": {"kind": "unit"}}\n'

    assert read_seed_file(content, "seeds.jsonl") == (
        SeedTask("s1", "Fix it", "swe", '{"a":[1],"ground_truth":"42"}'),
        SeedTask("7", "p", "e", '{"verifier":{"kind":"unit"}}'),
    )
    assert read_seed_file(b"", "seeds.jsonl") == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"task_id": "s2"', r"^seeds\.jsonl: line 2: no valid JSON \("),
        (b"[1]", r"^seeds\.jsonl: line 2: must be a JSON object, got list$"),
        (b'{"prompt": "p", "environment": "e", "v": 1}', r"^seeds\.jsonl: line 2: field 'task_id' is missing$"),
        (b'{"task_id": "x", "environment": "e", "v": 1}', r"line 2: field 'prompt' is missing$"),
        (b'{"task_id": "x", "prompt": "p", "v": 1}', r"line 2: field 'environment' is missing$"),
        (
            b'{"task_id": "x", "prompt": " ", "environment": "e", "v": 1}',
            r"'prompt' must be a text that is not blank, got ' '$",
        ),
        (
            b'{"task_id": "x", "prompt": 5, "environment": "e", "v": 1}',
            r"'prompt' must be a text that is not blank, got 5$",
        ),
        (b'{"task_id": true, "prompt": "p", "environment": "e", "v": 1}', r"'task_id' must be a text .* got True$"),
        (
            b'{"task_id": "x", "prompt": "p", "environment": "e"}',
            r"line 2: no verifier field beside task_id, prompt, environment$",
        ),
        (_GOOD, r"line 2: task_id 's1' stands on line 1 already$"),
    ],
)
def test_bad_line_of_the_seed_file_is_named_with_its_field(line: bytes, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_seed_file(_GOOD + b"\n" + line, "seeds.jsonl")


def test_seed_counts_reach_the_share_and_never_exceed_that_of_the_unsolved() -> None:
    assert seed_counts(90, 50, num_unsolved=0, share=0.1, unsolved_share=0.02) == (10, 0)
    assert seed_counts(88, 50, num_unsolved=9, share=0.1, unsolved_share=0.02) == (10, 2)
    assert seed_counts(90, 4, num_unsolved=9, share=0.1, unsolved_share=0.02) == (4, 1)
    assert seed_counts(90, 50, num_unsolved=9, share=0.0, unsolved_share=0.1) == (0, 9)
    assert seed_counts(26, 0, num_unsolved=14, share=0.1, unsolved_share=0.02) == (0, 0)
    assert seed_counts(0, 5, num_unsolved=3, share=0.1, unsolved_share=0.02) == (5, 0)


@given(st.integers(1, 2000), st.integers(0, 300), st.integers(0, 100), st.floats(0, 0.5), st.floats(0, 0.2))
def test_seed_counts_lie_within_a_row_of_their_share(
    learnable: int, num_seeds: int, unsolved: int, share: float, unsolved_share: float
) -> None:
    seeds, hopeless = seed_counts(
        learnable, num_seeds, num_unsolved=unsolved, share=share, unsolved_share=unsolved_share
    )
    rows = learnable + seeds + hopeless

    assert 0 <= hopeless <= min(unsolved, unsolved_share * rows)
    assert seeds <= num_seeds
    assert seeds - share * rows <= 1
    if seeds < num_seeds:
        assert abs(seeds / rows - share) <= max(0.01, 1 / rows)


def _tasks(**counts: int) -> list[RlTask]:
    kinds = {
        "mixed": ("train", "mixed"),
        "single": ("train", "single_rollout"),
        "few": ("train", "few_rollouts"),
        "hard": ("hard_seed", "solved_sometimes"),
        "near": ("hard_seed", "near_miss"),
        "file": ("hard_seed", "seed_file"),
        "mastered": ("mastered", "all_pass"),
        "unsolved": ("unsolved", "all_fail"),
        "unscored": ("unscored", "no_score"),
    }
    return [RlTask(f"id:{kind}{n}", *kinds[kind]) for kind, count in counts.items() for n in range(count)]


def _count(tasks: list[RlTask], share: float = 0.1, unsolved_share: float = 0.02) -> dict[str, int]:
    """Count the rows by kind and what became of them."""
    reasons = choose_rl_tasks(tasks, seed=3, share=share, unsolved_share=unsolved_share)
    assert set(reasons) == {task.task_key for task in tasks}
    counts: dict[str, int] = {}
    for key, reason in reasons.items():
        name = f"{key.removeprefix('id:').rstrip('0123456789')}/{reason}"
        counts[name] = counts.get(name, 0) + 1
    return counts


def test_learnable_tasks_are_used_and_hard_seeds_are_drawn_to_their_share() -> None:
    assert _count(_tasks(mixed=88, hard=20, file=20, unsolved=30, mastered=5, unscored=4)) == {
        "mixed/used": 88,
        "hard/used": 5,
        "hard/not_drawn": 15,
        "file/used": 5,
        "file/not_drawn": 15,
        "unsolved/used": 2,
        "unsolved/unsolved": 28,
        "mastered/no_signal": 5,
        "unscored/unscored": 4,
    }


def test_share_of_zero_turns_seeding_off_and_hard_mixed_tasks_are_learnable() -> None:
    assert _count(_tasks(mixed=5, hard=3, near=2, file=1), share=0.0) == {
        "mixed/used": 5,
        "hard/used": 3,
        "near/not_drawn": 2,
        "file/not_drawn": 1,
    }


def test_without_learnable_tasks_all_hard_seeds_are_used() -> None:
    assert _count(_tasks(hard=3, unsolved=2)) == {"hard/used": 3, "unsolved/unsolved": 2}


def test_tasks_with_few_rollouts_fill_only_what_sixty_percent_mixed_leave() -> None:
    assert _count(_tasks(mixed=6, few=10)) == {"mixed/used": 6, "few/used": 4, "few/share_filled": 6}
    assert _count(_tasks(mixed=6, few=3)) == {"mixed/used": 6, "few/used": 3}


def test_single_rollouts_cannot_be_mixed_and_do_not_count_there() -> None:
    assert _count(_tasks(mixed=6, few=10, single=50), share=0.0, unsolved_share=0.0) == {
        "mixed/used": 6,
        "few/used": 4,
        "few/share_filled": 6,
        "single/used": 50,
    }


def test_lake_without_a_mixed_task_uses_the_tasks_it_has() -> None:
    assert _count(_tasks(few=10)) == {"few/used": 10}


def test_hard_seeds_that_are_mixed_count_as_mixed() -> None:
    assert _count(_tasks(mixed=3, few=9, hard=9), share=0.5)["few/used"] == 8
    assert _count(_tasks(mixed=3, few=9, near=9), share=0.5) == {
        "mixed/used": 3,
        "few/share_filled": 9,
        "near/used": 3,
        "near/not_drawn": 6,
    }


def test_choice_is_free_of_the_order_of_tasks_and_drawn_by_the_seed() -> None:
    tasks = _tasks(mixed=50, hard=40, few=60, unsolved=9)
    choose = {"share": 0.1, "unsolved_share": 0.02}

    chosen = choose_rl_tasks(tasks, seed=3, **choose)

    assert choose_rl_tasks(tasks[::-1], seed=3, **choose) == chosen
    assert choose_rl_tasks(tasks, seed=4, **choose) != chosen
