from dataclasses import replace

from schemas.records import Message, MessageCall
from tests.transforms.targets.conversation_samples import call, step, trajectory
from transforms.formats.steps import steps_of
from transforms.targets.turns import turns_of


def roles(*steps: object) -> list[tuple[str, str | None]]:
    return [(turn.role, turn.content) for turn in turns_of(trajectory("t", *steps))]  # type: ignore[arg-type]


def test_each_step_is_its_message_and_the_results_of_its_calls() -> None:
    parallel = step("agent", "both", call("a", "{}", result="1"), call("b", "{}", result="2", index=1))
    turns = list(turns_of(trajectory("t", step("user", "go"), parallel, step("agent", "done"))))
    assert [(turn.role, turn.content, turn.tool_call_id) for turn in turns] == [
        ("user", "go", None),
        ("assistant", "both", None),
        ("tool", "1", "a-0"),
        ("tool", "2", "b-1"),
        ("assistant", "done", None),
    ]
    assert [made.name for made in turns[1].calls] == ["a", "b"]


def test_the_result_of_an_only_call_is_the_steps_observation() -> None:
    single = step("agent", "one", call("a", "{}", result=None), obs_text="seen")
    assert roles(single) == [("assistant", "one"), ("tool", "seen")]


def test_a_call_without_result_gives_no_message() -> None:
    assert roles(step("agent", "one", call("a", "{}", result=None))) == [("assistant", "one")]


def test_what_the_environment_says_uncalled_is_a_tool_message_without_a_call() -> None:
    assert roles(step("agent", "ls", obs_text="file"), step("environment", "tick")) == [
        ("assistant", "ls"),
        ("tool", "file"),
        ("tool", "tick"),
    ]


def test_a_result_keeps_its_parts() -> None:
    image = Message("tool", "a chart", content_state="parts", parts_json='[{"type":"image_url"}]', tool_call_id="c")
    calling = Message("assistant", None, calls=(MessageCall("look", "{}", call_id="c"),))
    turns = list(turns_of(trajectory("t", *steps_of([Message("user", "go"), calling, image]))))
    assert [turn.parts_json for turn in turns] == [None, None, image.parts_json]
    uncalled = steps_of([Message("user", "go"), Message("assistant", "ls"), replace(image, tool_call_id=None)])
    assert [turn.parts_json for turn in turns_of(trajectory("t", *uncalled))] == [None, None, image.parts_json]


def test_what_the_simulated_user_calls_is_left_out() -> None:
    own = step("user", "I look", call("phone", "{}", result="secret", requestor="user"))
    assert roles(own) == [("user", "I look")]


def test_a_turn_in_which_the_simulated_user_only_calls_is_left_out() -> None:
    own = step("user", None, call("phone", "{}", result="secret", requestor="user"))
    assert roles(step("agent", "look"), own, step("user", "done")) == [("assistant", "look"), ("user", "done")]
