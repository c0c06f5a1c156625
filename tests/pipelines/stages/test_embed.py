import hashlib
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest

from pipelines.stages import boilerplate, copies, embed, sign

WORDS = [f"word{number}" for number in range(400)]


def chat(number, text, *, task_id="one", reward=1.0, task="Fix the slow parser"):
    messages = [{"role": "user", "content": task}, {"role": "assistant", "content": text}]
    return {"trajectory_id": f"t{number}", "task_id": task_id, "reward": reward, "messages": messages}


CHATS = [
    chat(0, " ".join(WORDS[:200])),
    chat(1, " ".join(WORDS[:200])),
    chat(2, " ".join(WORDS[200:]), reward=0.0),
    chat(3, " ".join(WORDS[100:300]), task_id="two", task="Write a poem"),
    chat(4, "", task_id="three", task=""),
]


def embedded(context):
    for stage in (boilerplate, sign, copies, embed):
        stage.run(context)
    return context.read("embeddings")


def vectors(table, view):
    rows = table.filter(pc.equal(table["view"], view)).to_pylist()
    return {row["traj_id"]: np.array(row["vector"], dtype=np.float64) for row in rows}


def digest(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_representatives_get_a_vector_per_view(stage_over, chat_trajectory):
    context = stage_over([chat_trajectory(each) for each in CHATS])

    table = embedded(context)

    assert table.select(["traj_id", "view", "model"]).to_pylist() == [
        {"traj_id": traj_id, "view": view, "model": "hashed-256"}
        for traj_id in ("t0", "t2", "t3", "t4")
        for view in ("body", "fused", "task")
    ]
    body, fused, task = (vectors(table, view) for view in ("body", "fused", "task"))
    assert not body["t4"].any()
    assert not fused["t4"].any()
    assert body["t0"] @ body["t3"] > body["t0"] @ body["t2"] + 0.2
    assert task["t0"] @ task["t2"] == pytest.approx(1, abs=1e-3)
    expected = 0.5 * body["t0"] @ body["t2"] + 0.5
    assert fused["t0"] @ fused["t2"] == pytest.approx(expected, abs=2e-3)
    assert np.load(context.work_dir / "vectors" / "ids.npy").tolist() == ["t0", "t2", "t3", "t4"]
    assert np.load(context.work_dir / "vectors" / "skeleton.npy").shape == (4, 128)


def test_vectors_do_not_depend_on_packs_or_on_what_is_kept(stage_over, chat_trajectory):
    made = [chat_trajectory(each) for each in CHATS]
    cold = stage_over(made, name="cold", store="one")
    warm = stage_over(made, name="warm", store="one")
    spread = stage_over(made[3:], made[:1], made[1:3], name="spread", store="two")

    tables = [embedded(context) for context in (cold, warm, spread)]

    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    folders = [digest(context.work_dir / "vectors") for context in (cold, warm, spread)]
    assert folders[0] == folders[1] == folders[2]


def test_kept_vectors_are_not_computed_again(stage_over, chat_trajectory):
    made = [chat_trajectory(each) for each in CHATS]
    first = stage_over(made, name="first")
    embedded(first)
    kept = {path: first.store.read_bytes(path) for path in first.store.list("layers/windows")}
    second = stage_over(made, name="second")
    embedded(second)
    assert {path: second.store.read_bytes(path) for path in second.store.list("layers/windows")} == kept
    assert not (second.work_dir / "bodies").exists()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["t0", "t2", "t3"]),
        ({"semantic": {"enabled": False}}, ["t0", "t2"]),
        ({"task_groups": {"join_by_vectors": True}}, ["t0", "t1", "t2", "t3"]),
    ],
    ids=["may be parted from its keeper", "no vectors compared", "cells may become one"],
)
def test_a_near_copy_has_vectors_where_its_keeper_may_go(settings, expected, stage_over, chat_trajectory):
    near = [" ".join(["first", *part]) for part in (WORDS[1:200], WORDS[201:])]
    chats = [
        chat(0, " ".join(WORDS[:200])),
        chat(1, near[0]),
        chat(2, " ".join(WORDS[200:])),
        chat(3, near[1]),
        chat(4, near[1]),
    ]
    context = stage_over([chat_trajectory(each) for each in chats], settings=settings)

    table = embedded(context)

    # Of the cell's two representatives t0 is the better one: it goes for none.
    assert sorted(set(table["traj_id"].to_pylist())) == expected
    assert context.read("clusters")["keeper_id"].to_pylist() == ["t0", "t0", "t2", "t2", "t2"]


def test_a_representative_with_a_kept_signature_and_no_vector_is_read_again(stage_over, chat_trajectory):
    made = [chat_trajectory(each) for each in CHATS]
    embedded(stage_over(made, name="first"))
    wider = stage_over(made, name="wider", settings={"embedding": {"dimensions": 64}})
    table = embedded(wider)
    assert {len(row) for row in table["vector"].to_pylist()} == {64, 128}


def test_a_model_embeds_windows_over_the_whole_text(stage_over, chat_trajectory, tiny_model):
    settings = {
        "embedding": {"encoder": str(tiny_model), "batch_size": 8},
        "views": {"window_tokens": 16, "max_windows": 3},
    }
    tail = chat(9, "ab cd ef gh " * 40 + "xyz xyz xyz xyz xyz xyz xyz", task_id="nine", task="Sing")
    head = chat(8, "ab cd ef gh " * 40, task_id="eight", task="Sing")
    made = [chat_trajectory(each) for each in [*CHATS, head, tail]]
    cold = stage_over(made, name="cold", settings=settings)
    warm = stage_over(made, name="warm", settings=settings)
    spread = stage_over(made[4:], made[:4], name="spread", store="two", settings=settings)

    tables = [embedded(context) for context in (cold, warm, spread)]

    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    assert set(tables[0]["model"].to_pylist()) == {"model"}
    body = vectors(tables[0], "body")
    assert body["t8"].shape == (16,)
    assert np.linalg.norm(body["t8"]) == pytest.approx(1, abs=1e-2)
    assert body["t8"] @ body["t9"] < 0.999
