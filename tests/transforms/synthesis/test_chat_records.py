import pyarrow as pa
import pytest

from schemas.reasons import EnvType
from transforms.synthesis.actions import Phase
from transforms.synthesis.chat_records import CHAT_SCHEMA, chat_messages, chat_record, reward_components, total_reward
from transforms.synthesis.episodes import Episode, Turn
from transforms.synthesis.planting import Planted, plan_task
from transforms.synthesis.prompts import system_prompt

EPISODE = Episode(
    task_text="do it",
    turns=(
        Turn(Phase.ASK, "which?", None, {}, "that"),
        Turn(Phase.READ, "look", "open_file", {"path": "a", "line": "1"}, "text"),
        Turn(Phase.FINISH, "done", None, {}, None),
    ),
    tests_passed=9,
    tests_total=10,
    components=(0.9, 1.0, 1.0),
    loop=None,
    secret=None,
)


def test_a_call_and_its_answer_share_an_id():
    assert chat_messages(EnvType.CODE_REPO, EPISODE, call_prefix="c") == [
        {"role": "system", "content": system_prompt(EnvType.CODE_REPO)},
        {"role": "user", "content": "do it"},
        {"role": "assistant", "content": "which?"},
        {"role": "user", "content": "that"},
        {
            "role": "assistant",
            "content": "look",
            "tool_calls": [
                {
                    "id": "c001",
                    "type": "function",
                    "function": {"name": "open_file", "arguments": '{"path":"a","line":"1"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c001", "name": "open_file", "content": "text"},
        {"role": "assistant", "content": "done"},
    ]


@pytest.mark.parametrize(
    ("env_type", "reward", "names"),
    [
        (EnvType.CODE_REPO, 1.2, {"unit_test_pass", "compile_success", "file_localization"}),
        (EnvType.TERMINAL, 0.9, {"unit_test_pass", "compile_success"}),
        (EnvType.CROSS_TOOL, 0.0, {"unit_test_pass"}),
    ],
)
def test_a_repository_sums_its_process_rewards(env_type: EnvType, reward: float, names: set[str]):
    assert total_reward(env_type, EPISODE) == reward
    assert set(reward_components(env_type, EPISODE)) == names


def test_runs_that_were_not_judged_have_no_reward_and_say_why():
    tasks = [plan_task(0, number, num_rollouts=8) for number in range(64)]
    ends = set()
    for task in tasks:
        for plan in task.rollouts:
            record = chat_record(task, plan, EPISODE, native_id="x")
            if plan.kind in (Planted.INFRA, Planted.UNSCORED):
                assert record["reward_components"] is None
                ends.add((plan.kind, plan.infra_cause, record["exit_status"], record["reward"]))
    assert ends == {
        (Planted.UNSCORED, None, "completed", None),
        *(
            (Planted.INFRA, cause, status, reward)
            for cause, status in (
                ("timeout", "infrastructure_error"),
                ("http_5xx", "infrastructure_error"),
                ("install_failure", "agent_installation_failed"),
            )
            for reward in (None, 0.0)
        ),
    }


def test_a_record_fits_the_parquet_schema():
    task = plan_task(0, 4, num_rollouts=8)
    record = chat_record(task, task.rollouts[0], EPISODE, native_id="x")
    assert list(record) == CHAT_SCHEMA.names
    table = pa.Table.from_pylist([record | {"tools": "[]"}], schema=CHAT_SCHEMA)
    assert table.column("messages").to_pylist()[0][4]["tool_calls"][0]["function"]["name"] == "open_file"
