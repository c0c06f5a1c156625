from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import EnvType, QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rows_of
from tests.transforms.formats.row_talks import chat_form, read_rows, rebuilt, talks
from transforms.formats.tau_bench import TauBenchAdapter

RESULT = {
    "task_id": 3,
    "reward": 1.0,
    "trial": 2,
    "info": {
        "task": {"instruction": "You want a seat.", "actions": []},
        "reward_info": {"info": {"r_actions": 1.0, "gt_data_hash": "ab"}},
    },
    "traj": [
        {"role": "system", "content": "Policy"},
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "book", "arguments": '{"seat": "1A"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "name": "book", "content": "done"},
        {"role": "user", "content": "Thanks ###STOP###"},
    ],
}


def test_result_becomes_a_trajectory(read_lake):
    (trajectory,) = read_lake({"gpt-4o-airline.json": [RESULT]}).trajectories
    header = trajectory.header
    assert (header.task_id, header.task_text, header.rollout_index) == ("airline/3", "You want a seat.", 2)
    assert (header.env_type, header.env_name, header.model_name) == (EnvType.DIALOG, "airline", "gpt-4o")
    assert (header.reward, header.reward_raw, header.reward_components) == (1.0, "1.0", {"r_actions": 1.0})
    assert header.termination is Termination.FINISHED
    assert [(step.source, step.message, step.obs_text) for step in trajectory.steps] == [
        ("system", "Policy", None),
        ("user", "Hi", None),
        ("agent", None, "done"),
        ("user", "Thanks ###STOP###", None),
    ]


def test_run_that_failed_before_the_agent_acted_has_no_valid_reward(read_lake):
    result = {"task_id": 1, "reward": 0.0, "trial": 0, "info": {"error": "api timeout"}, "traj": []}
    (trajectory,) = read_lake({"m-retail.json": [result]}).trajectories
    assert (trajectory.header.reward_valid, trajectory.header.error_message) == (False, "api timeout")


def test_equal_results_are_told_apart_by_their_number(read_lake):
    read = read_lake({"m-airline.json": [RESULT, RESULT]})
    assert len({trajectory.traj_id for trajectory in read.trajectories}) == 2
    assert read.repeats == []


def test_unusable_items_are_set_aside(read_lake):
    read = read_lake({"m-airline.json": [RESULT, 7, {**RESULT, "traj": None}, {**RESULT, "reward": "maybe"}]})
    assert len(read.trajectories) == 1
    assert [(bad.record_key, bad.reason) for bad in read.bad] == [
        ("item:1", QuarantineReason.NOT_AN_OBJECT),
        ("item:2", QuarantineReason.MISSING_MESSAGES),
        ("item:3", QuarantineReason.INVALID_REWARD),
    ]


def test_path_facts_are_model_and_environment():
    adapter = TauBenchAdapter()
    assert adapter.path_facts("x/gpt-4o-airline.json") == (("environment", "airline"), ("model", "gpt-4o"))
    assert adapter.path_facts("sonnet.json") == (("model", "sonnet"),)


def test_only_what_a_result_holds_is_lost(read_lake):
    told = {"task": {"actions": [{"name": "book"}]}, "reward_info": {"actions": []}, "user_cost": 0.5}
    read = read_lake({"m-airline.json": [{**RESULT, "info": info} for info in ({}, told)]})
    assert [one.lost_fields for one in read.trajectories] == [(), ("info.task.actions", "info.user_cost")]


def test_real_results_are_read_whole(read_real):
    read = read_real("tau-bench", "**/*.json")
    assert (len(read.trajectories), read.bad, read.repeats) == (200, [], [])
    assert Counter(trajectory.header.reward for trajectory in read.trajectories) == {1.0: 84, 0.0: 116}
    assert len({trajectory.header.task_id for trajectory in read.trajectories}) == 50
    states = Counter(step.message_state for trajectory in read.trajectories for step in trajectory.steps)
    assert states["null"] == 1074
    assert len({trajectory.system_prompt_hash for trajectory in read.trajectories}) == 1


# fmt: off
EXPECTED = (
    {
        'task_id': 'airline/3', 'task_source': 'tau-bench', 'rollout_index': 2, 'source_format': 'tau_bench',
        'record_key': 'item:0', 'adapter': 'tau_bench', 'adapter_version': '3',
        'lost_fields': [
                        "info.reward_info.info.gt_data_hash"],
        'env_type': 'dialog', 'env_name': 'airline', 'model_name': 'gpt-4o', 'reward': 1.0, 'reward_raw': '1.0',
        'reward_name': 'reward', 'reward_components': [('r_actions', 1.0)], 'scored': True,
        'termination': 'finished', 'termination_raw': '###STOP###', 'truncated': False, 'num_steps': 4,
        'num_agent_steps': 1, 'num_tool_calls': 1, 'instruction': 'You want a seat.',
    },
    [
        {'step_id': 1, 'source': 'system', 'message': 'Policy', 'message_state': 'text'},
        {'step_id': 2, 'source': 'user', 'message': 'Hi', 'message_state': 'text'},
        {
            'step_id': 3, 'source': 'agent', 'message_state': 'null', 'num_calls': 1, 'tool_name': 'book',
            'obs_text': 'done', 'obs_bytes': 4,
        },
        {'step_id': 4, 'source': 'user', 'message': 'Thanks ###STOP###', 'message_state': 'text'},
    ],
    [
        {
            'step_id': 3, 'call_id': 'c', 'call_id_raw': 'c', 'tool_name': 'book', 'tool_kind': 'other',
            'arguments_json': {'seat': '1A'}, 'arguments_raw': '{"seat": "1A"}', 'result_state': 'ok',
            'result_bytes': 4, 'paired_by': 'id',
        },
    ],
)
# fmt: on


def test_result_gives_these_rows(read_lake):
    read = read_lake({"gpt-4o-airline.json": [RESULT]})
    assert tuple(rows_of(read.trajectories[0], read.units[0])) == EXPECTED


@settings(max_examples=60)
@given(talk=talks(), reward=st.floats(0, 1))
def test_conversations_come_back_from_the_tables(talk, reward):
    native = {"task_id": 1, "reward": reward, "trial": 0, "info": {}, "traj": chat_form(talk)}
    assert rebuilt("tau_bench", native) == talk
    (rollout,) = read_rows("tau_bench", native)
    assert (rollout.header.reward, rollout.parse_warnings) == (reward, ())
