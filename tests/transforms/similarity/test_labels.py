import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transforms.similarity.labels import MAX_ACTIONS, family_label, medoid, skeleton_actions

ACTIONS = st.lists(st.sampled_from(["grep", "cat", "edit", "edit main.py", "pytest err"]), max_size=4)


def test_actions_are_told_with_and_without_their_target():
    skeleton = "bash:git - ok\nedit main.py ok\nedit main.py err\nsay - ok\nedit main.py ok"
    assert skeleton_actions(skeleton) == ["bash:git", "edit", "edit main.py", "edit err", "edit main.py err", "say"]


def test_lines_that_are_no_actions_are_passed_over_and_long_runs_cut():
    assert skeleton_actions("") == []
    assert skeleton_actions("word\ntwo words") == []
    assert len(skeleton_actions("\n".join(f"tool{number} file ok" for number in range(100)))) == MAX_ACTIONS


def test_a_label_names_what_others_lack():
    searchers = [["grep", "cat", "say"], ["grep", "cat"], ["grep", "say"]]
    others = [["edit", "cat", "say"], ["edit", "say"], ["pytest", "say"]]
    assert family_label(searchers, searchers + others) == "grep + cat + say"


def test_a_label_leaves_out_what_few_members_did():
    members = [["look", f"look file{number}"] for number in range(4)]
    assert family_label(members, [*members, ["look"]]) == "look"
    assert family_label([["a"], ["b"], ["c"]], [["a"], ["b"], ["c"]]) == "a"


def test_a_label_does_not_say_the_same_twice():
    members = [["edit", "edit main.py", "edit main.py err"]] * 2
    assert family_label(members, [*members, ["cat"]]) == "edit"


def test_a_family_that_differs_in_nothing_is_named_by_what_it_does():
    assert family_label([["cat", "grep"]], [["cat", "grep"]]) == "cat + grep"
    assert family_label([[]], [[], ["cat"]]) == "no actions"


@given(st.lists(ACTIONS, min_size=1, max_size=5), st.lists(ACTIONS, max_size=5), st.randoms(use_true_random=False))
def test_a_label_does_not_depend_on_the_order_of_members(members, others, random):
    everyone = members + others
    shuffled = random.sample(members, len(members))
    assert family_label(members, everyone) == family_label(shuffled, random.sample(everyone, len(everyone)))


def test_the_medoid_is_nearest_to_the_mean_and_ties_go_to_the_smaller_id():
    points = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    assert medoid(points, ["c", "b", "a"]) == "b"
    assert medoid(np.eye(2), ["z", "y"]) == "y"
