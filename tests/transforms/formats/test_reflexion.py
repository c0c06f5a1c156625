import json
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import QuarantineReason
from schemas.records import Message
from tests.transforms.formats.harness_rows import rebuilt, rows_of
from tests.transforms.formats.talks import read_files, texts
from transforms.formats.reflexion import ReflexionAdapter

ATTEMPT = {
    "name": "mbpp_1_add",
    "language": "py",
    "prompt": "def add(a, b):\n",
    "entry_point": "add",
    "test": "assert add(1, 2) == 3",
    "stop_tokens": [],
    "implementations": ["return a", "return a + b"],
    "test_feedback": ["add(1, 2) gave 1"],
    "reflections": ["I forgot b."],
    "solution": "return a + b",
    "is_solved": True,
}
FILES = {"runs/reflexion_mbpp/mbpp-py._reflexion_5_gpt-4_pass_at_k_1_py.jsonl": json.dumps(ATTEMPT) + "\n"}

# fmt: off
EXPECTED = [
    (
        {
            'task_id': 'mbpp_1_add', 'task_source': 'mbpp-py', 'run_id': 'reflexion_mbpp',
            'source_format': 'reflexion', 'record_key': 'line:1', 'record_offset': 0, 'adapter': 'reflexion',
            'adapter_version': '2', 'lost_fields': ['entry_point', 'test'], 'env_type': 'other', 'language': 'py',
            'agent_name': 'reflexion', 'model_name': 'gpt-4', 'reward': 1.0, 'reward_raw': 'true',
            'reward_name': 'is_solved', 'success': True, 'scored': True, 'termination': 'unknown', 'num_steps': 4,
            'num_agent_steps': 3, 'instruction': 'def add(a, b):\n',
        },
        [
            {'step_id': 1, 'source': 'user', 'message': 'def add(a, b):\n', 'message_state': 'text'},
            {
                'step_id': 2, 'source': 'agent', 'message': 'return a', 'message_state': 'text',
                'obs_text': 'add(1, 2) gave 1', 'obs_bytes': 16, 'sampled': True,
            },
            {
                'step_id': 3, 'source': 'agent', 'actor': 'reflection', 'message': 'I forgot b.',
                'message_state': 'text', 'sampled': True,
            },
            {'step_id': 4, 'source': 'agent', 'message': 'return a + b', 'message_state': 'text', 'sampled': True},
        ],
        [
        ],
    ),
]
# fmt: on


def test_attempt_gives_these_rows(read_lake):
    read = read_lake(FILES)
    assert [tuple(rows_of(one, read.units[0])) for one in read.trajectories] == EXPECTED


def attempt(read_lake, **fields):
    (one,) = read_lake({"r/a.jsonl": json.dumps({**ATTEMPT, **fields})}).trajectories
    return one


def test_reflections_without_implementations_come_before_the_solution(read_lake):
    one = attempt(read_lake, implementations=[], test_feedback=[], reflections=["r1", "r2"])
    assert [(step.message, step.actor, step.sampled) for step in one.steps[1:]] == [
        ("r1", "reflection", True),
        ("r2", "reflection", True),
        ("return a + b", None, True),
    ]


def test_solution_that_is_a_list_keeps_its_parts(read_lake):
    one = attempt(read_lake, implementations=None, test_feedback=None, reflections=None, solution=["a", "b"])
    assert [(step.message, step.parts_json) for step in one.steps[1:]] == [("a\nb", '["a","b"]')]


@pytest.mark.parametrize(
    ("uri", "facts"),
    [
        (
            "x/run1/humaneval-py..gz_simple_1_gpt-4_pass_at_k_1_py.jsonl",
            {"dataset": "humaneval-py", "model": "gpt-4", "run": "run1", "strategy": "simple"},
        ),
        (
            "run2/mbpp-py._test-acc_1_gpt-3.5_turbo_pass_at_k_1_py.jsonl",
            {"dataset": "mbpp-py", "model": "gpt-3.5_turbo", "run": "run2", "strategy": "test-acc"},
        ),
        ("run3/results.jsonl", {"run": "run3"}),
    ],
)
def test_path_tells_run_and_where_named_the_policy(uri, facts):
    assert dict(ReflexionAdapter().path_facts(uri)) == facts


def test_equal_attempts_of_two_runs_are_two_rollouts(read_lake):
    read = read_lake({f"run{number}/a.jsonl": json.dumps(ATTEMPT) for number in (1, 2)})
    assert len({one.traj_id for one in read.trajectories}) == 2


def test_unusable_attempts_are_set_aside(read_lake):
    rows = [ATTEMPT, {**ATTEMPT, "prompt": None}, {**ATTEMPT, "reflections": [3]}, {**ATTEMPT, "is_solved": "so so"}]
    assert [(bad.record_key, bad.reason) for bad in read_lake({"a.jsonl": "\n".join(map(json.dumps, rows))}).bad] == [
        ("line:2", QuarantineReason.MISSING_MESSAGES),
        ("line:3", QuarantineReason.INVALID_MESSAGE),
        ("line:4", QuarantineReason.INVALID_REWARD),
    ]


def test_real_attempts_are_all_read(read_real):
    read = read_real("reflexion-code", "**/*.jsonl")
    assert (len(read.units), len(read.trajectories), read.bad, read.repeats) == (7, 1940, [], [])
    assert len({one.traj_id for one in read.trajectories}) == 1940
    outcomes = defaultdict(set)
    for one in read.trajectories:
        outcomes[one.header.task_id].add(one.header.success)
    assert (len(outcomes), sum(len(seen) == 2 for seen in outcomes.values())) == (561, 124)
    assert Counter(one.header.success for one in read.trajectories) == {True: 1535, False: 405}


@settings(max_examples=60)
@given(
    tried=st.lists(texts, max_size=3), said=st.lists(texts, max_size=3), learned=st.lists(texts, max_size=3),
    solution=st.none() | texts, solved=st.none() | st.booleans(),
)  # fmt: skip
def test_attempts_come_back_as_they_were(tried, said, learned, solution, solved):
    native = {"task_id": "t", "prompt": "p", "is_solved": solved, "solution": solution}
    native |= {"implementations": tried, "test_feedback": said, "reflections": learned}
    (rollout,) = read_files("reflexion", {"a": native}, run="r")
    told = [(m.role, m.content, m.actor) for m in rebuilt(rollout)]
    assert [each[1] for each in told if each[0] == "tool"] == said
    assert [each[1] for each in told if each[2] == "reflection"] == learned
    last = [] if solution is None or (tried and solution == tried[-1]) else [solution]
    assert [each[1] for each in told if each[0] == "assistant" and each[2] is None] == [*tried, *last]
    assert rollout.messages[0] == Message("user", "p")
    assert (rollout.header.success, rollout.lost_fields) == (solved, ())


def test_a_single_text_is_a_list_of_one(read_lake):
    one = attempt(read_lake, implementations="i", test_feedback="f", reflections="r", solution="s")
    assert [step.message or step.obs_text for step in one.steps[1:]] == ["i", "r", "s"]
    assert one.steps[1].obs_text == "f"
