import pyarrow as pa

from transforms.judging.identities import environments, id_task_key, policies, task_keys


def _tasks(*rows: tuple[str | None, str]) -> pa.Table:
    return pa.table(
        {"task_id": pa.array([row[0] for row in rows], pa.string()), "task_hash": [row[1] for row in rows]}
    )


def test_task_key_is_the_task_id_and_without_one_the_hash_of_the_text() -> None:
    assert task_keys(_tasks(("7", "aa"), (None, "bb"), ("", "cc")), {}) == ["id:7", "text:bb", "text:cc"]


def test_task_aliases_join_ids_and_are_followed_to_their_end() -> None:
    tasks = _tasks(("HumanEval_31_name", "x"), ("HumanEval/31", "x"), ("old", "x"))
    aliases = {"HumanEval_31_name": "HumanEval/31", "old": "HumanEval_31_name"}

    assert task_keys(tasks, aliases) == ["id:HumanEval/31"] * 3


def test_id_task_key_names_the_kind_of_key() -> None:
    assert id_task_key("text:1") == "id:text:1"


def test_environment_is_the_name_and_without_one_the_kind() -> None:
    table = pa.table({"env_name": ["airline", None, ""], "env_type": ["dialog", "terminal", "other"]})

    assert environments(table) == ["airline", "terminal", "other"]


def test_policy_joins_the_fields_in_their_order_with_a_dash_for_what_is_missing() -> None:
    table = pa.table(
        {
            "model_name": ["m1", None, ""],
            "policy_step": pa.array([100, 0, None], pa.int64()),
        }
    )

    assert policies(table, ["model_name", "policy_step"]) == ["m1/100", "-/0", "-/-"]
    assert policies(table, ["policy_step"]) == ["100", "0", "-"]
