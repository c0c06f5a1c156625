import apache_beam as beam
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given
from hypothesis import strategies as st

from transforms.selecting.caps import CapCells, CapMember, choose_within_cap


def test_cap_takes_the_best_of_each_family_first() -> None:
    members = [
        CapMember(0, "a", "f1"),
        CapMember(1, "b", "f1"),
        CapMember(2, "c", "f1"),
        CapMember(3, "d", "f2"),
        CapMember(4, "e", None),
        CapMember(5, "f", None),
        CapMember(6, "g", "f2"),
    ]

    assert choose_within_cap(members, 1) == ["a"]
    assert choose_within_cap(members, 3) == ["a", "d", "e"]
    assert choose_within_cap(members, 5) == ["a", "b", "d", "e", "f"]
    assert choose_within_cap(members, 6) == ["a", "b", "d", "e", "f", "g"]
    assert choose_within_cap(members, 99) == ["a", "b", "c", "d", "e", "f", "g"]


def test_cap_of_an_empty_cell_is_empty() -> None:
    assert choose_within_cap([], 2) == []


@given(st.lists(st.sampled_from([None, "f", "g"]), max_size=10), st.integers(1, 12), st.randoms(use_true_random=False))
def test_cap_keeps_as_many_as_it_may_in_any_order_and_more_only_adds(
    families: list[str | None], limit: int, random: object
) -> None:
    members = [CapMember(rank, f"t{rank}", family) for rank, family in enumerate(families)]
    shuffled = random.sample(members, len(members))  # type: ignore[attr-defined]

    kept = choose_within_cap(shuffled, limit)

    assert len(kept) == min(limit, len(members))
    assert kept == choose_within_cap(members, limit)
    assert set(kept) <= set(choose_within_cap(members, limit + 1))
    assert not members or members[0].traj_id in kept


def test_cap_cells_gives_every_member_a_verdict() -> None:
    cell, other = ("id:1", "success", "m"), ("id:1", "success", "n")

    with TestPipeline() as pipeline:
        verdicts = (
            pipeline
            | beam.Create(
                [(cell, (2, "c", None)), (other, (3, "d", "f")), (cell, (1, "b", None)), (cell, (0, "a", "f"))]
            )
            | CapCells(max_per_cell=2)
        )
        assert_that(verdicts, equal_to([("a", True), ("b", True), ("c", False), ("d", True)]))
