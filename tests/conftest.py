"""Fixtures that several test folders share."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pyarrow as pa
import pytest

from schemas.records import Call, Header, SourceUnit, Step, Trajectory
from schemas.tables import SCHEMAS
from transforms.formats.steps import own_steps
from transforms.store.files import Store
from transforms.store.keys import canonical_json, short_id
from transforms.store.manifest import Manifest, set_current, write_manifest
from transforms.store.packs import ROW_GROUP_BYTES, Pack, PackWriter, TableFile, UnitCounts, plan_packs
from transforms.store.tables import rows_to_table, write_table
from transforms.views.blocks import blocks_of

hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

pytest_plugins = ["tests.tiny_model", "tests.whole_runs"]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder with real rollouts and hard cases; tests that need it skip where it is absent."""
    path = Path(os.environ.get("TRAJSIFT_SHARED", Path(__file__).parents[2] / "shared"))
    if not path.is_dir():
        pytest.skip(f"no shared folder at {path} (set TRAJSIFT_SHARED)")
    return path


@pytest.fixture(scope="session")
def real_rollouts(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real rollouts, unpacked: one folder a corpus."""
    import tarfile

    target = tmp_path_factory.mktemp("rollouts")
    with tarfile.open(shared_dir / "data" / "rollouts.tar.xz") as archive:
        # Python before 3.11.4 has no filters; what is unpacked here is the project's own.
        archive.extractall(target, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return target / "dev"


@pytest.fixture(scope="session")
def filled_table() -> Callable[[str, list[dict[str, Any]]], pa.Table]:
    """Make a table of the store from rows that name only what a test is about; what is due gets an empty value."""
    empty = {pa.string(): "", pa.bool_(): False, pa.float64(): 0.0}

    def make(name: str, rows: list[dict[str, Any]]) -> pa.Table:
        due = {field.name: empty.get(field.type, 0) for field in SCHEMAS[name] if not field.nullable}
        return rows_to_table([due | row for row in rows], SCHEMAS[name])

    return make


@pytest.fixture
def small_tables(filled_table: Callable[[str, list[dict[str, Any]]], pa.Table]) -> dict[str, pa.Table]:
    """A snapshot of two tasks and five rollouts: `a` mixed with one near-copy, `b` all-fail; one bad record."""
    cells = [
        ("aa01", "a", "success", "aa01", 1.0, "kept"),
        ("aa02", "a", "success", "aa01", 0.97, "semantic_duplicate"),
        ("aa03", "a", "failure", "aa03", 1.0, "kept"),
        ("bb01", "b", "failure", "bb01", 1.0, "kept"),
        ("bb02", "b", "failure", "bb02", 1.0, "kept"),
    ]
    ids = [cell[0] for cell in cells]
    rows: dict[str, list[dict[str, Any]]] = {
        "trajectories": [
            {"traj_id": i, "unit_key": "u1", "native_id": f"run-{i}", "task_id": i[0], "reward": float(o == "success"),
             "record_key": str(n), "record_offset": 100 * n, "instruction": "book\x1b[31m <b>a flight</b>"}
            for n, (i, _, o, *_) in enumerate(cells)
        ],
        "steps": [{"traj_id": i, "step_id": n, "source": "agent", "message": f"{i}:{n}"} for i in ids for n in (1, 2)],
        "tool_calls": [{"traj_id": i, "step_id": 1, "tool_name": "search"} for i in ids],
        "features": [{"traj_id": i, "actions_hash": f"h{i[0]}", "num_calls": 1, "token_count": 100 + n,
                      "secrets_redacted": {"jwt": 1}} for n, i in enumerate(ids)],
        "clusters": [
            {"traj_id": i, "task_key": f"id:{t}", "task_group": f"id:{t}", "environment": "air", "outcome_class": o,
             "exact_group": i, "lexical_group": i, "semantic_group": k, "keeper_id": k, "similarity_to_keeper": s,
             "method": "semantic" if i != k else "none", "group_size": 2 if k == "aa01" else 1, "family_id": "f1",
             "family_label": "search then book"}
            for i, t, o, k, s, _ in cells
        ],
        "decisions": [
            {"traj_id": i, "decision": "keep" if r == "kept" else "drop", "stage": "select", "reason": r,
             "reference_id": None if i == k else k, "similarity": s, "weight": 1.0 + n, "split": "train"}
            for n, (i, _, _, k, s, r) in enumerate(cells)
        ],
        "tasks": [{"task_key": f"id:{t}", "task_group": f"id:{t}", "env_type": "dialog", "environment": "air",
                   "instruction": f"task {t}", "num_rollouts": n, "num_policies": 1, "decision": "train"}
                  for t, n in (("a", 3), ("b", 2))],
        "task_groups": [{"task_key": f"id:{t}", "task_group": f"id:{g}", "join_rule": r}
                        for t, g, r in (("a", "a", "id"), ("b", "b", "id"), ("c", "b", "near_text"))],
        "background": [{"environment": e, "model": "hashed", "num_task_groups": 2, "num_pairs": n, "mean_cosine": m,
                        "p99_cosine": m} for e, n, m in (("air", 6, 0.25), ("land", 0, None), ("sea", 1, 0.5))],
        "task_policies": [
            {"task_key": "id:a", "policy": "m", "num_rollouts": 3, "num_scored": 3, "num_success": 2,
             "pass_rate": 2 / 3, "posterior_a": 2.5, "posterior_b": 1.5, "learnability": 0.1875, "difficulty": 0.375,
             "attribution": "unstable"},
            {"task_key": "id:b", "policy": "m", "num_rollouts": 2, "num_scored": 2, "num_success": 0, "pass_rate": 0.0,
             "posterior_a": 0.5, "posterior_b": 2.5, "learnability": 0.104, "difficulty": 0.833,
             "attribution": "undetermined", "rollouts_needed": 4},
        ],
        "uses": [
            {"dataset": "dpo", "role": r, "traj_id": i, "task_key": "id:a", "row_id": "p1", "used": True,
             "reason": "used", "weight": 1.0, "copies": 1, "split": "train"}
            for r, i in (("chosen", "aa01"), ("rejected", "aa03"))
        ],
        "pairs": [
            {"row_id": "p1", "pair_kind": "trajectory", "chosen_id": "aa01", "rejected_id": "aa03", "task_key": "id:a",
             "task_group": "id:a", "environment": "air", "margin": 1.0, "chosen_reward": 1.0, "num_tokens_chosen": 100,
             "num_tokens_rejected": 102, "weight": 1.0, "copies": 1, "split": "train"}
        ],
        "balance": [
            {"stratum": f"air/{o}/medium", "environment": "air", "outcome_class": o, "difficulty": "medium",
             "num_available": n, "num_selected": k, "target_share": t, "selected_share": k / 4, "weighted_share": w,
             "shortfall": f}
            for o, n, k, t, w, f in (("success", 2, 1, 0.45, 0.4, 0.05), ("failure", 3, 3, 0.55, 0.6, 0.0))
        ],
        "inputs": [{"unit_key": "u1", "uri": "runs/a.json", "size": 900, "sha256": "s", "num_records": 6,
                    "num_trajectories": 5, "num_quarantined": 1, "num_repeats": 0}],
        "quarantine": [{"unit_key": "u1", "record_key": "5", "byte_offset": 500, "reason": "invalid_json",
                        "stage": "ingest", "message": "bad"}],
        "embeddings": [
            {"traj_id": i, "view": "fused", "model": "hashed", "vector": v}
            for i, v in zip(ids, ([1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]), strict=True)
        ],
    }  # fmt: skip
    return {name: filled_table(name, table_rows) for name, table_rows in rows.items()}


@pytest.fixture
def small_store(tmp_path: Path, small_tables: dict[str, pa.Table]) -> Store:
    """A store with the small snapshot published under the id `s1`, its catalog not built."""
    store = Store(str(tmp_path / "store"))
    tables = {}
    for name, table in small_tables.items():
        folder = "layers" if name in ("steps", "tool_calls") else "snapshots/s1/tables"
        path = f"{folder}/{name}/p1.parquet" if folder == "layers" else f"{folder}/{name}.parquet"
        write_table(store, path, table)
        tables[name] = [TableFile(path, store.sha256(path), table.num_rows, store.size(path))]
    manifest = Manifest(
        snapshot_id="s1",
        parent_id=None,
        run_key="k1",
        inputs={},
        packs=["p1"],
        tables=tables,
        files=[],
        funnel={"read": 6, "trajectories": 5, "kept": 4},
    )
    write_manifest(store, manifest)
    set_current(store, "s1")
    return store


@pytest.fixture(scope="session")
def chat_trajectory() -> Callable[[dict[str, Any]], Trajectory]:
    """Make a trajectory of an OpenAI-chat row, as plainly as a test of a later stage needs it."""
    return _chat_trajectory


@pytest.fixture(scope="session")
def write_pack() -> Callable[..., Pack]:
    """Write trajectories and their blocks to a store as the pack of one unit, in row groups of `row_group_bytes`."""
    return _write_pack


def _write_pack(store: Store, trajectories: Sequence[Trajectory], *, row_group_bytes: int = ROW_GROUP_BYTES) -> Pack:
    key = short_id("unit", *sorted(each.traj_id for each in trajectories))
    unit = SourceUnit(unit_key=key, uri="lake.jsonl", adapter="openai_chat", adapter_version="1", size=1, sha256="")
    (pack,) = plan_packs([unit], layer_key="layer")
    with PackWriter(store, pack, layer_key="layer", row_group_bytes=row_group_bytes) as writer:
        for each in trajectories:
            calls = [call for step in each.steps for call in step.calls]
            acted = {"traj_id": each.traj_id, "repeat_ratio": 0.0, "loop_length": 0, "ignored_feedback_count": 0}
            acted |= {"invalid_action_ratio": 0.0, "recovered": False, "premature_submit": False}
            said = any(step.calls or (step.message or "").strip() for step in own_steps(each.steps))
            acted |= {"no_verification": False, "agent_acted": said}
            features = {"traj_id": each.traj_id, "content_hash": "", "task_text_hash": "", "toolset_hash": ""}
            features |= {"actions_hash": short_id(*(call.args_hash for call in calls)), "num_calls": len(calls)}
            features |= {"num_distinct_tools": 1, "horizon": "short", "verifiable": True, "token_count": 1}
            derived = {"blocks": blocks_of(each), "behaviours": [acted], "features": [features | {"tokenizer": ""}]}
            writer.add(each, unit, derived | {"audit": [{"traj_id": each.traj_id, "flags": []}]})
        writer.end_unit(UnitCounts(key, len(trajectories), len(trajectories), 0, 0))
    return pack


def _chat_trajectory(row: dict[str, Any]) -> Trajectory:
    messages = row["messages"]
    task_text = row.get("instruction") or next((m["content"] for m in messages if m["role"] == "user"), None)
    header = Header(
        source_format="openai_chat",
        env_name=row.get("environment"),
        task_id=row.get("task_id"),
        task_text=task_text,
        reward=row.get("reward"),
        model_name=row.get("model"),
    )
    return Trajectory(
        traj_id=row["trajectory_id"],
        header=header,
        steps=tuple(_chat_steps(messages)),
        native_id=row["trajectory_id"],
        record_key=row["trajectory_id"],
        record_offset=None,
        task_hash=short_id("task", " ".join((task_text or "").split())),
        system_prompt_hash=None,
    )


def _chat_steps(messages: list[dict[str, Any]]) -> Iterator[Step]:
    results = {m.get("tool_call_id"): m["content"] for m in messages if m["role"] == "tool"}
    spoken = [m for m in messages if m["role"] != "tool"]
    for step_id, message in enumerate(spoken, start=1):
        calls = tuple(
            Call(
                call_index=index,
                call_id=call["id"],
                tool_name=call["function"]["name"],
                tool_kind="shell" if call["function"]["name"] == "bash" else "other",
                arguments_json=call["function"]["arguments"],
                arguments_state="ok",
                args_hash=_arguments_hash(call["function"]["name"], call["function"]["arguments"]),
                is_error=call.get("is_error"),
            )
            for index, call in enumerate(message.get("tool_calls") or [])
        )
        observed = [results[call.call_id] for call in calls if call.call_id in results]
        source = {"assistant": "agent"}.get(message["role"], message["role"])
        yield Step(
            step_id=step_id,
            source=source,
            message=message["content"],
            message_state="null" if message["content"] is None else "text",
            calls=calls,
            obs_text="\n".join(observed) if observed else None,
            is_demo=message.get("is_demo", False),
        )


def _arguments_hash(tool: str, arguments: str) -> str:
    try:
        return short_id(tool, canonical_json(json.loads(arguments)))
    except ValueError:
        return short_id(tool, arguments)
