import numpy as np
import pytest

from transforms.lexical.signatures import NUM_SLOTS, Signatures
from transforms.similarity import references
from transforms.similarity.reference_sets import ReferenceItems
from transforms.similarity.references import Hit, Rollouts, match_items

_GROUPS = {"t1": "g1", "t2": "g1", "t3": "g3"}


def _signatures(*agreements: int) -> Signatures:
    """Return one signature per number: so many slots as the model signature, the others its own."""
    made = np.zeros((len(agreements), NUM_SLOTS), dtype=np.uint32)
    for row, count in enumerate(agreements):
        made[row] = 1000 * (row + 1) + np.arange(NUM_SLOTS)
        made[row, :count] = 1 + np.arange(count)
    return made


def _items(
    keys: list[str | None],
    classes: list[str | None],
    *,
    agreements: list[int],
    vectors: list[list[float]] | None = None,
) -> ReferenceItems:
    return ReferenceItems(
        ids=[f"i{number}" for number in range(len(keys))],
        task_keys=[frozenset() if key is None else frozenset({key}) for key in keys],
        outcome_classes=classes,
        signatures=_signatures(*agreements),
        vectors=np.array(vectors if vectors else [[0.0]] * len(keys), dtype=np.float16),
    )


def _rollouts(groups: list[str], classes: list[str], vectors: list[list[float]] | None = None) -> Rollouts:
    signatures = _signatures(*[NUM_SLOTS] * len(groups))
    return Rollouts(
        [f"t{number}" for number in range(len(groups))],
        groups,
        classes,
        signatures,
        np.array(vectors or [[0.0]] * len(groups), dtype=np.float16),
    )


def _match(rollouts: Rollouts, items: ReferenceItems, min_cosine: float | None = None) -> list[Hit]:
    return match_items(rollouts, items, group_of_key=_GROUPS, min_jaccard=0.8, min_cosine=min_cosine)


def test_closest_item_of_the_same_task_and_outcome_is_named() -> None:
    items = _items(
        ["t2", "t1", "t1", "t3"], ["success", "success", "failure", "success"], agreements=[110, 120, 128, 128]
    )

    assert _match(_rollouts(["g1", "g3"], ["success", "failure"]), items) == [Hit(0, 1, "lexical", 120 / 128)]


def test_the_same_record_is_known_by_its_id_however_its_text_reads() -> None:
    items = _items(["t1", "t2"], ["success", "failure"], agreements=[128, 0])

    assert _match(_rollouts(["g1"], ["success"])._replace(ids=["i1"]), items) == [Hit(0, 1, "exact", 1.0)]


def test_ties_go_to_the_smallest_id_and_what_is_too_far_is_no_hit() -> None:
    items = _items(["t1", "t1", "t1"], ["success"] * 3, agreements=[90, 115, 115])

    assert _match(_rollouts(["g1"], ["success"]), items) == [Hit(0, 1, "lexical", 115 / 128)]
    assert _match(_rollouts(["g1"], ["success"]), _items(["t1"], ["success"], agreements=[90])) == []


def test_item_that_tells_no_task_or_outcome_is_compared_with_all() -> None:
    rollouts = _rollouts(["g1", "g3"], ["success", "failure"])

    nothing_told = _match(rollouts, _items([None], [None], agreements=[128]))
    assert [(hit.rollout, hit.item) for hit in nothing_told] == [(0, 0), (1, 0)]
    outcome_told = _match(rollouts, _items([None], ["failure"], agreements=[128]))
    assert [(hit.rollout, hit.item) for hit in outcome_told] == [(1, 0)]
    other_task = _match(rollouts, _items(["unknown"], [None], agreements=[128]))
    assert other_task == []


def test_vectors_find_what_signatures_do_not() -> None:
    rollouts = _rollouts(["g1", "g1"], ["success", "success"], vectors=[[1, 0], [0, 1]])
    items = _items(["t1", "t1"], ["success"] * 2, agreements=[0, 128], vectors=[[1, 0.1], [1, 0]])

    signed = _match(rollouts, items)
    assert [hit.method for hit in signed] == ["lexical", "lexical"]
    items = items._replace(signatures=_signatures(0, 0))
    hits = _match(rollouts, items, min_cosine=0.9)
    assert [(hit.rollout, hit.item, hit.method) for hit in hits] == [(0, 1, "semantic")]
    assert hits[0].similarity == 1


def test_texts_without_a_word_repeat_nothing() -> None:
    empty = np.zeros((1, NUM_SLOTS), dtype=np.uint32)
    rollouts = _rollouts(["g1"], ["success"])._replace(signatures=empty)

    assert _match(rollouts, _items(["t1"], ["success"], agreements=[128])._replace(signatures=empty)) == []


def test_a_crowd_of_equal_items_costs_no_more_than_its_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MAX_PER_BUCKET", 2)
    items = _items(["t1"] * 50, ["success"] * 50, agreements=[128] * 50)

    assert _match(_rollouts(["g1"] * 3, ["success"] * 3), items) == [Hit(row, 0, "lexical", 1.0) for row in range(3)]
