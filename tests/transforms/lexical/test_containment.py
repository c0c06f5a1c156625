import random

import numpy as np
import pytest

from transforms.lexical import containment
from transforms.lexical.bands import least_matches, read_only
from transforms.lexical.containment import Runs, Sketches, find_containers
from transforms.lexical.signatures import FastEngine, sign_strings


def containers(*texts, min_share=0.95, order=None, bounds=None, near=1.0, num_steps=None, is_open=None):
    """Return what texts were cut from, those of a similarity of `near` at least being near-copies."""
    order = list(range(len(texts))) if order is None else order
    bounds = np.array([0, len(texts)] if bounds is None else bounds, dtype=np.int64)
    signed = sign_strings(FastEngine(), texts)
    sketches = Sketches(signed.bottom, signed.bottom_bounds.astype(np.int64), signed.num_shingles)
    steps, ends = (np.array(each or [0] * len(texts), dtype=np.int64) for each in (num_steps, is_open))
    runs = Runs(read_only(signed.minhash), least_matches(near), steps, ends)
    return find_containers(sketches, np.array(order, dtype=np.int64), bounds, min_share=min_share, runs=runs)


def run(seed, steps, *, first=0):
    """Return a run of so many steps; a shorter one of the same seed is its beginning."""
    rng = random.Random(seed)
    lines = [" ".join(f"w{rng.randrange(10**6)}" for _ in range(25)) for _ in range(first + steps)]
    return "\n".join(lines[first:])


@pytest.mark.parametrize("steps", [5, 10, 20, 29])
def test_a_cut_run_lies_inside_its_full_twin_whichever_comes_first(steps):
    for order in ([0, 1, 2], [2, 1, 0]):
        found = containers(run(1, steps), run(1, 30), run(2, 30), order=order)
        places = [order[place] for place in found.container.tolist()]

        assert dict(zip(order, places, strict=True)) == {0: 1, 1: 1, 2: 2}
        assert found.share.tolist() == [1.0, 1.0, 1.0]


def test_a_cut_in_the_middle_of_a_step_and_a_last_word_of_its_own_change_little():
    cut = run(1, 10)[:-40] + " exit cost"

    found = containers(cut, run(1, 30))

    assert found.container.tolist() == [1, 1]
    assert 0.95 <= found.share[0] <= 1.0


def test_a_run_cut_at_its_start_is_found_too():
    assert containers(run(1, 10, first=20), run(1, 30)).container.tolist() == [1, 1]


def test_runs_that_share_half_stay_apart_unless_half_is_enough():
    half = f"{run(1, 10)}\n{run(3, 10)}"

    assert containers(half, run(1, 40)).container.tolist() == [0, 1]
    assert containers(half, run(1, 40), min_share=0.4).container.tolist() == [1, 1]


def test_too_little_text_is_not_judged():
    assert containers(
        "one two three four five six", f"zero one two three four five six {run(1, 9)}"
    ).container.tolist() == [
        0,
        1,
    ]
    assert containers(run(1, 1), run(1, 60)).container.tolist() == [0, 1]


def test_equal_texts_hold_each_other_and_both_stay():
    assert containers(run(1, 9), run(1, 9)).container.tolist() == [0, 1]


def test_a_run_joins_the_best_of_those_that_stay():
    found = containers(run(1, 12), run(1, 20), run(1, 40), run(1, 38) + " and more of it", order=[0, 1, 2, 3])

    assert found.container.tolist() == [2, 2, 2, 2]


def test_cells_are_looked_at_each_by_itself():
    texts = [run(1, 10), run(1, 30), run(1, 10), run(1, 30)]

    assert containers(*texts, bounds=[0, 1, 2, 4]).container.tolist() == [0, 1, 3, 3]


def test_a_large_cell_finds_what_a_small_one_does(monkeypatch):
    texts = [run(seed, steps) for seed in range(30) for steps in (10, 14, 30)]
    small = containers(*texts)
    monkeypatch.setattr(containment, "_MAX_COMPARED_WITH_ALL", 10)

    large = containers(*texts)

    assert small.container.tolist() == [3 * (place // 3) + 2 for place in range(90)]
    assert (large.container == small.container).mean() > 0.95
    assert all(large.container[place] in (place, small.container[place]) for place in range(90))


@pytest.mark.parametrize(
    ("num_steps", "is_open", "expected"),
    [(None, None, [0, 1]), ([28, 30], [1, 0], [1, 1]), ([30, 30], [1, 0], [0, 1]), ([28, 30], [1, 1], [0, 1])],
    ids=["near-copies", "cut late", "as long", "both cut"],
)
def test_a_near_copy_is_cut_only_if_it_stops_where_the_longer_run_goes_on_to_its_end(num_steps, is_open, expected):
    found = containers(run(1, 28), run(1, 30), near=0.8, num_steps=num_steps, is_open=is_open)

    assert found.container.tolist() == expected


def test_nothing_holds_nothing():
    assert containers().container.tolist() == []
