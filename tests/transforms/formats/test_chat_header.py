import pytest

from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.settings.ingest import FieldMapSettings
from transforms.formats.chat_header import chat_header, taken_fields
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
    header, _ = header_of(reward=None, score=1)
    assert (header.reward, header.success, header.reward_name) == (None, None, "reward")


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


def test_taken_fields_are_the_top_level_names():
    assert {"extra_info", "reward", "cost_usd"} <= taken_fields(("extra_info.task", "reward"))
