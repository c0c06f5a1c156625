import io
import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason, Termination
from schemas.records import Message, MessageCall, SourceUnit
from schemas.settings.ingest import IngestSettings
from tests.transforms.formats.otlp_exports import WRITERS, chat_spans, event, export, span
from tests.transforms.formats.table_rows import Rows, conversations, rebuilt, said, told_rows
from transforms.formats.otlp import OtlpAdapter

TALK = (
    Message("user", "List it"),
    Message("assistant", None, "null", calls=(MessageCall("bash", '{"command":"ls"}', call_id="c1"),)),
    Message("tool", "a.py", tool_call_id="c1"),
    Message("assistant", "One file"),
)


def current_spans():
    first, second = chat_spans(TALK, "current")
    head = {
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m-1",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.system_instructions": [{"type": "text", "content": "Be brief"}],
        "gen_ai.tool.definitions": '[{"name":"bash"}]',
    }
    first = add(first, {**head, "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 3})
    second = add(
        second,
        {
            **head,
            "gen_ai.usage.input_tokens": 20,
            "gen_ai.usage.output_tokens": 4,
            "gen_ai.response.finish_reasons": ["stop"],
        },
    )
    agent = span(
        -1,
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "lister",
            "gen_ai.conversation.id": "conv-1",
        },
    )
    tool = span(
        9,
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "c1"},
        parent="s-1",
    )
    return [second, tool, agent, first]


def add(native, values):
    return {**native, "attributes": [*native["attributes"], *span(0, values)["attributes"]], "parentSpanId": "s-1"}


def lines(*exports):
    return "".join(json.dumps(one) + "\n" for one in exports)


ROWS = Rows(
    {
        "native_id": "conv-1",
        "branch_index": 0,
        "session_id": "conv-1",
        "source_format": "otlp",
        "record_key": "conversation:0",
        "adapter": "otlp",
        "adapter_version": "3",
        "lost_fields": [
            "spans[].name",
        ],
        "env_type": "other",
        "agent_name": "lister",
        "model_name": "m-1",
        "model_provider": "openai",
        "sampling_json": '{"temperature":0.5}',
        "scored": False,
        "reward_valid": True,
        "termination": "finished",
        "termination_raw": "stop",
        "truncated": False,
        "num_steps": 4,
        "num_agent_steps": 2,
        "num_tool_calls": 1,
        "num_tool_errors": 0,
        "prompt_tokens": 30,
        "completion_tokens": 7,
        "duration_s": 10.5,
        "started_at": "2026-01-02T03:04:04+00:00",
        "ended_at": "2026-01-02T03:04:14.500000+00:00",
        "instruction": "List it",
        "tools_json": '[{"name":"bash"}]',
    },
    [
        {
            "step_id": 1,
            "source": "system",
            "message": "Be brief",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
        },
        {
            "step_id": 2,
            "source": "user",
            "message": "List it",
            "message_state": "text",
            "num_calls": 0,
            "sampled": False,
        },
        {
            "step_id": 3,
            "source": "agent",
            "timestamp": "2026-01-02T03:04:05.500000+00:00",
            "message_state": "null",
            "num_calls": 1,
            "tool_name": "bash",
            "command": "ls",
            "obs_text": "a.py",
            "obs_bytes": 4,
            "prompt_tokens": 10,
            "completion_tokens": 3,
            "latency_s": 0.5,
            "sampled": True,
        },
        {
            "step_id": 4,
            "source": "agent",
            "timestamp": "2026-01-02T03:04:06.500000+00:00",
            "message": "One file",
            "message_state": "text",
            "num_calls": 0,
            "prompt_tokens": 20,
            "completion_tokens": 4,
            "latency_s": 0.5,
            "sampled": True,
        },
    ],
    [
        {
            "step_id": 3,
            "call_index": 0,
            "call_id": "c1",
            "call_id_raw": "c1",
            "tool_name": "bash",
            "tool_kind": "shell",
            "arguments_json": '{"command":"ls"}',
            "arguments_state": "ok",
            "result_state": "ok",
            "result_bytes": 4,
            "paired_by": "id",
            "requestor": "assistant",
        }
    ],
)


def read_exports(read_lake, *spans):
    return read_lake({"spans.jsonl": lines(*(export(one) for one in spans))})


def heard(trajectory):
    return [(step.source, step.message, step.obs_text) for step in trajectory.steps]


def test_spans_in_any_order_give_these_rows(read_lake):
    read = read_exports(read_lake, *current_spans())
    assert told_rows(read.trajectories[0], read.units[0]) == ROWS
    assert (len(read.trajectories), read.bad) == (1, [])
    (other,) = read_lake({"spans.jsonl": json.dumps(export(*sorted(current_spans(), key=str)), indent=1)}).trajectories
    assert other.traj_id == read.trajectories[0].traj_id


@pytest.mark.parametrize("written", sorted(WRITERS))
def test_every_convention_gives_the_same_steps(read_lake, written):
    (trajectory,) = read_exports(read_lake, *chat_spans(TALK, written)).trajectories
    assert heard(trajectory) == [("user", "List it", None), ("agent", None, "a.py"), ("agent", "One file", None)]
    (call,) = trajectory.steps[1].calls
    assert (call.tool_name, call.arguments_json, call.call_id, call.paired_by) == (
        "bash",
        '{"command":"ls"}',
        "c1",
        "id",
    )


def test_results_inside_a_users_message_answer_the_call(read_lake):
    parts = [
        {"type": "tool_call_response", "id": "c1", "response": {"files": 1}},
        {"type": "text", "content": "Go on"},
    ]
    call = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "bash", "arguments": {}}]}
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": [call, {"role": "user", "parts": parts}],
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "Ok"}]}
        ],
    }
    (trajectory,) = read_exports(read_lake, span(0, told)).trajectories
    assert heard(trajectory) == [("agent", None, '{"files":1}'), ("user", "Go on", None), ("agent", "Ok", None)]
    assert trajectory.steps[2].reasoning == "hm"


def test_prompt_and_completion_of_early_conventions_are_read(read_lake):
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.prompt": json.dumps([{"role": "user", "content": "Hi"}]),
        "gen_ai.completion": "Hello",
        "gen_ai.usage.prompt_tokens": 3,
        "gen_ai.usage.completion_tokens": 1,
    }
    (trajectory,) = read_exports(read_lake, span(0, told)).trajectories
    assert heard(trajectory) == [("user", "Hi", None), ("agent", "Hello", None)]
    assert (trajectory.header.prompt_tokens, trajectory.header.completion_tokens) == (3, 1)


def test_changed_history_is_a_branch(read_lake):
    first, second = chat_spans(TALK, "current")
    changed = chat_spans((Message("user", "Summary: one file"), Message("assistant", "Done")), "current")[0]
    later = str(int(second["endTimeUnixNano"]) + 1)
    summary = {**changed, "spanId": "s5", "startTimeUnixNano": later}
    read = read_exports(read_lake, first, second, summary)
    main, other = read.trajectories
    assert heard(main) == [("user", "Summary: one file", None), ("agent", "Done", None)]
    assert heard(other) == [("user", "List it", None), ("agent", None, "a.py"), ("agent", "One file", None)]
    assert (main.header.branch_index, other.header.branch_index) == (1, 0)
    assert (main.header.parent_traj_id, other.header.parent_traj_id) == (None, main.traj_id)
    assert other.parse_warnings == ("reward_on_parent",)


def test_second_choice_of_an_answer_is_a_branch(read_lake):
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": [{"type": "text", "content": text}]} for text in ("A", "B")
        ],
    }
    read = read_exports(read_lake, span(0, told))
    assert [heard(one)[1:] for one in read.trajectories] == [[("agent", "B", None)], [("agent", "A", None)]]
    assert [[step.is_copied_context for step in one.steps] for one in read.trajectories] == [
        [False, False],
        [True, False],
    ]


def test_history_that_no_span_produced_is_context(read_lake):
    (_, second) = chat_spans(TALK, "current")
    (trajectory,) = read_exports(read_lake, second).trajectories
    assert [(step.sampled, step.is_copied_context) for step in trajectory.steps] == [
        (False, False),
        (False, True),
        (True, False),
    ]


def test_result_that_only_the_tools_span_holds_is_added_at_the_end(read_lake):
    first = chat_spans(TALK, "current")[0]
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": "no such file",
        "error.type": "OSError",
    }
    (trajectory,) = read_exports(read_lake, first, span(5, told)).trajectories
    (call,) = trajectory.steps[1].calls
    assert (call.result_text, call.is_error, trajectory.parse_warnings) == ("no such file", True, ())


def test_tool_span_that_answers_no_call_is_told(read_lake):
    stray = span(5, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "c9"})
    (trajectory,) = read_exports(read_lake, *chat_spans(TALK, "current"), stray).trajectories
    assert trajectory.parse_warnings == ("tool_span_unplaced",)


def test_without_content_the_tools_spans_tell_what_was_done(read_lake):
    chat = span(0, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"})
    tools = [
        span(
            number,
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "bash",
                "gen_ai.tool.call.arguments": '{"command":"ls"}',
                "gen_ai.tool.call.result": f"out {number}",
            },
        )
        for number in (1, 2)
    ]
    (trajectory,) = read_exports(read_lake, chat, *tools).trajectories
    assert heard(trajectory) == [("agent", None, "out 1"), ("agent", None, "out 2")]
    assert (trajectory.parse_warnings, trajectory.header.model_name) == (("content_not_captured",), "m-1")


def test_single_evaluation_is_the_reward_and_several_are_parts(read_lake):
    def evaluation(name, **values):
        told = {f"gen_ai.evaluation.score.{key}": value for key, value in values.items()}
        return event("gen_ai.evaluation.result", {"gen_ai.evaluation.name": name, **told})

    first, second = chat_spans(TALK, "current")
    (one,) = read_exports(read_lake, first, {**second, "events": [evaluation("solved", value=0.5)]}).trajectories
    assert (one.header.reward, one.header.reward_name, one.header.reward_components) == (
        0.5,
        "solved",
        {"solved": 0.5},
    )
    several = [evaluation("solved", label="pass"), evaluation("polite", value=1)]
    (two,) = read_exports(read_lake, first, {**second, "events": several}).trajectories
    assert (two.header.reward, two.header.reward_components) == (None, {"solved": 1.0, "polite": 1.0})


def test_failed_agent_span_is_the_ending(read_lake):
    told = {"gen_ai.operation.name": "invoke_agent", "error.type": "RateLimitError"}
    agent = span(-1, told, status={"code": 2, "message": "429 from the provider"})
    (trajectory,) = read_exports(read_lake, agent, *chat_spans(TALK, "current")).trajectories
    header = trajectory.header
    assert (header.termination, header.reward_valid, header.error_type, header.error_message) == (
        Termination.INFRA_ERROR,
        False,
        "RateLimitError",
        "429 from the provider",
    )


def test_traces_and_conversations_are_kept_apart(read_lake):
    first = chat_spans(TALK, "current")
    other = [{**one, "traceId": "t2"} for one in chat_spans(TALK, "events")]
    read = read_exports(read_lake, *first, *other)
    assert [one.native_id for one in read.trajectories] == ["t1", "t2"]
    named = [add(one, {"gen_ai.conversation.id": "c"}) for one in first]
    later = [add({**one, "traceId": "t3"}, {"gen_ai.conversation.id": "c"}) for one in chat_spans(TALK[:2], "current")]
    assert [one.native_id for one in read_exports(read_lake, *named, *later).trajectories] == ["c"]


def test_span_that_was_exported_twice_counts_once(read_lake):
    spans = current_spans()
    (trajectory,) = read_exports(read_lake, *spans, spans[0]).trajectories
    assert (trajectory.header.completion_tokens, trajectory.parse_warnings) == (7, ("repeated_span",))


def test_what_is_no_conversation_is_set_aside(read_lake):
    foreign = span(0, {"http.request.method": "GET"}, trace="t9")
    bad = span(1, {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [{"role": "robot"}]}, trace="t8")
    exports = [export(foreign), export(bad), {"resourceLogs": []}, export(*chat_spans(TALK, "current"))]
    read = read_lake({"spans.jsonl": lines(*exports) + "{"})
    assert [(one.record_key, one.reason) for one in read.bad] == [
        ("line:3", QuarantineReason.INVALID_VALUE),
        ("line:5", QuarantineReason.TRUNCATED),
        ("conversation:0", QuarantineReason.MISSING_MESSAGES),
        ("conversation:1", QuarantineReason.INVALID_MESSAGE),
    ]
    assert len(read.trajectories) == 1


@settings(max_examples=120)
@given(conversations(), st.sampled_from(sorted(WRITERS)), st.randoms())
def test_messages_rebuilt_from_the_rows_are_the_messages_read(conversation, written, order):
    ends = [place for place, message in enumerate(conversation) if message.role == "assistant"]
    assume(ends)
    conversation = conversation[: ends[-1] + 1]
    spans = chat_spans(conversation, written)
    order.shuffle(spans)
    raw = lines(*(export(one) for one in spans)).encode()
    unit = SourceUnit("k", "spans.jsonl", "otlp", "1", len(raw), "ab")
    (rollout,) = OtlpAdapter().read(unit, lambda uri: io.BytesIO(raw), IngestSettings())
    assert [said(message) for message in rebuilt(rollout, unit)] == [said(message) for message in conversation]


def test_messages_that_are_no_json_are_told(read_lake):
    told = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "{bad"}
    answer = {"role": "assistant", "parts": "Ok", "mood": "good"}
    (one,) = read_exports(read_lake, span(0, {**told, "gen_ai.output.messages": json.dumps(answer)})).trajectories
    assert heard(one) == [("agent", "Ok", None)]
    assert (one.parse_warnings, one.steps[0].extra_json) == (("messages_unreadable",), '{"mood":"good"}')


def evaluation(name, value):
    told = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": value}
    return {"gen_ai.operation.name": "chat", "gen_ai.completion": "Ok", **told}


def test_scores_written_as_text_or_on_a_span_count_and_others_are_told(read_lake):
    (one,) = read_exports(read_lake, span(0, evaluation("a", "0.5"))).trajectories
    assert (one.header.reward, one.header.reward_name) == (0.5, "a")
    spans = [span(number, evaluation(*each)) for number, each in enumerate([("a", 0.5), ("b", "good"), ("a", 0.25)])]
    one = read_exports(read_lake, *spans).trajectories[0]
    assert one.header.reward_components == {"a": 0.5}
    assert {"evaluations[a]", "evaluations[b]"} <= set(one.lost_fields)
