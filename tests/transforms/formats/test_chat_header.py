import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.settings.ingest import FieldMapSettings
from transforms.formats.chat_header import (
    RowFieldMaps,
    chat_header,
    columns_by_field,
    lost_components,
    taken_fields,
    unread_fields,
)
from transforms.reading.failures import RecordError

FIELDS = FieldMapSettings()


def header_of(**record):
    return chat_header(record, FIELDS, reward_range=(0.0, 1.0), first_user="first")


def test_bare_row_states_nothing():
    header, warnings = header_of()
    assert (header.task_text, header.reward, header.reward_name, header.env_type) == (
        "first",
        None,
        None,
        EnvType.OTHER,
    )
    assert (header.termination, header.reward_valid, warnings) == (Termination.UNKNOWN, True, ())


def test_bool_reward_states_success_and_null_is_not_scored():
    header, _ = header_of(resolved=True)
    assert (header.reward, header.success, header.reward_name, header.reward_raw) == (1.0, True, "resolved", "true")
    header, _ = header_of(reward=None, score=None)
    assert (header.reward, header.success, header.reward_name, header.reward_raw) == (None, None, "reward", "null")


def test_a_null_label_leaves_the_word_to_the_next_one_which_is_named():
    header, warnings = header_of(reward=None, resolved=True)
    assert (header.reward, header.success, header.reward_name, warnings) == (1.0, True, "resolved", ())
    assert taken_fields({"reward": None, "resolved": True}, FIELDS) >= {"reward", "resolved"}


@pytest.mark.parametrize(
    "labels",
    [
        {"reward": 1, "resolved": False},
        {"reward": 1.0, "is_correct": False},
        {"reward": 0, "target": True},
        {"reward": "pass", "success": False},
        {"reward": 0.5, "resolved": True, "target": "no"},
        {"reward": None, "resolved": True, "success": "failed"},
        {"reward": 1, "passed": False},
        {"reward": 0, "is_solved": "yes"},
        {"resolved": True, "patch_successfully_applied": False},
    ],
)
def test_labels_that_deny_each_other_are_no_label(labels):
    fields, _, _ = RowFieldMaps(FIELDS).of(labels)
    for names in (FIELDS, fields):
        header, warnings = chat_header(labels, names, reward_range=(0.0, 1.0), first_user=None)
        assert (header.reward, header.success, warnings) == (None, None, ("conflicting_label",))
        assert header.reward_raw is not None


@pytest.mark.parametrize(
    ("labels", "reward"),
    [
        ({"score": 0.25, "resolved": True}, 0.25),
        ({"reward": 1, "resolved": True, "success": True}, 1.0),
        ({"reward": 0, "resolved": None, "success": None}, 0.0),
        ({"reward": 1, "label": "bug report"}, 1.0),
        ({"reward": 0, "quality_score": 0.9}, 0.0),
        ({"reward": 0, "passed": 1}, 0.0),
        ({"reward": 0, "patch_successfully_applied": True}, 0.0),
        ({"reward": 0, "patch_successfully_applied": False}, 0.0),
    ],
)
def test_graded_null_and_unreadable_labels_deny_nothing(labels, reward):
    header, warnings = header_of(**labels)
    assert (header.reward, warnings) == (reward, ())


def test_out_of_range_reward_is_a_warning():
    header, warnings = header_of(reward=5)
    assert (header.reward, header.reward_raw, warnings) == (None, "5", ("reward_out_of_range",))


def test_error_of_the_harness_makes_the_reward_invalid():
    header, _ = header_of(error={"type": "SandboxError", "message": "docker died"})
    assert (header.error_type, header.termination, header.reward_valid) == (
        "SandboxError",
        Termination.INFRA_ERROR,
        False,
    )


def test_wrong_kinds_become_unknown():
    header, _ = header_of(task_id=[1], rollout_index="x", cost_usd="dear", tests_passed=2**40, started_at="soon")
    assert (header.task_id, header.rollout_index, header.cost_usd) == (None, None, None)
    assert (header.tests_passed, header.started_at) == (None, None)


def test_unconvertible_reward_is_refused():
    with pytest.raises(RecordError) as caught:
        header_of(reward="maybe")
    assert caught.value.reason is QuarantineReason.INVALID_REWARD


def test_of_several_fields_of_one_column_only_the_one_that_is_read_is_taken():
    fields = FieldMapSettings(task_id=["extra_info.task", "task_id"], reward=["reward", "score", "label"])
    row = {"extra_info": {"task": "t"}, "task_id": "u", "reward": None, "score": 1, "label": 1, "cost_usd": 1}
    taken = taken_fields(row, fields)
    assert {"extra_info", "reward", "score", "cost_usd"} <= taken
    assert not {"task_id", "label"} & taken
    assert "task_id" in taken_fields({**row, "extra_info": {"task": None}}, FieldMapSettings(task_id=["task_id"]))


MAPPED = FieldMapSettings(
    task_id=["extra.task", "task_id"], reward=["reward", "score", "extra.reward"], messages=["extra.messages", "a.b"]
)
values = st.none() | st.integers(0, 1) | st.just("x")
rows = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["task_id", "a", "a.b", "extra.task", "run_id", "job_id", "answer"], values),
        **dict.fromkeys(["reward", "score"], st.sampled_from([None, 0, 1])),
        "extra": values | st.dictionaries(st.sampled_from(["task", "messages"]), values),
    },
)


@given(rows)
def test_the_part_of_the_map_that_concerns_a_row_reads_what_the_whole_map_does(row):
    fields, columns, taken = RowFieldMaps(MAPPED).of(row)
    header, warnings = chat_header(row, MAPPED, reward_range=(0.0, 1.0), first_user=None)
    assert chat_header(row, fields, reward_range=(0.0, 1.0), first_user=None) == (header, warnings)
    assert taken_fields(row, fields, columns) & row.keys() == taken_fields(row, MAPPED) & row.keys()
    assert taken is None or taken & row.keys() == taken_fields(row, MAPPED) & row.keys()
    whole = unread_fields(row, MAPPED, header=header, columns=columns_by_field(MAPPED), native_id=None)
    assert unread_fields(row, fields, header=header, columns=columns, native_id=None) == whole


def test_components_without_a_number_are_named():
    fields = FieldMapSettings()
    assert lost_components({"reward_components": {"a": "great", "b": "pass", "c": [1, 2], "d": None}}, fields) == (
        "reward_components.a",
        "reward_components.c",
    )
    assert lost_components({"reward_components": [1, 2]}, fields) == ("reward_components",)
    assert lost_components({"reward_components": {}}, fields) == lost_components({}, fields) == ()


def test_fields_whose_column_cannot_hold_what_they_state_are_told():
    record = {
        "trajectory_id": ["a"], "task_id": {"x": 1}, "started_at": "soon", "env_type": "moon", "instruction": ["x"],
        "exit_status": [3], "cost_usd": "much", "model": "m", "reward": {"score": 1}, "error": {"message": "gone"},
        "repo": None, "extra_info": {"task_id": "t"},
    }  # fmt: skip
    fields = FieldMapSettings(policy_step=["extra_info.step"])
    header, _ = chat_header({**record, "reward": 1}, fields, reward_range=(0.0, 1.0), first_user="first")
    assert unread_fields(record, fields, header=header, columns=columns_by_field(fields), native_id=None) == (
        "cost_usd", "env_type", "error", "exit_status", "extra_info", "instruction", "started_at", "task_id",
        "trajectory_id",
    )  # fmt: skip
