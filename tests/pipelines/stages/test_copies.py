import json
from collections import Counter, defaultdict

import pytest

from pipelines.stages import boilerplate, copies, sign
from transforms.lexical.cluster_rows import copy_figures

COLUMNS = ["traj_id", "task_group", "outcome_class", "keeper_id", "method", "group_size"]


def curated(context):
    for stage in (boilerplate, sign, copies):
        stage.run(context)
    return context.read("clusters")


def case(shared_dir, name):
    folder = shared_dir / "cases" / "inputs" / name
    lines = (folder / "data" / "part-0.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines], json.loads((folder / "expect.json").read_text())


def chat(number, text, *, task_id="one", reward=1.0, task="Fix the slow parser"):
    messages = [{"role": "user", "content": task}, {"role": "assistant", "content": text}]
    return {"trajectory_id": f"t{number}", "task_id": task_id, "reward": reward, "messages": messages}


def test_copies_keep_task_groups_and_outcomes_apart(stage_over, chat_trajectory):
    chats = [
        chat(0, "I look at the file."),
        chat(1, "I look at the file."),
        chat(2, "I look at the file.", reward=0.0),
        chat(3, "I look at the file.", task_id="two"),
        chat(4, "I look at the file.", task_id="three", task="Write a poem"),
        chat(5, "", task_id="four", task=""),
    ]
    made = [chat_trajectory(each) for each in chats]

    clusters = curated(stage_over(made[:2], made[2:]))

    assert [tuple(row.values()) for row in clusters.select(COLUMNS).to_pylist()] == [
        ("t0", "id:one", "success", "t0", "none", 3),
        ("t1", "id:one", "success", "t0", "exact", 3),
        ("t2", "id:one", "failure", "t2", "none", 1),
        ("t3", "id:one", "success", "t0", "exact", 3),
        ("t4", "id:three", "success", "t4", "none", 1),
        ("t5", "id:four", "success", "t5", "empty", 1),
    ]


def test_a_cut_run_lies_inside_the_full_one_of_its_outcome(stage_over, chat_trajectory):
    full = " ".join(f"word{number}" for number in range(600))
    cut = " ".join(full.split()[:200])
    chats = [chat(0, cut), chat(1, full), chat(2, cut, reward=0.0), chat(3, cut, task_id="two", task="Write a poem")]
    made = [chat_trajectory(each) for each in chats]
    columns = ["keeper_id", "lexical_group", "semantic_group", "method", "similarity_to_keeper", "group_size"]

    found = curated(stage_over(made, name="on", store="on")).select(columns).to_pylist()
    without = curated(stage_over(made, name="off", store="off", settings={"lexical": {"containment": False}}))

    assert [tuple(row.values()) for row in found] == [
        ("t1", "t0", "t1", "containment", 1.0, 2),
        ("t1", "t1", "t1", "none", 1.0, 2),
        ("t2", "t2", "t2", "none", 1.0, 1),
        ("t3", "t3", "t3", "none", 1.0, 1),
    ]
    assert without["method"].to_pylist() == ["none"] * 4


def test_both_engines_give_the_same_groups(stage_over, chat_trajectory):
    words = [f"word{number}" for number in range(300)]
    texts = [" ".join(words), " ".join([*words[:290], "x"]), " ".join(words[:100]), " ".join(words[::-1]), "ls", "ls"]
    made = [chat_trajectory(chat(number, text)) for number, text in enumerate(texts)]
    columns = ["traj_id", "keeper_id", "method", "approach_group"]

    fast, reference = (
        curated(stage_over(made, name=name, store=name, settings={"lexical": {"engine": name}})).select(columns)
        for name in ("fast", "datasketch")
    )

    assert fast.equals(reference)
    assert fast["method"].to_pylist() == ["none", "lexical", "containment", "none", "none", "exact"]


def test_tasks_join_only_where_the_settings_say_so(stage_over, chat_trajectory):
    made = [chat_trajectory(chat(0, "a")), chat_trajectory(chat(1, "a", task_id="two"))]

    clusters = curated(stage_over(made, settings={"task_groups": {"join_near_duplicates": False}}))

    assert clusters["task_group"].to_pylist() == ["id:one", "id:two"]


def test_copies_do_not_depend_on_packs_or_their_order(stage_over, chat_trajectory):
    words = [f"word{number}" for number in range(300)]
    made = [
        chat_trajectory(chat(number, " ".join([*words[:number], "x", *words[number:]]), reward=number % 2))
        for number in range(8)
    ]

    one = curated(stage_over(made, name="one", store="one"))
    other = curated(stage_over(made[5:], made[:2], made[2:5], name="other", store="other"))

    assert one.equals(other)
    assert Counter(one["method"].to_pylist()) == {"lexical": 6, "none": 2}


def test_ded_02_a_shared_system_prompt_joins_nothing(shared_dir, stage_over, chat_trajectory):
    rows, expect = case(shared_dir, "DED-02")

    clusters = curated(stage_over([chat_trajectory(row) for row in rows])).to_pylist()

    assert len({row["keeper_id"] for row in clusters}) == expect["clusters"]
    together = {row["keeper_id"] for row in clusters if row["traj_id"] in expect["cluster_of_four"]}
    assert [sorted(row["traj_id"] for row in clusters if row["keeper_id"] in together)] == [
        sorted(expect["cluster_of_four"])
    ]


def test_ded_05_short_runs_stay_apart_and_the_empty_one_is_set_aside(shared_dir, stage_over, chat_trajectory):
    rows, expect = case(shared_dir, "DED-05")

    clusters = curated(stage_over([chat_trajectory(row) for row in rows])).to_pylist()

    methods = {row["traj_id"]: row["method"] for row in clusters}
    assert Counter(methods.values()) == {"none": expect["survivors_min"], "exact": 1, "empty": expect["empty"]}
    assert (methods["sh5-r0"], methods["sh9-r0"]) == ("exact", "empty")


def test_sca_04_small_environments_lose_nothing(shared_dir, stage_over, chat_trajectory):
    rows, expect = case(shared_dir, "SCA-04")

    clusters = curated(stage_over([chat_trajectory(row) for row in rows]))

    assert Counter(clusters["method"].to_pylist()) == {"none": expect["survivors"]}


@pytest.fixture(scope="module")
def airline_chats(real_rollouts):
    (path,) = sorted((real_rollouts / "tau-bench").rglob("*.json"))
    records = json.loads(path.read_text())
    return [
        {
            "trajectory_id": f"{record['task_id']:03}-{record['trial']}",
            "task_id": str(record["task_id"]),
            "environment": "airline",
            "reward": record["reward"],
            "instruction": record["info"]["task"]["instruction"],
            "messages": record["traj"],
        }
        for record in records
    ]


def test_on_real_rollouts_no_group_mixes_tasks_or_outcomes(airline_chats, stage_over, chat_trajectory):
    context = stage_over([chat_trajectory(row) for row in airline_chats])

    clusters = curated(context)

    rows = clusters.to_pylist()
    cells = {row["keeper_id"]: (row["task_group"], row["outcome_class"]) for row in rows}
    assert len(rows) == 200
    assert all((row["task_group"], row["outcome_class"]) == cells[row["keeper_id"]] for row in rows)
    assert Counter(row["outcome_class"] for row in rows) == {"success": 84, "failure": 116}
    assert len({row["task_group"] for row in rows}) == 50
    figures = copy_figures(clusters, context.read("features"))
    assert figures == (0, 0, 19, 8)
    features = {row["traj_id"]: row for row in context.read("features").to_pylist()}
    repeats = defaultdict(set)
    for row in rows:
        calls = features[row["traj_id"]]
        if calls["num_calls"]:
            repeats[row["task_group"], row["outcome_class"], calls["actions_hash"]].add(row["approach_group"])
        assert cells[row["approach_group"]] == (row["task_group"], row["outcome_class"])
    assert all(len(groups) == 1 for groups in repeats.values())


def test_a_lake_without_trajectories_gives_empty_tables(stage_over):
    context = stage_over([])

    assert curated(context).num_rows == 0
    assert [context.read(name).num_rows for name in ("boilerplate", "views", "signatures")] == [0, 0, 0]
