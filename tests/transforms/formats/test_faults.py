"""Whose fault an error is, over phrasings of many harnesses, providers and sandboxes."""

from pathlib import Path

import pytest

from schemas.reasons import Termination
from transforms.formats.endings import ending_of


def phrasings(whose):
    return (Path(__file__).parent / "fault_phrasings" / f"{whose}.txt").read_text().splitlines()


def endings_of(line):
    """Return how a line is judged as an error, as an exit word, and told as class and message."""
    kind, _, message = line.partition(": ")
    return ending_of(None, error=line), ending_of(line), ending_of("error", error={"type": kind, "message": message})


def test_faults_of_the_machinery_are_no_failures_of_the_policy():
    lines = phrasings("machinery")
    assert [line for line in lines if any(ending.reward_valid for ending in endings_of(line))] == []


def test_faults_of_the_simulated_user_are_no_failures_of_the_policy():
    assert {ending.termination for line in phrasings("simulator") for ending in endings_of(line)} == {
        Termination.USER_ERROR
    }


def test_what_the_agent_or_its_task_did_stays_the_policys_own():
    lines = phrasings("policy")
    assert [line for line in lines if not all(ending.reward_valid for ending in endings_of(line))] == []


@pytest.mark.parametrize("text", ["AssertionError: flight simulator failed", "ValueError: the judge crashed"])
def test_what_a_program_says_of_its_own_error_is_no_witness(text):
    assert all(ending.reward_valid for ending in endings_of(text))


def test_long_hostile_errors_are_judged_at_once():
    assert ending_of(None, error="fail " * 1_000_000 + "sandbox").termination is Termination.AGENT_ERROR
