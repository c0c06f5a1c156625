import json

import pytest
from hypothesis import given, settings

from schemas.reasons import QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, talks

UNTOLD_OF_ACTIONS = (
    "events[].action.command",
    "events[].tool_call.origin",
)


def event(kind, number, *, source="agent", **fields):
    return {"kind": kind, "id": f"e{number}", "timestamp": "2026-01-05T10:00:00", "source": source, **fields}


def text(words):
    return [{"type": "text", "text": words, "cache_prompt": False}]


def user(number, words, **fields):
    message = {"role": "user", "content": text(words), "tool_calls": None, "thinking_blocks": []}
    return event("MessageEvent", number, source="user", llm_message=message, **fields)


def action(number, call_id, arguments, *, thought="", response="r1", **fields):
    written = {"id": call_id, "name": "terminal", "arguments": arguments, "origin": "completion"}
    own = {"kind": "TerminalAction", "command": "ls"}
    return event(
        "ActionEvent", number, thought=text(thought) if thought else [], thinking_blocks=[], tool_name="terminal",
        tool_call_id=call_id, tool_call=written, llm_response_id=response, **{"action": own, **fields},
    )  # fmt: skip


def observation(number, call_id, words, *, cause="", **fields):
    seen = {"kind": "TerminalObservation", "content": text(words), "is_error": False, **fields}
    return event(
        "ObservationEvent", number, source="environment", observation=seen, action_id=cause, tool_call_id=call_id,
        tool_name="terminal",
    )  # fmt: skip


EVENTS = [
    event("SystemPromptEvent", 0, system_prompt={"type": "text", "text": "Rules"}, tools=[{"name": "terminal"}],
          dynamic_context=None),
    user(1, "Fix it"),
    action(2, "a", '{"command": "ls", "security_risk": "LOW"}', thought="Look", reasoning_content="Think.",
           security_risk="LOW", summary="list"),
    action(3, "b", '{"command": ', action=None),
    event("AgentErrorEvent", 4, error="cannot parse", tool_name="terminal", tool_call_id="b", classification=None),
    observation(5, "a", "nothing", exit_code=2, is_error=True, command="ls"),
    event("ConversationStateUpdateEvent", 6, source="environment", key="execution_status", value="finished"),
]  # fmt: skip
STATE = {"id": "c1", "agent": {"llm": {"model": "m1"}}}
FILES = {f"conversations/c1/events/event-{n:05}-e{n}.json": item for n, item in enumerate(EVENTS)}
FILES["conversations/c1/base_state.json"] = STATE

# fmt: off
EXPECTED = [
    (
        {
            'native_id': 'c1', 'session_id': 'c1', 'source_format': 'openhands_events', 'record_key': 'document',
            'record_offset': 0, 'adapter': 'openhands_events', 'adapter_version': '4',
            'lost_fields': ["events[ConversationStateUpdateEvent]", "observation.command",
                            "events[].tool_call.origin"], 'env_type': 'terminal',
            'agent_name': 'openhands', 'model_name': 'm1', 'scored': False, 'termination': 'finished',
            'termination_raw': 'finished', 'truncated': False, 'num_steps': 3, 'num_agent_steps': 1,
            'num_tool_calls': 2, 'num_tool_errors': 2, 'instruction': 'Fix it',
            'tools_json': [{'name': 'terminal'}],
        },
        [
            {
                'step_id': 1, 'source': 'system', 'timestamp': '2026-01-05T10:00:00+00:00', 'message': 'Rules',
                'message_state': 'text',
            },
            {
                'step_id': 2, 'source': 'user', 'timestamp': '2026-01-05T10:00:00+00:00', 'message': 'Fix it',
                'message_state': 'text',
            },
            {
                'step_id': 3, 'source': 'agent', 'timestamp': '2026-01-05T10:00:00+00:00', 'message': 'Look',
                'message_state': 'text', 'reasoning': 'Think.', 'num_calls': 2, 'tool_name': 'terminal',
                'command': 'ls', 'obs_text': 'nothing\ncannot parse', 'obs_bytes': 20, 'is_error': True,
                'exit_code': 2, 'sampled': True,
                'extra_json': {'call_0': {'security_risk': 'LOW', 'summary': 'list'},
                     'call_1': {'action': None},
                     'trajsift:messages': {'0': {'timestamp': '2026-01-05T10:00:00+00:00'},
                                           '1': {'timestamp': '2026-01-05T10:00:00+00:00'}}},
            },
        ],
        [
            {
                'step_id': 3, 'call_id': 'a', 'call_id_raw': 'a', 'tool_name': 'terminal', 'tool_kind': 'shell',
                'arguments_json': {'command': 'ls', 'security_risk': 'LOW'},
                'arguments_raw': '{"command": "ls", "security_risk": "LOW"}', 'result_text': 'nothing',
                'result_state': 'ok', 'is_error': True, 'exit_code': 2, 'result_bytes': 7, 'paired_by': 'id',
            },
            {
                'step_id': 3, 'call_index': 1, 'call_id': 'b', 'call_id_raw': 'b', 'tool_name': 'terminal',
                'tool_kind': 'shell', 'arguments_raw': '{"command": ', 'arguments_state': 'unparsed',
                'result_text': 'cannot parse', 'result_state': 'ok', 'is_error': True, 'result_bytes': 12,
                'paired_by': 'id',
            },
        ],
    ),
]
# fmt: on


def test_folder_of_events_is_one_unit_and_gives_these_rows(read_lake):
    read = read_lake(FILES)
    (unit,) = read.units
    assert (unit.uri, len(unit.sidecars)) == ("conversations/c1/events/event-00000-e0.json", len(EVENTS))
    assert [tuple(rows_of(one, unit)) for one in read.trajectories] == EXPECTED


def run(read_lake, *events):
    read = read_lake({"events.jsonl": "".join(json.dumps(each) + "\n" for each in events)})
    assert read.bad == []
    return read.trajectories


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("log.jsonl", "".join(json.dumps(each) + "\n" for each in EVENTS)),
        ("log.json", json.dumps(EVENTS)),
        ("log.json", json.dumps(EVENTS, indent=1)),
    ],
)
def test_log_in_one_file_is_read_alike(read_lake, name, content):
    (one,) = read_lake({name: content}).trajectories
    assert (one.steps, one.header.model_name) == (read_lake({"x": b"", **FILES}).trajectories[0].steps, None)


def test_equal_conversations_are_told_apart_by_their_folder(read_lake):
    other = {uri.replace("c1", "c2"): item for uri, item in FILES.items() if "base_state" not in uri}
    read = read_lake({**{uri: item for uri, item in FILES.items() if "base_state" not in uri}, **other})
    assert [one.header.session_id for one in read.trajectories] == ["c1", "c2"]
    assert len({one.traj_id for one in read.trajectories}) == 2


def test_unreadable_event_is_set_aside_and_the_run_says_so(read_lake):
    read = read_lake({**FILES, "conversations/c1/events/event-00005-e5.json": '{"kind": "Obs'})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("file:event-00005-e5.json", QuarantineReason.TRUNCATED)
    ]
    assert [one.parse_warnings for one in read.trajectories] == [("unreadable_events",)]
    assert read.trajectories[0].steps[-1].calls[0].result_state == "missing"


def test_unreadable_state_is_set_aside_and_the_run_says_so(read_lake):
    read = read_lake({**FILES, "conversations/c1/base_state.json": '{"id": "c1", "id": "c2"}'})
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("file:base_state.json", QuarantineReason.DUPLICATE_KEY)
    ]
    assert [(one.header.model_name, one.parse_warnings) for one in read.trajectories] == [
        (None, ("unreadable_state",))
    ]


def test_doubled_key_of_one_event_of_a_folder_is_told(read_lake):
    doubled = json.dumps(EVENTS[1]).replace('"kind"', '"kind": "x", "kind"', 1)
    read = read_lake({**FILES, "conversations/c1/events/event-00001-e1.json": doubled})
    assert [one.parse_warnings for one in read.trajectories] == [("duplicate_key",)]


def test_action_without_a_written_call_is_told_from_its_action(read_lake):
    (one,) = run(read_lake, user(1, "x"), {**action(2, "a", ""), "tool_call": None})
    assert one.steps[-1].calls[0].arguments_json == '{"command":"ls"}'


def test_result_without_a_call_id_is_linked_by_its_action(read_lake):
    seen = observation(4, None, "first", cause="e2")
    (one,) = run(read_lake, user(1, "x"), action(2, "a", "{}"), action(3, "b", "{}", response="r2"), seen)
    assert [(step.calls[0].call_id, step.obs_text) for step in one.steps[1:]] == [("a", "first"), ("b", None)]


def test_results_and_calls_that_have_no_call_ids_are_linked_by_the_action(read_lake):
    actions = [{**action(n, None, "{}", response=f"r{n}"), "tool_call": None} for n in (2, 3)]
    seen = [observation(4, None, "second", cause="e3"), observation(5, None, "first", cause="e2")]
    (one,) = run(read_lake, user(1, "x"), *actions, *seen)
    assert [(step.obs_text, step.calls[0].paired_by) for step in one.steps[1:]] == [("first", "id"), ("second", "id")]
    assert one.parse_warnings == ()


def test_result_of_an_unknown_action_is_told_when_its_place_alone_gives_it_to_a_call(read_lake):
    (one,) = run(read_lake, user(1, "x"), action(2, "a", "{}"), observation(3, None, "lost", cause="e99"))
    assert (one.steps[1].obs_text, one.steps[1].calls[0].paired_by) == ("lost", "position")
    assert one.parse_warnings == ("unknown_result_id",)


def test_rejected_action_is_a_result_that_says_so(read_lake):
    no = event("UserRejectObservation", 3, source="environment", rejection_reason="no", action_id="e2",
               tool_call_id="a", tool_name="terminal")  # fmt: skip
    (one,) = run(read_lake, user(1, "x"), action(2, "a", "{}"), no)
    call = one.steps[-1].calls[0]
    assert (one.steps[-1].obs_text, call.is_error, call.result_state) == ("no", None, "ok")


def test_siblings_are_branches_and_share_their_start_as_copied_context(read_lake):
    events = [
        user(1, "x", parent_id=None),
        {**action(2, "a", "{}", thought="old"), "parent_id": "e1"},
        {**observation(3, "a", "seen"), "parent_id": "e2"},
        {**action(4, "b", "{}", thought="new", response="r2"), "parent_id": "e1"},
    ]
    main, branch = run(read_lake, *events)
    assert [(step.message, step.is_copied_context, step.sampled) for step in main.steps] == [
        ("x", False, None),
        ("new", False, True),
    ]
    assert [(step.message, step.obs_text, step.is_copied_context, step.sampled) for step in branch.steps] == [
        ("x", None, True, None),
        ("old", "seen", False, True),
    ]
    assert (branch.header.parent_traj_id, branch.header.branch_index) == (main.traj_id, 1)


def test_unknown_parent_is_told(read_lake):
    (one,) = run(read_lake, user(1, "x", parent_id="gone"))
    assert one.parse_warnings == ("unknown_parent", "no_agent_action")


def test_forgotten_events_are_not_seen_again(read_lake):
    forget = event("Condensation", 4, source="environment", forgotten_event_ids=["e2", "e3"], summary="Ran it",
                   summary_offset=1, llm_response_id="r9")  # fmt: skip
    later = action(5, "b", "{}", thought="new", response="r2")
    last, first = run(
        read_lake, user(1, "x"), action(2, "a", "{}", thought="old"), observation(3, "a", "1"), forget, later
    )
    assert [(step.message, step.role_raw, step.is_copied_context) for step in last.steps] == [
        ("x", None, True),
        ("Ran it", "condensation", False),
        ("new", None, False),
    ]
    assert [(step.message, step.sampled) for step in first.steps] == [("x", None), ("old", True)]
    assert (first.header.parent_traj_id, last.parse_warnings) == (last.traj_id, ("condensed_context",))
    assert last.lost_fields == (
        "events[Condensation]",
        *UNTOLD_OF_ACTIONS,
    )


@pytest.mark.parametrize(
    ("last", "termination", "valid"),
    [
        (event("ConversationErrorEvent", 9, code="MaxIterationsReached", detail="Agent reached maximum iterations"),
         Termination.MAX_STEPS, True),
        (event("ConversationErrorEvent", 9, code="RateLimitError", detail="litellm: slow down"),
         Termination.INFRA_ERROR, False),
        (event("ConversationErrorEvent", 9, code="LLMContextWindowExceedError", detail="context window is full"),
         Termination.MAX_TOKENS_CONTEXT, True),
        (event("ConversationStateUpdateEvent", 9, key="execution_status", value="stuck"),
         Termination.AGENT_ERROR, True),
        (event("ConversationStateUpdateEvent", 9, key="stats", value={}), Termination.UNKNOWN, True),
    ],
)  # fmt: skip
def test_last_events_tell_the_ending(read_lake, last, termination, valid):
    (one,) = run(read_lake, user(1, "x"), action(2, "a", "{}"), last)
    assert (one.header.termination, one.header.reward_valid) == (termination, valid)
    assert one.header.error_message == last.get("detail")
    assert (f"events[{last['kind']}]" in one.lost_fields) == ("detail" not in last)
    assert not any("detail" in name for name in one.lost_fields)


def as_v1(messages):
    """Write canonical messages as V1 events; the calls of one message share a response."""
    for number, message in enumerate(messages):
        if message.role == "system":
            yield event("SystemPromptEvent", number, system_prompt={"type": "text", "text": message.content}, tools=[])
        elif message.role == "tool":
            yield {**observation(number, message.tool_call_id, message.content), "tool_name": message.tool_name}
        elif not message.calls:
            said = {"role": message.role, "content": text(message.content), "reasoning_content": message.reasoning}
            yield event("MessageEvent", number, llm_message=said)
        for index, call in enumerate(message.calls):
            first = {"thought": text(message.content), "reasoning_content": message.reasoning}
            own = action(f"{number}.{index}", call.call_id, call.arguments_json, response=f"r{number}")
            yield {**own, **({} if index else first), "tool_name": call.name}


@settings(max_examples=60)
@given(messages=talks())
def test_messages_come_back_as_they_were(messages):
    (rollout,) = read_files("openhands", {"a": {"instance_id": "i", "history": list(as_v1(messages))}}, run="r")
    assert [(m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in rebuilt(rollout)] == [
        (m.role, m.content, m.calls, m.tool_call_id, m.sampled, m.reasoning) for m in messages
    ]
    copies = {"history[].action.command", "history[].tool_call.origin", "history[].tool_call.id"}
    copies |= {"history[].tool_call.name"}
    assert set(rollout.lost_fields) <= copies


def test_observation_that_is_a_mere_text_is_the_result(read_lake):
    seen = {**observation(3, "a", ""), "observation": "plain"}
    (one,) = run(read_lake, user(1, "x"), action(2, "a", "{}"), seen)
    assert [call.result_text for call in one.steps[1].calls] == ["plain"]


def test_values_of_an_observation_that_no_column_can_hold_are_told(read_lake):
    seen = observation(3, "a", "x", output="other", is_error="no", exit_code="none")
    (one,) = run(read_lake, user(1, "x"), action(2, "a", "{}"), seen)
    assert one.lost_fields == (
        "observation.exit_code",
        "observation.is_error",
        "observation.output",
        *UNTOLD_OF_ACTIONS,
    )


def test_what_a_call_of_a_message_says_beside_its_arguments_is_kept(read_lake):
    called = {"id": "a", "function": {"name": "f", "arguments": "{}"}, "result": "inline"}
    message = {"role": "assistant", "content": text("x"), "tool_calls": [called]}
    (one,) = run(read_lake, user(1, "x"), event("MessageEvent", 2, llm_message=message))
    assert one.steps[1].extra_json == '{"tool_call_details":{"0":{"result":"inline"}}}'
