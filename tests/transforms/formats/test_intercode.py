import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import EnvType, QuarantineReason, Termination
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, texts
from transforms.formats.arguments import command_of

RECORD = {
    "environment": "ic_bash",
    "dataset": "nl2bash_fs_1.json",
    "task_id": 0,
    "query": "Count files",
    "turn_history": {
        "thoughts": ["List", "Done"],
        "actions": ["execute[ls /x]", "submit"],
        "observations": ["no such dir", ""],
        "rewards": [0, 0.5],
        "valid_action": [False, True],
    },
    "summary": {"max_reward": 0.5, "turns_taken": 2, "turns_max": 10},
}


@pytest.mark.parametrize("document", [{"0": RECORD}, {"meta": {"seed": None}, "logs": {"0": RECORD}}])
def test_record_becomes_a_trajectory(read_lake, document):
    (trajectory,) = read_lake({"results/gpt-4/run_1.json": document}).trajectories
    header = trajectory.header
    assert (header.task_id, header.task_text, header.env_type) == (None, "Count files", EnvType.TERMINAL)
    assert (header.model_name, header.run_id, header.reward) == ("gpt-4", "run_1", 0.5)
    assert (header.termination, trajectory.record_key) == (Termination.SUBMITTED, "key:0")
    assert [
        (step.message, step.calls[0].tool_name, step.command, step.obs_text, step.is_error, step.step_reward)
        for step in trajectory.steps[1:]
    ] == [
        ("List", "bash", "ls /x", "no such dir", True, 0.0),
        ("Done", "submit", None, "", False, 0.5),
    ]


FILES = {"results/gpt-4/run_1.json": {"0": RECORD}}

# fmt: off
EXPECTED = [
    (
        {
            'task_source': 'nl2bash_fs_1.json', 'run_id': 'run_1', 'source_format': 'intercode',
            'record_key': 'key:0', 'adapter': 'intercode', 'adapter_version': '3', 'lost_fields': ['task_id'],
            'env_type': 'terminal', 'env_name': 'ic_bash', 'model_name': 'gpt-4', 'reward': 0.5,
            'reward_raw': '0.5', 'reward_name': 'max_reward', 'scored': True, 'termination': 'submitted',
            'termination_raw': 'submit', 'truncated': False, 'num_steps': 3, 'num_agent_steps': 2,
            'num_tool_calls': 2, 'num_tool_errors': 1, 'instruction': 'Count files',
        },
        [
            {'step_id': 1, 'source': 'user', 'message': 'Count files', 'message_state': 'text'},
            {
                'step_id': 2, 'source': 'agent', 'message': 'List', 'message_state': 'text', 'num_calls': 1,
                'tool_name': 'bash', 'command': 'ls /x', 'obs_text': 'no such dir', 'obs_bytes': 11,
                'is_error': True, 'step_reward': 0.0, 'sampled': True,
            },
            {
                'step_id': 3, 'source': 'agent', 'message': 'Done', 'message_state': 'text', 'num_calls': 1,
                'tool_name': 'submit', 'obs_text': '', 'obs_bytes': 0, 'is_error': False, 'step_reward': 0.5,
                'sampled': True,
            },
        ],
        [
            {
                'step_id': 2, 'call_id': 'call_2_0', 'id_generated': True, 'tool_name': 'bash',
                'tool_kind': 'shell', 'arguments_json': {'command': 'ls /x'}, 'result_state': 'ok',
                'is_error': True, 'result_bytes': 11, 'paired_by': 'position',
            },
            {
                'step_id': 3, 'call_id': 'call_3_0', 'id_generated': True, 'tool_name': 'submit',
                'tool_kind': 'finish', 'arguments_json': {}, 'result_state': 'ok', 'is_error': False,
                'result_bytes': 0, 'paired_by': 'position',
            },
        ],
    ),
]
# fmt: on


def test_record_gives_these_rows(read_lake):
    read = read_lake(FILES)
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED


def test_turns_beyond_the_last_action_and_unknown_fields_are_told(read_lake):
    turns = {**RECORD["turn_history"], "rewards": [0, 0.5, 1], "states": ["s"]}
    record = {**RECORD, "turn_history": turns, "gold": "ls", "info": {"eval_obs": "x"}}
    (trajectory,) = read_lake({"m/r.json": {"0": record}}).trajectories
    assert trajectory.lost_fields == (
        "gold",
        "info.eval_obs",
        "task_id",
        "turn_history.rewards[2:]",
        "turn_history.states",
        "turn_history.rewards[]",
    )


turn = st.tuples(texts, st.text("abc ", min_size=1, max_size=6), texts, st.sampled_from([0, 0.25, 1]), st.booleans())


@settings(max_examples=60)
@given(turns=st.lists(turn, max_size=4))
def test_turns_and_rewards_come_back_as_they_were(turns):
    names = ("thoughts", "actions", "observations", "rewards", "valid_action")
    history = {name: [each[index] for each in turns] for index, name in enumerate(names)}
    (rollout,) = read_files("intercode", {"a": {"0": {"query": "q", "turn_history": history}}}, model="m", run="r")
    asked, *rest = rebuilt(rollout)
    assert asked.content == "q"
    assert [
        (said.content, command_of(said.calls[0].arguments_json), seen.content, said.step_reward, not seen.is_error)
        for said, seen in zip(rest[::2], rest[1::2], strict=True)
    ] == [(thought, action.strip() or None, seen, reward, valid) for thought, action, seen, reward, valid in turns]
    assert rollout.header.reward == max((each[3] for each in turns), default=None)


def test_best_turn_counts_where_there_is_no_summary(read_lake):
    record = {**RECORD, "summary": {}}
    assert read_lake({"m/r.json": {"0": record}}).trajectories[0].header.reward == 0.5


def test_withheld_answer_is_no_call(read_lake):
    turns = {"actions": ["ls", "blocked"], "observations": ["a"], "rewards": [0.5, 0], "valid_action": [True]}
    (trajectory,) = read_lake({"m/r.json": {"0": {**RECORD, "turn_history": turns}}}).trajectories
    assert trajectory.header.termination is Termination.GAVE_UP
    assert [len(step.calls) for step in trajectory.steps] == [0, 1, 0]
    assert trajectory.steps[-1].extra_json == '{"blocked":true}'


def test_equal_records_of_two_files_are_two_rollouts(read_lake):
    read = read_lake({"m/a.json": {"0": RECORD}, "m/b.json": {"0": RECORD}})
    assert len({trajectory.traj_id for trajectory in read.trajectories}) == 2


def test_doubled_record_key_is_refused(read_lake):
    text = '{"0": {"query": "a", "turn_history": {}}, "0": {"query": "b", "turn_history": {}}}'
    assert [bad.reason for bad in read_lake({"m/a.json": text}).bad] == [QuarantineReason.DUPLICATE_KEY]


def test_real_results_are_read_whole(read_real):
    read = read_real("intercode-bash", "data/results/bash/*/*.json")
    assert (len(read.units), len(read.trajectories), read.bad, read.repeats) == (36, 1802, [], [])
    assert len({trajectory.traj_id for trajectory in read.trajectories}) == 1802
    assert len({trajectory.task_hash for trajectory in read.trajectories}) == 200
    outcomes, by_model = {}, {}
    for trajectory in read.trajectories:
        is_success = trajectory.header.reward >= 1.0
        outcomes.setdefault(trajectory.task_hash, set()).add(is_success)
        by_model.setdefault((trajectory.task_hash, trajectory.header.model_name), set()).add(is_success)
    assert sum(len(seen) == 2 for seen in outcomes.values()) == 137
    assert (sum(len(seen) == 2 for seen in by_model.values()), len(by_model)) == (83, 1395)


def test_columns_that_are_single_values_and_entries_of_other_kinds_are_kept(read_lake):
    turns = {
        "actions": ["ls", "pwd"], "observations": "a.py", "thoughts": [{"a": 1}, "t"], "rewards": ["0.5", "high"],
        "valid_action": [True, "yes"],
    }  # fmt: skip
    (one,) = read_lake({"m/r.json": {"0": {**RECORD, "turn_history": turns}}}).trajectories
    assert [(step.message, step.obs_text, step.step_reward, step.extra_json) for step in one.steps[1:]] == [
        (None, "a.py", 0.5, '{"thought":{"a":1}}'),
        ("t", None, None, '{"reward":"high","valid_action":"yes"}'),
    ]
    listed = {**turns, "observations": [["x"], None]}
    (one,) = read_lake({"m/r.json": {"0": {**RECORD, "turn_history": listed}}}).trajectories
    assert [step.obs_text for step in one.steps[1:]] == ['["x"]', None]
