import pyarrow.parquet as pq
import pytest

from pipelines.stages import boilerplate, sign


def chat(number, text, *, task_id="one"):
    return {
        "trajectory_id": f"t{number}",
        "task_id": task_id,
        "messages": [{"role": "user", "content": f"Task {task_id}"}, {"role": "assistant", "content": text}],
    }


def bodies(context):
    paths = sorted((context.work_dir / sign.BODIES_FOLDER).glob("*.parquet"))
    return sorted(row["body"] for path in paths for row in pq.read_table(path).to_pylist())


def signed(context):
    boilerplate.run(context)
    sign.run(context)
    return context


def tables(context):
    return [context.store.read_bytes(context.table_path(name)) for name in sign.WRITES]


@pytest.fixture
def runs(chat_trajectory):
    texts = ["I look.", "I look.", "I jump.", ""]
    made = [chat_trajectory(chat(number, text)) for number, text in enumerate(texts)]
    return [*made, chat_trajectory(chat(4, "", task_id="two") | {"messages": []})]


def test_sign_gives_a_view_per_trajectory_and_a_signature_per_view(stage_over, runs):
    context = signed(stage_over(runs[1:3], [runs[0], *runs[3:]]))
    views = context.read("views").to_pylist()
    signatures = context.read("signatures")

    assert [(row["traj_id"], row["is_empty"]) for row in views] == [
        ("t0", False),
        ("t1", False),
        ("t2", False),
        ("t3", False),
        ("t4", True),
    ]
    assert views[0]["view_hash"] == views[1]["view_hash"]
    assert signatures["view_hash"].to_pylist() == sorted({row["view_hash"] for row in views})
    assert bodies(context) == ["", "", "I jump.", "I look."]


def test_kept_signatures_change_the_work_and_nothing_else(stage_over, runs):
    cold = signed(stage_over(runs, name="cold", store="one"))
    signed(stage_over(runs[:2], name="first", store="two"))
    warm = signed(stage_over(runs, name="warm", store="two"))

    assert tables(warm) == tables(cold)
    assert bodies(warm) == ["", "", "I jump."]


def test_ensure_bodies_adds_the_texts_of_views_signed_before(stage_over, runs):
    signed(stage_over(runs, name="first"))
    context = signed(stage_over(runs, name="second"))
    assert bodies(context) == []

    hashes = context.read("views")["view_hash"].to_pylist()
    sign.ensure_bodies(context, hashes[:1])
    sign.ensure_bodies(context, hashes)

    assert bodies(context) == ["", "", "I jump.", "I look."]
