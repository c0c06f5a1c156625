from dataclasses import replace

import pytest

from schemas.reasons import Termination
from schemas.records import Header, Message, Rollout
from transforms.formats.assembly import assemble, has_acted, normalise_task_text, system_prompt_hash, task_hash
from transforms.formats.steps import steps_of


def rollout(*messages, **header):
    return Rollout(Header("openai_chat", **header), messages, "n1", "ab" * 32, "line:1", 0, ("x",), ("y",))


def test_trajectory_carries_identity_header_and_steps():
    source = rollout(Message("user", "Do it"), Message("assistant", "Done"), task_text="Do it", reward=1.0)
    trajectory = assemble(source, "t1", secrets_redacted={"token": 1})
    assert (trajectory.traj_id, trajectory.native_id, trajectory.record_key) == ("t1", "n1", "line:1")
    assert [(step.step_id, step.source) for step in trajectory.steps] == [(1, "user"), (2, "agent")]
    assert (trajectory.header, trajectory.secrets_redacted) == (source.header, {"token": 1})
    assert (trajectory.lost_fields, trajectory.parse_warnings) == (("x",), ("y",))


def test_task_hash_ignores_case_blanks_and_width():
    assert normalise_task_text(" Fix\n\tＡ b ") == "fix a b"
    assert task_hash("Fix  it", "1") == task_hash("fix it", "2")
    assert task_hash(None, "1") != task_hash(" ", "2")


def test_hashes_do_not_depend_on_what_was_hashed_before():
    first = task_hash("Fix it", "1"), system_prompt_hash(steps_of([Message("system", "a")]))
    other = task_hash("Break it", "1"), system_prompt_hash(steps_of([Message("system", "b")]))
    again = task_hash("Fix it", "1"), system_prompt_hash(steps_of([Message("system", "a")]))
    assert first == again
    assert not set(first) & set(other)


def test_system_prompt_hash_covers_the_leading_system_messages():
    prompt = [Message("system", "a"), Message("system", "b")]
    assert system_prompt_hash(steps_of([Message("user", "a")])) is None
    assert system_prompt_hash(steps_of(prompt)) != system_prompt_hash(steps_of([Message("system", "ab")]))
    assert system_prompt_hash(steps_of(prompt)) == system_prompt_hash(steps_of([*prompt, Message("user", "x")]))


@pytest.mark.parametrize(
    ("termination", "last", "valid"),
    [
        (Termination.KILLED, Message("assistant", " "), False),
        (Termination.AGENT_ERROR, Message("user", "x"), False),
        (Termination.AGENT_ERROR, Message("assistant", "I tried"), True),
        (Termination.SUBMITTED, Message("assistant", ""), True),
        (Termination.MAX_TOKENS_CONTEXT, Message("assistant", ""), True),
        (Termination.UNKNOWN, Message("assistant", ""), False),
        (Termination.UNKNOWN, Message("assistant", None), False),
        (Termination.UNKNOWN, Message("assistant", " \n"), False),
        (Termination.UNKNOWN, Message("assistant", "", reasoning="Hm."), True),
        (Termination.AGENT_ERROR, Message("assistant", "", reasoning="Hm."), False),
        (Termination.UNKNOWN, Message("assistant", "Error: 503 Service Unavailable"), False),
        (Termination.FINISHED, Message("assistant", "API Error (Connection error.)"), False),
        (Termination.UNKNOWN, Message("assistant", "litellm.RateLimitError: slow down"), False),
        (Termination.FINISHED, Message("assistant", "API Error: 529 overloaded_error"), False),
        (Termination.FINISHED, Message("assistant", "Request failed with status code 502"), False),
        (Termination.UNKNOWN, Message("assistant", "Connection error."), False),
        (Termination.UNKNOWN, Message("assistant", "\u200b"), False),
        (Termination.UNKNOWN, Message("assistant", "(no content)"), False),
        (Termination.UNKNOWN, Message("assistant", "[]"), True),
        (Termination.UNKNOWN, Message("assistant", "Connection pools are reset by calling close()."), True),
        (Termination.UNKNOWN, Message("assistant", "Error: the file does not exist"), True),
        (Termination.UNKNOWN, Message("assistant", "The page answers 503: the server is down"), True),
    ],
)
def test_a_run_in_which_the_agent_did_nothing_of_its_own_has_no_valid_reward(termination, last, valid):
    trajectory = assemble(
        rollout(Message("user", "t"), last, termination=termination, reward=0.0), "t1", secrets_redacted={}
    )
    assert trajectory.header.reward_valid is valid
    assert trajectory.header.reward == 0.0


@pytest.mark.parametrize(
    ("is_header_only", "header", "valid"),
    [
        (False, {}, False),
        (False, {"completion_tokens": 5}, True),
        (True, {}, True),
        (True, {"termination": Termination.INFRA_ERROR}, False),
    ],
)
@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_run_without_steps_was_never_a_try_unless_its_format_keeps_none(is_header_only, header, valid, reward):
    empty = replace(rollout(reward=reward, **header), is_header_only=is_header_only)
    trajectory = assemble(empty, "t1", secrets_redacted={})
    assert (trajectory.header.reward_valid, trajectory.header.reward) == (valid, reward)
    assert ("no_agent_action" in trajectory.parse_warnings) is not valid


def test_demonstrations_are_no_acts_of_the_agent():
    assert not has_acted(steps_of([Message("assistant", "demo", is_demo=True)]))
