from pipelines.stages import boilerplate, copies, embed, sign, similar

WORDS = " ".join(f"word{number}" for number in range(80))
ASKED = "count the rows of the table of orders and write down how many of them are open"
REWORDED = "count rows in the table of orders, then write down how many of them are open"
VECTORS = {"join_by_vectors": True, "vector_min_similarity": 0.6}


def chat(number, task, *, task_id=None, text=WORDS, reward=1.0, **fields):
    messages = [{"role": "user", "content": task}, {"role": "assistant", "content": text}]
    return {"trajectory_id": f"t{number}", "task_id": task_id, "reward": reward, "messages": messages} | fields


def grouped(context):
    for stage in (boilerplate, sign, copies, embed, similar):
        stage.run(context)
    return context.read("clusters"), context.read("task_groups").to_pylist()


def rules(rows):
    return sorted(row["join_rule"] for row in rows)


def test_a_lake_without_task_ids_groups_dated_instructions(stage_over, chat_trajectory):
    chats = [
        chat(0, f"As of 2026-11-30, {ASKED}"),
        chat(1, f"As of 2026-12-01, {ASKED}"),
        chat(2, f"As of 2026-12-01, {ASKED}", text="another way"),
        chat(3, f"As of 2026-12-01, {ASKED}, all 7"),
    ]
    clusters, rows = grouped(stage_over([chat_trajectory(each) for each in chats]))

    groups = clusters["task_group"].to_pylist()
    assert groups[0] == groups[1] == groups[2] != groups[3]
    assert clusters["keeper_id"].to_pylist() == ["t0", "t0", "t2", "t3"]
    assert {row["task_key"] for row in rows} == set(clusters["task_key"].to_pylist())
    assert all(row["task_key"].startswith("text:") for row in rows)
    assert rules(rows) == ["near_text", "text_hash", "text_hash"]


def test_texts_join_tasks_of_one_environment_only(stage_over, chat_trajectory):
    chats = [
        chat(0, ASKED, task_id="a", environment="kitchen"),
        chat(1, ASKED, task_id="b", environment="garden"),
        chat(2, f"As of 2026-12-01, {ASKED}", environment="kitchen"),
        chat(3, f"As of 2026-12-02, {ASKED}", environment="garden"),
    ]
    clusters, rows = grouped(stage_over([chat_trajectory(each) for each in chats]))

    assert clusters["task_group"].to_pylist() == ["id:a", "id:b", "id:a", "id:b"]
    assert rules(rows) == ["id", "id", "near_text", "near_text"]


def test_ids_that_equal_statements_join_are_counted_and_warned_of(stage_over, chat_trajectory):
    chats = [chat(n, f"As of 2026-12-0{n}, {ASKED}", task_id=f"run-{n}") for n in range(1, 5)]
    chats.append(chat(5, f"{ASKED} then", task_id="run-5"))
    context = stage_over([chat_trajectory(each) for each in chats])
    clusters, _ = grouped(context)

    assert clusters["task_group"].to_pylist() == ["id:run-1"] * 4 + ["id:run-5"]
    assert context.progress.counts["joined_task_ids"] == 4
    assert context.progress.counts["joined_id_groups"] == 1
    (warning,) = context.progress.warnings
    assert warning.startswith("warning: 4 task ids were joined into 1 task groups")
    assert "'run-1', 'run-2' and 2 more state 'As of 2026-12-01, count the rows" in warning
    assert "set task_groups.join_near_duplicates=false" in warning


def test_a_stray_record_speaks_for_no_task(stage_over, chat_trajectory):
    chats = [chat(0, "continue", task_id="a"), chat(1, "continue", task_id="b")]
    chats += [chat(n, ASKED, task_id="a", text=f"{WORDS} {n}") for n in (2, 3)]
    chats += [chat(n, "book a table for two at the harbour tonight", task_id="b", text=f"{n} {WORDS}") for n in (4, 5)]
    clusters, _ = grouped(stage_over([chat_trajectory(each) for each in chats]))

    assert set(clusters["task_group"].to_pylist()) == {"id:a", "id:b"}


def test_a_lake_whose_ids_stay_apart_is_not_warned_of(stage_over, chat_trajectory):
    chats = [chat(n, f"{ASKED} {word}", task_id=f"run-{n}") for n, word in enumerate(["then", "now", "soon"])]
    context = stage_over([chat_trajectory(each) for each in chats])
    clusters, _ = grouped(context)

    assert len(set(clusters["task_group"].to_pylist())) == 3
    assert context.progress.warnings == []
    assert "joined_task_ids" not in context.progress.counts


def test_a_key_says_by_which_rule_it_joined(stage_over, chat_trajectory):
    chats = [chat(0, "Sing", task_id="one"), chat(1, "Dance", task_id="old"), chat(2, "Write a poem")]
    settings = {"identity": {"task_aliases": {"old": "two"}}}
    _, rows = grouped(stage_over([chat_trajectory(each) for each in chats], settings=settings))

    assert [(row["task_key"].split(":")[0], row["join_rule"]) for row in rows] == [
        ("id", "id"),
        ("id", "alias"),
        ("text", "text_hash"),
    ]
    assert all(row["task_key"] == row["task_group"] for row in rows)


def test_vectors_join_tasks_only_where_the_settings_say_so(stage_over, chat_trajectory):
    chats = [chat(0, ASKED, task_id="a"), chat(1, REWORDED, task_id="b")]
    clusters, rows = grouped(stage_over([chat_trajectory(each) for each in chats]))
    assert clusters["keeper_id"].to_pylist() == ["t0", "t1"]
    assert rules(rows) == ["id", "id"]


def test_the_copy_rule_is_applied_again_inside_tasks_that_vectors_joined(stage_over, chat_trajectory):
    near = WORDS.replace("word40", "word41")
    chats = [
        chat(0, ASKED, task_id="a"),
        chat(1, ASKED, task_id="a"),
        chat(2, REWORDED, task_id="b"),
        chat(3, REWORDED, task_id="b", text=near),
        chat(4, REWORDED, task_id="b", reward=0.0),
        chat(5, f"{REWORDED}, all 7", task_id="c"),
    ]
    made = [chat_trajectory(each) for each in chats]
    settings = {"task_groups": VECTORS, "semantic": {"enabled": False}}
    clusters, rows = grouped(stage_over(made, settings=settings))

    columns = ["traj_id", "task_group", "keeper_id", "method", "lexical_group", "exact_group", "group_size"]
    assert [tuple(row.values()) for row in clusters.select(columns).to_pylist()] == [
        ("t0", "id:a", "t0", "none", "t0", "t0", 4),
        ("t1", "id:a", "t0", "exact", "t0", "t0", 4),
        ("t2", "id:a", "t0", "exact", "t0", "t0", 4),
        ("t3", "id:a", "t0", "lexical", "t0", "t3", 4),
        ("t4", "id:a", "t4", "none", "t4", "t4", 1),
        ("t5", "id:c", "t5", "none", "t5", "t5", 1),
    ]
    assert rows == [
        {"task_key": "id:a", "task_group": "id:a", "join_rule": "id"},
        {"task_key": "id:b", "task_group": "id:a", "join_rule": "vector"},
        {"task_key": "id:c", "task_group": "id:c", "join_rule": "id"},
    ]

    spread = stage_over(made[4:], made[:3], made[3:4], name="spread", store="spread", settings=settings)
    assert grouped(spread)[0].equals(clusters)


def test_vectors_join_without_text_joins_too(stage_over, chat_trajectory):
    chats = [chat(0, ASKED, task_id="a"), chat(1, REWORDED, task_id="b", text="another way")]
    settings = {"task_groups": VECTORS | {"join_near_duplicates": False}}
    clusters, rows = grouped(stage_over([chat_trajectory(each) for each in chats], settings=settings))
    assert clusters["task_group"].to_pylist() == ["id:a", "id:a"]
    assert rules(rows) == ["id", "vector"]


def test_a_shared_preamble_joins_no_tasks(stage_over, chat_trajectory):
    preamble = f"You serve the desk of the house. {WORDS}"
    chats = [
        chat(n, f"{preamble}\n\n{task}", task_id=task, text=f"{task} " * 9)
        for n, task in enumerate(["sing", "dance", "paint", "write"])
    ]
    settings = {"task_groups": VECTORS}
    clusters, _ = grouped(stage_over([chat_trajectory(each) for each in chats], settings=settings))
    assert len(set(clusters["task_group"].to_pylist())) == 4


def test_an_empty_lake_has_no_task_groups(stage_over):
    clusters, rows = grouped(stage_over([], settings={"task_groups": VECTORS}))
    assert (clusters.num_rows, rows) == (0, [])
