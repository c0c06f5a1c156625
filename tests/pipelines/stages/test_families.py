import dataclasses

import pytest

from pipelines.stages import boilerplate, copies, embed, families, sign, similar
from transforms.store.manifest import Manifest
from transforms.store.packs import TableFile

STYLES = {"searcher": ["grep", "cat", "cat"], "tester": ["pytest", "edit", "pytest"]}
SETTINGS = {"families": {"min_cluster_size": 4, "min_samples": 2, "min_similarity": 0.5}}
"""Of runs of three lines the target's name is a large part: those of one style have a cosine of .45 to .7."""


def rollout(number, style, *, env="shop"):
    calls = [
        {"id": f"c{place}", "function": {"name": tool, "arguments": f'{{"path": "file{number}.py"}}'}}
        for place, tool in enumerate(STYLES[style])
    ]
    messages = [
        {"role": "user", "content": f"Task number {number} of many"},
        {"role": "assistant", "content": f"{style} works on part{number} " * 3, "tool_calls": calls},
    ]
    identity = {"trajectory_id": f"t{number:02}", "task_id": str(number), "environment": env, "reward": number % 2}
    return identity | {"messages": messages}


def found(context):
    for stage in (boilerplate, sign, copies, embed, similar, families):
        stage.run(context)
    return context.read("clusters")


@pytest.fixture
def lake(chat_trajectory):
    styles = ["searcher"] * 8 + ["tester"] * 8
    return [chat_trajectory(rollout(number, style)) for number, style in enumerate(styles)]


def test_rollouts_that_act_alike_are_a_family(stage_over, lake):
    clusters = found(stage_over(lake, settings=SETTINGS)).to_pylist()

    first, second = ({row["family_id"] for row in part} for part in (clusters[:8], clusters[8:]))
    assert len(first) == len(second) == 1
    assert first != second
    assert [row["family_size"] for row in clusters] == [8] * 16
    assert not any(row["family_is_noise"] for row in clusters)
    labels = [clusters[0]["family_label"], clusters[8]["family_label"]]
    assert sorted(labels[0].split(" + ")) == ["cat", "grep"]
    assert sorted(labels[1].split(" + ")) == ["edit", "pytest"]
    assert {row["family_medoid"] for row in clusters[:8]} <= {row["traj_id"] for row in clusters[:8]}


def test_small_sets_are_noise_and_nothing_is_lost(stage_over, lake):
    clusters = found(stage_over(lake[:3])).to_pylist()
    assert [row["traj_id"] for row in clusters] == ["t00", "t01", "t02"]
    assert [row["family_is_noise"] for row in clusters] == [True] * 3
    assert [row["family_id"] for row in clusters] == [None] * 3


def test_families_do_not_depend_on_packs(stage_over, lake):
    one = found(stage_over(lake, name="one", store="one", settings=SETTINGS))
    other = found(stage_over(lake[9:], lake[:9], name="other", store="other", settings=SETTINGS))
    assert one.equals(other)


def published(context) -> Manifest:
    store, path = context.store, context.table_path("clusters")
    file = TableFile(path, store.sha256(path), context.read("clusters").num_rows, store.size(path))
    return Manifest(
        context.snapshot_id, None, "key", inputs={}, packs=[], tables={"clusters": [file]}, files=[], funnel={}
    )


def test_ids_outlive_a_growing_lake(stage_over, lake):
    first = stage_over(lake[:5], lake[8:], name="first", settings=SETTINGS)
    before = found(first)
    second = stage_over(lake[:5], lake[8:], lake[5:8], name="second", settings=SETTINGS)
    second = dataclasses.replace(second, parent=published(first))
    after = found(second)

    old = dict(zip(before["traj_id"].to_pylist(), before["family_id"].to_pylist(), strict=True))
    new = dict(zip(after["traj_id"].to_pylist(), after["family_id"].to_pylist(), strict=True))
    assert None not in old.values()
    assert {each: new[each] for each in old} == old
    assert second.read("lineage").to_pylist() == [
        {"kind": "family", "old_id": family, "new_id": family, "relation": "same"}
        for family in sorted(set(old.values()))
    ]
