import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.stars import keeper_first_groups

PAIRS = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]))


def neighbours_of(pairs):
    linked = {member: {} for member in range(8)}
    for left, right in pairs:
        linked[left][right] = linked[right][left] = (left + right) / 16
    return lambda member: (list(linked[member]), list(linked[member].values()))


def test_a_chain_does_not_join_its_ends():
    stars = keeper_first_groups([0, 1, 2], neighbours_of({(0, 1), (1, 2)}))

    assert stars.keeper.tolist() == [0, 0, 2]
    assert stars.similarity.tolist() == [1.0, 1 / 16, 1.0]


def test_a_member_joins_the_best_keeper_and_not_the_most_similar():
    stars = keeper_first_groups([1, 2, 0], neighbours_of({(0, 1), (0, 2)}))

    assert stars.keeper.tolist() == [1, 1, 2]
    assert stars.similarity.tolist() == [1 / 16, 1.0, 1.0]


def test_no_members_give_no_groups():
    stars = keeper_first_groups([], neighbours_of(set()))

    assert (stars.keeper.tolist(), stars.similarity.tolist()) == ([], [])


@given(st.permutations(range(8)), PAIRS)
def test_every_member_is_kept_or_joins_a_better_keeper_it_is_similar_to(order, pairs):
    stars = keeper_first_groups(order, neighbours_of(pairs))
    place = {member: rank for rank, member in enumerate(order)}
    kept = {member for member in order if stars.keeper[member] == member}

    for member in order:
        keeper = int(stars.keeper[member])
        linked = {other for pair in pairs if member in pair for other in pair if other != member}
        better = [other for other in linked & kept if place[other] < place[member]]
        assert keeper == (min(better, key=place.__getitem__) if better else member)
        assert keeper in kept
        assert stars.similarity[member] == (1.0 if keeper == member else (member + keeper) / 16)


@given(st.permutations(range(8)), PAIRS)
def test_grouping_again_changes_nothing(order, pairs):
    stars = keeper_first_groups(order, neighbours_of(pairs))
    kept = [member for member in order if stars.keeper[member] == member]
    told = []

    again = keeper_first_groups(
        range(len(kept)),
        neighbours_of({(kept.index(a), kept.index(b)) for a, b in pairs if a in kept and b in kept}),
        on_keep=told.append,
    )

    assert np.array_equal(again.keeper, np.arange(len(kept)))
    assert told == list(range(len(kept)))
