from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Step
from transforms.describing.actions import agent_actions, says_error


def test_demonstrations_and_copied_context_are_not_the_agents_own(make_trajectory, bash):
    trajectory = make_trajectory(bash("ls"), bash("pwd"), bash("id"))
    user, demo, copied, own = trajectory.steps
    steps = (user, demo._replace(is_demo=True), copied._replace(is_copied_context=True), own)
    assert [action.shell_text for action in agent_actions(replace(trajectory, steps=steps))] == ["id"]


def test_a_stated_outcome_rules_over_what_the_text_reads_like(make_trajectory, bash):
    trajectory = make_trajectory(bash("a", "Error: no"), bash("b", "Error: no"), bash("c", "fine"), ("bash", {}, None))
    user, first, second, third, fourth = trajectory.steps
    steps = (user, first, second._replace(is_error=False), third._replace(exit_code=2), fourth)
    actions = agent_actions(replace(trajectory, steps=steps))
    assert [action.is_failed for action in actions] == [True, False, True, None]


def test_a_bare_command_is_a_shell_action(make_trajectory):
    step = Step(2, "agent", None, "null", command="ls -a", obs_text="x")
    actions = agent_actions(replace(make_trajectory(), steps=(step,)))
    assert [(action.tool_name, action.shell_text) for action in actions] == [("shell", "ls -a")]


def test_code_for_an_interpreter_is_no_shell_text(make_trajectory):
    (action,) = agent_actions(make_trajectory(("python", {"code": "x > y"}, "")))
    assert (action.shell_text, action.is_code, action.commands) == (None, True, ())


def test_errors_are_told_at_the_edges_of_a_result():
    errors = [
        "Error: unknown user",
        "bash: x: command not found",
        "ok\n" * 300 + "ValueError: no",
        "  Traceback (most recent call last):",
    ]
    fine = ["", "[]", "0 errors found", "def handle_error(): pass", "x" * 500 + "\nValueError: no\n" + "y" * 500]
    assert [says_error(text) for text in errors] == [True] * 4
    assert [says_error(text) for text in fine] == [False] * 5


@given(st.text())
def test_any_text_gets_an_answer(text):
    assert says_error(text) in (True, False)
