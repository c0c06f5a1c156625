import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from transforms.formats.message_graph import graph_of
from transforms.reading.failures import RecordError


def nodes(*parents):
    return [{"parent": parent} for parent in parents]


def test_last_branch_comes_first_and_owns_what_it_shares():
    branches = graph_of(nodes(None, 0, 1, 0, 3)).branches
    assert [(one.index, one.nodes, sorted(one.own)) for one in branches] == [
        (1, (0, 3, 4), [0, 3, 4]),
        (0, (0, 1, 2), [1, 2]),
    ]


def test_several_roots_are_several_branches():
    assert [one.nodes for one in graph_of(nodes(None, None)).branches] == [(1,), (0,)]


@pytest.mark.parametrize("parent", [0, 1, -1, True, "0", 0.5])
def test_parent_must_stand_before_its_child(parent):
    with pytest.raises(RecordError) as caught:
        graph_of(nodes(parent))
    assert caught.value.reason is QuarantineReason.INVALID_MESSAGE


def test_graph_that_unfolds_too_far_is_set_aside():
    chain = [None, *range(400)]
    with pytest.raises(RecordError) as caught:
        graph_of(nodes(*chain, *[400] * 400))
    assert caught.value.reason is QuarantineReason.TOO_LARGE


@given(st.lists(st.integers(-1, 30), max_size=30))
def test_every_node_is_the_own_of_one_branch(drawn):
    parents = [None if parent < 0 or not index else parent % index for index, parent in enumerate(drawn)]
    branches = graph_of(nodes(*parents)).branches
    assert sorted(node for one in branches for node in one.own) == list(range(len(parents)))
    for one in branches:
        assert [parents[node] for node in one.nodes] == [None, *one.nodes[:-1]]
