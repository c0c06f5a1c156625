import pytest

from schemas.reasons import EnvType, QuarantineReason, Termination

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
