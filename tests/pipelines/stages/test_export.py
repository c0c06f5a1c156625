from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from pipelines.runners.display import StageProgress
from pipelines.runners.execution import Execution
from pipelines.runners.options import parse_beam_flags
from pipelines.stages import export
from pipelines.stages.context import StageContext
from schemas.records import SourceUnit, Trajectory
from schemas.settings import Settings
from schemas.tables import SCHEMAS
from tests.transforms.targets.conversation_samples import TOOLS_JSON, solved, step, trajectory
from transforms.pairing.pairs import mine_pairs
from transforms.selecting.seeds import SeedTask
from transforms.store.files import Store
from transforms.store.packs import PackWriter, UnitCounts, plan_packs
from transforms.store.progress import ProgressFile

SEED = SeedTask("9", "Solve the hard one.", "air", '{"ground_truth":"42","tests":["t1"]}')


def lake() -> list[list[Trajectory]]:
    """Two units of task 1 and 2; `t5` has no assistant turn."""
    scored = {"env_name": "air", "task_id": "1"}
    return [
        [solved("t1", "gold", reward=1.0, **scored), solved("t2", "lead", reward=0.0, **scored)],
        [
            solved("t3", "silver", reward=1.0, **scored),
            solved("t4", "tin", reward=0.0, **scored),
            trajectory("t5", step("user", "hello"), step("agent", None), reward=0.0, env_name="air", task_id="2"),
        ],
    ]


def filled(table: str, rows: list[dict[str, Any]]) -> pa.Table:
    defaults = {pa.string(): "-", pa.bool_(): False, pa.int32(): 0, pa.int64(): 0, pa.float64(): 1.0}
    schema = SCHEMAS[table]
    due = {field.name: defaults[field.type] for field in schema if not field.nullable}
    return pa.Table.from_pylist([due | row for row in rows], schema=schema)


@pytest.fixture
def make_context(tmp_path: Path) -> Callable[..., StageContext]:
    def make(name: str, **settings: Any) -> StageContext:
        store = Store(str(tmp_path / name))
        parts = lake()
        units = [
            SourceUnit(f"u{number}", f"{number}.jsonl", "openai_chat", "1", 1, "s") for number in range(len(parts))
        ]
        packs = plan_packs(units, layer_key="k", pack_bytes=1)
        owned = {}
        for unit, pack, members in zip(units, packs, parts, strict=True):
            with PackWriter(store, pack, layer_key="k") as writer:
                for each in members:
                    features = filled("features", [{"traj_id": each.traj_id, "token_count": 10}]).to_pylist()
                    writer.add(each, unit, {"features": features})
                writer.end_unit(UnitCounts(unit.unit_key, len(members), len(members), 0, 0))
            owned[pack.pack_id] = sorted(each.traj_id for each in members)
        work_dir = tmp_path / f"{name}-work"
        work_dir.mkdir()
        context = StageContext(
            settings=Settings.model_validate({"lake": {"root": "-"}, "store": "-"} | settings),
            store=store,
            execution=Execution(parse_beam_flags(settings.pop("flags", []))),
            work_dir=work_dir,
            snapshot_id="s",
            parent=None,
            layer_key="k",
            encoder=None,  # type: ignore[arg-type]
            units=units,
            progress=StageProgress(ProgressFile(work_dir / "progress"), ""),
            seed_tasks=[SEED],
            packs=packs,
            owned_ids=owned,
        )
        write_tables(context)
        return context

    return make


def write_tables(context: StageContext) -> None:
    members = [each for part in lake() for each in part]
    facts = [
        {
            "traj_id": each.traj_id,
            "task_key": f"id:{each.header.task_id}",
            "task_group": f"id:{each.header.task_id}",
            "environment": "air",
            "outcome_class": "success" if each.header.reward else "failure",
            "semantic_group": each.traj_id,
        }
        for each in members
    ]
    context.write("clusters", filled("clusters", facts))
    more = {"num_agent_steps": 2, "token_count": 10, "weight": 1.0, "kept": True, "has_audit_flag": False}
    candidates = [
        fact
        | more
        | {"reward": each.header.reward, "content_hash": each.traj_id, "safety_severity": 0, "split": "train"}
        | {"educational_score": None}
        for fact, each in zip(facts, members, strict=True)
    ]
    pairs, uses = mine_pairs(
        pa.Table.from_pylist(candidates),
        seed=0,
        max_per_task=2,
        max_uses_per_trajectory=2,
        min_margin=0.2,
        max_length_ratio=2.0,
    )
    row = {"used": True, "reason": "used", "copies": 1, "split": "train"}
    kto = [
        row | {"dataset": "kto", "role": "sample", "traj_id": each["traj_id"], "task_key": each["task_key"]}
        for each in facts
    ]
    sft = [
        row | {"dataset": "sft", "role": "demonstration", "traj_id": name, "task_key": "id:1"} for name in ("t1", "t3")
    ]
    sft[1]["split"] = "validation"
    sft[0]["copies"] = 2
    rl = [row | {"dataset": "rl", "role": "prompt", "task_key": key, "row_id": key} for key in ("id:1", "id:9")]
    context.write("pairs", pairs)
    context.write("uses", pa.concat_tables([uses, filled("uses", [*kto, *sft, *rl])]))
    tasks = [
        {"task_key": key, "environment": "air", "env_type": "dialog", "is_seed": key == "id:9"}
        for key in ("id:1", "id:2", "id:9")
    ]
    context.write("tasks", filled("tasks", tasks))


def exported(context: StageContext) -> dict[str, bytes]:
    return {path: context.store.read_bytes(path) for path in context.store.list("snapshots")}


def test_every_dataset_loads_with_native_messages(make_context: Callable[..., StageContext], tmp_path: Path) -> None:
    context = make_context("store")
    export.run(context)
    folder = str(tmp_path / "store" / "snapshots" / "s" / "exports")

    def load(name: str, split: str = "train") -> list[dict[str, Any]]:
        return list(load_dataset(folder, name, split=split, cache_dir=str(tmp_path / "cache")))

    answers = {"t1": "gold", "t2": "lead", "t3": "silver", "t4": "tin"}
    plain = {"tool_calls": None, "tool_call_id": None, "name": None}
    prompt = [
        {"role": "system", "content": "Be brief."} | plain,
        {"role": "user", "content": "What lies there?"} | plain,
    ]

    def completion(traj_id: str) -> list[dict[str, Any]]:
        native = {
            "id": "look-0",
            "type": "function",
            "function": {"name": "look", "arguments": {answers[traj_id]: None}},
        }
        return [
            {"role": "assistant", "content": ""} | plain | {"tool_calls": [native]},
            {"role": "tool", "content": "ok"} | plain | {"tool_call_id": "look-0", "name": "look"},
            {"role": "assistant", "content": answers[traj_id]} | plain,
        ]

    pairs = load("dpo")
    assert len(pairs) == 2
    for row in pairs:
        assert row["prompt"] == prompt
        assert row["chosen"] == completion(row["chosen_id"])
        assert row["rejected"] == completion(row["rejected_id"])
        assert row["tools"] == orjson.loads(TOOLS_JSON)
        facts = (row["margin"], row["divergence_step"], row["same_prompt"], row["task_id"], row["pair_kind"])
        assert facts == (1.0, 2, True, "1", "trajectory")
    singles = {row["traj_id"]: row for row in load("kto")}
    assert {name: row["label"] for name, row in singles.items()} == {"t1": True, "t2": False, "t3": True, "t4": False}
    assert all(row["completion"] == completion(name) for name, row in singles.items())
    copies = load("sft")
    assert [(row["traj_id"], row["messages"]) for row in copies] == [("t1", prompt + completion("t1"))] * 2
    assert sorted(row["copy_index"] for row in copies) == [0, 1]
    assert [row["traj_id"] for row in load("sft", "validation")] == ["t3"]
    tasks = {row["id"]: row for row in load("rl")}
    assert tasks["id:1"]["prompt"] == prompt
    assert tasks["id:1"]["reward_model"] == {"style": "rule", "ground_truth": "1"}
    assert tasks["id:9"]["prompt"] == [{"role": "user", "content": "Solve the hard one."} | plain]
    assert tasks["id:9"]["reward_model"] == {"style": "rule", "ground_truth": "42"}
    assert sorted(row["extra_info"]["index"] for row in tasks.values()) == [0, 1]
    assert tasks["id:9"]["extra_info"] | {"index": 0} == {
        "index": 0,
        "split": "train",
        "task_key": "id:9",
        "task_id": "9",
        "environment": "air",
        "is_seed": True,
        "tools_kwargs": {},
        "verifier": {"ground_truth": "42", "tests": ["t1"]},
    }


def test_a_row_that_turns_out_unusable_says_why(make_context: Callable[..., StageContext]) -> None:
    context = make_context("store")
    before = context.read("uses").num_rows
    export.run(context)
    uses = context.read("uses").to_pylist()
    assert len(uses) == before
    [lost] = [row for row in uses if row["dataset"] == "kto" and not row["used"]]
    assert (lost["traj_id"], lost["reason"], lost["copies"]) == ("t5", "no_assistant_turn", 0)
    assert all(row["row_id"] for row in uses if row["used"])


def test_a_pair_with_an_unusable_side_leaves_both_tables(make_context: Callable[..., StageContext]) -> None:
    context = make_context("store")
    pairs = context.read("pairs")
    context.write(
        "pairs",
        pa.concat_tables(
            [pairs.slice(1), filled("pairs", [pairs.slice(0, 1).to_pylist()[0] | {"rejected_id": "t5"}])]
        ),
    )
    export.run(context)
    assert context.read("pairs")["row_id"].to_pylist() == pairs["row_id"].to_pylist()[1:]
    lost = [
        row
        for row in context.read("uses").to_pylist()
        if row["dataset"] == "dpo" and row["reason"] == "no_assistant_turn"
    ]
    assert {row["role"] for row in lost} == {"chosen", "rejected"}


def test_the_same_tables_give_the_same_bytes_with_any_workers(make_context: Callable[..., StageContext]) -> None:
    one = make_context("one")
    other = make_context("other")
    other.execution = Execution(parse_beam_flags(["--direct_running_mode=multi_processing", "--direct_num_workers=2"]))
    export.run(one)
    export.run(other)
    assert exported(one) == exported(other)
    assert any("exports/dpo/train-" in name for name in exported(one))


def test_only_the_datasets_asked_for_are_written(make_context: Callable[..., StageContext]) -> None:
    context = make_context("store", export={"targets": ["rl"]})
    export.run(context)
    names = [path.removeprefix("snapshots/s/exports/") for path in context.store.list("snapshots/s/exports")]
    assert names == ["README.md", "rl/train-s-00000-of-00001.parquet"]


def test_files_carry_extra_info_as_arrow_json(make_context: Callable[..., StageContext], tmp_path: Path) -> None:
    context = make_context("store", export={"targets": ["rl"]})
    export.run(context)
    [file] = (tmp_path / "store" / "snapshots" / "s" / "exports" / "rl").iterdir()
    assert pq.read_schema(file).field("extra_info").type == pa.json_()
    [row] = [
        row
        for row in load_dataset("parquet", data_files=str(file), split="train", cache_dir=str(tmp_path / "c"))
        if row["is_seed"]
    ]
    assert row["extra_info"]["verifier"] == {"ground_truth": "42", "tests": ["t1"]}
