import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transforms.formats.row_talks import read_rows, rebuilt, tables_of, talks, texts

ANSWER = {
    "analysis": "The file is missing.",
    "plan": "List the folder.",
    "commands": [{"keystrokes": "ls\n", "duration": 0.1}, {"keystrokes": "cat a"}],
    "task_complete": False,
}
DONE = {"analysis": "It works.", "plan": "Stop.", "commands": [], "task_complete": True}
ROW = {
    "conversations": [
        {"role": "user", "content": "You are an AI assistant. Task: make it run"},
        {"role": "assistant", "content": f"<think>hm</think>\n{json.dumps(ANSWER, indent=1)}"},
        {"role": "user", "content": "New Terminal Output:\na.py"},
        {"role": "assistant", "content": json.dumps(DONE)},
    ],
    "agent": "terminus-2",
    "model": "m1",
    "model_provider": "p1",
    "task": "make-it-run",
    "episode": "episode-1",
    "run_id": "run-1",
    "trial_name": "make-it-run__a1b2",
}


def test_row_becomes_rows(read_lake):
    read = read_lake({"train.jsonl": json.dumps(ROW)})
    assert (read.units[0].adapter, read.bad) == ("terminus_rows", [])
    assert tables_of(read.trajectories[0], read.units[0]) == {
        "trajectory": {
            "native_id": "make-it-run__a1b2",
            "session_id": "make-it-run__a1b2",
            "task_id": "make-it-run",
            "source_format": "terminus_rows",
            "run_id": "run-1",
            "record_key": "line:1",
            "record_offset": 0,
            "adapter": "terminus_rows",
            "adapter_version": "2",
            "lost_fields": ["episode"],
            "env_type": "terminal",
            "agent_name": "terminus-2",
            "model_name": "m1",
            "model_provider": "p1",
            "reward_valid": True,
            "termination": "unknown",
            "num_steps": 3,
            "num_agent_steps": 2,
            "num_tool_calls": 3,
            "num_tool_errors": 0,
            "instruction": "You are an AI assistant. Task: make it run",
        },
        "steps": [
            {
                "step_id": 1,
                "source": "user",
                "message": "You are an AI assistant. Task: make it run",
                "message_state": "text",
                "num_calls": 0,
            },
            {
                "step_id": 2,
                "source": "agent",
                "message": "Analysis: The file is missing.\nPlan: List the folder.",
                "message_state": "text",
                "reasoning": "hm",
                "sampled": True,
                "num_calls": 2,
                "tool_name": "bash_command",
                "command": "ls",
                "obs_text": "New Terminal Output:\na.py",
                "obs_bytes": 25,
                "extra_json": '{"trajsift:messages":{"0":{"role_raw":"user"}}}',
            },
            {
                "step_id": 3,
                "source": "agent",
                "message": "Analysis: It works.\nPlan: Stop.",
                "message_state": "text",
                "sampled": True,
                "num_calls": 1,
                "tool_name": "mark_task_complete",
            },
        ],
        "calls": [
            {
                "step_id": 2,
                "call_index": 0,
                "call_id": "call_2_0",
                "id_generated": True,
                "tool_name": "bash_command",
                "tool_kind": "shell",
                "arguments_json": '{"duration":0.1,"keystrokes":"ls\\n"}',
                "arguments_state": "ok",
                "result_text": "New Terminal Output:\na.py",
                "result_state": "ok",
                "result_bytes": 25,
                "paired_by": "position",
                "requestor": "assistant",
            },
            {
                "step_id": 2,
                "call_index": 1,
                "call_id": "call_2_1",
                "id_generated": True,
                "tool_name": "bash_command",
                "tool_kind": "shell",
                "arguments_json": '{"keystrokes":"cat a"}',
                "arguments_state": "ok",
                "result_state": "missing",
                "requestor": "assistant",
            },
            {
                "step_id": 3,
                "call_index": 0,
                "call_id": "call_3_0",
                "id_generated": True,
                "tool_name": "mark_task_complete",
                "tool_kind": "finish",
                "arguments_json": "{}",
                "arguments_state": "ok",
                "result_state": "missing",
                "requestor": "assistant",
            },
        ],
    }


def test_answer_that_is_no_json_stays_text_and_its_complaint_a_user_message():
    turns = [
        {"role": "assistant", "content": '{"analysis": "A", "plan": "P", "commands": [{"keystrokes": "ls'},
        {"role": "user", "content": "Previous response had parsing errors"},
    ]
    (rollout,) = read_rows("terminus_rows", {**ROW, "conversations": turns})
    assert [(one.role, one.calls) for one in rollout.messages] == [("assistant", ()), ("user", ())]
    assert rollout.parse_warnings == ("unparsed_action",)


def test_answers_tell_the_format_whatever_the_columns(read_lake):
    row = {"messages": ROW["conversations"], "uuid": "u1", "reward": "0.0"}
    read = read_lake({"a.jsonl": json.dumps(row)})
    (trajectory,) = read.trajectories
    assert (trajectory.header.source_format, trajectory.native_id) == ("terminus_rows", "u1")
    assert (trajectory.header.reward, trajectory.header.task_id) == (0.0, None)


def test_chat_without_terminus_answers_stays_chat(read_lake):
    row = {"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": '"keystrokes"'}]}
    assert read_lake({"a.jsonl": json.dumps(row)}).units[0].adapter == "openai_chat"


def native(talk):
    turns = []
    for turn in talk:
        if turn.role != "assistant":
            turns.append({"role": turn.role, "content": turn.text})
            continue
        commands = [arguments for _, arguments in turn.calls]
        answer = {"analysis": turn.text, "plan": "P", "commands": commands, "task_complete": False}
        turns.append({"role": "assistant", "content": json.dumps(answer)})
        turns += [{"role": "user", "content": result} for result in turn.results]
    return {**ROW, "conversations": turns}


keystrokes = st.builds(
    lambda text, seconds: ("bash_command", {"keystrokes": text, "duration": seconds}), texts, st.sampled_from([0.1, 2])
)


@settings(max_examples=60)
@given(talk=talks(one_result=True, calls=keystrokes))
def test_conversations_come_back_from_the_tables(talk):
    said = tuple(
        turn._replace(text=f"Analysis: {turn.text}\nPlan: P") if turn.role == "assistant" else turn for turn in talk
    )
    assert rebuilt("terminus_rows", native(talk)) == said
