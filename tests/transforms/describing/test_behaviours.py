import json
import random

from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import EnvType, Termination
from transforms.describing.behaviours import describe_behaviours, loop_length, repeat_ratio
from transforms.describing.edits import work_of


def _behaviours_row(trajectory):
    return describe_behaviours(trajectory, work_of(trajectory))


KEYS = st.lists(st.tuples(st.just("t"), st.sampled_from("abcd")), max_size=20)
EDIT = ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}, "edited")
SUBMIT = ("submit", {}, "")


def test_a_whole_row(make_trajectory, bash):
    trajectory = make_trajectory(
        bash("cat a.py", "x"), bash("cat b.py", "cat: b.py: No such file or directory"),
        bash("cat b.py", "cat: b.py: No such file or directory"), EDIT, bash("pytest -q", "1 passed"), SUBMIT,
    )  # fmt: skip
    assert _behaviours_row(trajectory) == {
        "traj_id": "t",
        "repeat_ratio": 1 - 5 / 6,
        "loop_length": 0,
        "ignored_feedback_count": 1,
        "invalid_action_ratio": 0.0,
        "error_ratio": 2 / 6,
        "recovered": True,
        "first_error_step": 3,
        "premature_submit": False,
        "no_verification": False,
        "agent_acted": True,
    }


def test_loops_of_period_one_to_three_count_from_the_third_round():
    a, b, c, d = (("t", letter) for letter in "abcd")
    assert loop_length([a, a]) == 0
    assert loop_length([b, a, a, a]) == 3
    assert loop_length([a, b, a, b, a, b, a]) == 7
    assert loop_length([a, b, c] * 3) == 9
    assert loop_length([a, b, c, d] * 3) == 0


@given(KEYS)
def test_repeat_ratio_is_bounded_and_free_of_order(keys):
    shuffled = random.Random(0).sample(keys, len(keys))
    assert 0 <= repeat_ratio(keys) < 1
    assert repeat_ratio(shuffled) == repeat_ratio(keys)
    assert 0 <= loop_length(keys) <= len(keys)


def test_unparsed_unknown_and_incomplete_calls_are_invalid(make_trajectory):
    tools = json.dumps([{"type": "function", "function": {"name": "book", "parameters": {"required": ["id"]}}}])
    trajectory = make_trajectory(
        ("book", {"id": 1}, "ok"), ("book", {"no": 1}, "ok"), ("boook", {"id": 1}, "ok"), ("book", None, "ok"),
        env_type=EnvType.API, tools_json=tools,
    )  # fmt: skip
    assert _behaviours_row(trajectory)["invalid_action_ratio"] == 0.75


def test_submitting_unchecked_work_is_premature(make_trajectory, bash):
    passing, failing = bash("pytest", "1 passed"), ("bash", {"command": "pytest"}, "ValueError: no\n1 failed")
    expected = {
        "no edit": ([bash("ls"), SUBMIT], True, False),
        "no run after the edit": ([passing, EDIT, SUBMIT], True, True),
        "last run failing": ([EDIT, failing, SUBMIT], True, False),
        "checked": ([EDIT, bash("cd x && python reproduce.py", "ok"), SUBMIT], False, False),
        "never submitted": ([EDIT], False, True),
    }
    seen = {
        name: (row["premature_submit"], row["no_verification"])
        for name, (acts, _, _) in expected.items()
        for row in [_behaviours_row(make_trajectory(*acts))]
    }
    assert seen == {name: (premature, unverified) for name, (_, premature, unverified) in expected.items()}


def test_a_submission_by_termination_counts_too(make_trajectory):
    assert _behaviours_row(make_trajectory(EDIT, termination=Termination.SUBMITTED))["premature_submit"]


def test_an_agent_without_a_step_has_not_acted(make_trajectory):
    row = _behaviours_row(make_trajectory())
    assert (row["agent_acted"], row["error_ratio"], row["repeat_ratio"]) == (False, None, 0.0)


@given(
    st.lists(
        st.tuples(
            st.text(max_size=8),
            st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=2),
            st.none() | st.text(max_size=30),
        ),
        max_size=6,
    ),
    st.none() | st.text(max_size=20),
)
def test_ratios_are_bounded_on_any_text(make_trajectory, acts, tools):
    row = _behaviours_row(make_trajectory(*acts, tools_json=tools))
    assert 0 <= row["repeat_ratio"] <= 1
    assert 0 <= row["invalid_action_ratio"] <= 1
    assert row["error_ratio"] is None or 0 <= row["error_ratio"] <= 1
    assert 0 <= row["ignored_feedback_count"] <= max(len(acts) - 1, 0)
