"""A rollout in which the agent did nothing teaches nothing, and takes no other rollout's place."""

from pathlib import Path
from typing import Any

import polars as pl

from tests.whole_runs import Curate, chat_rollout, write_jsonl


def _rollout(name: str, *turns: tuple[str, str], task: str = "one") -> dict[str, Any]:
    record = chat_rollout(task, 0, reward=1.0) | {"trajectory_id": name}
    said = [{"role": role, "content": content} for role, content in turns]
    return record | {"messages": [*record["messages"][:2], *said]}


def test_a_rollout_in_which_the_agent_did_nothing_is_dropped_as_empty_and_takes_no_place(
    tmp_path: Path, curate: Curate
) -> None:
    log = " ".join(f"line{number} of the log says so" for number in range(60))
    lake = write_jsonl(
        tmp_path / "lake" / "part.jsonl",
        [
            _rollout("nothing"),
            _rollout("blank", ("assistant", " ")),
            # What others said in it is nearly all of what the rollout of the agent that acted holds.
            _rollout("log-only", ("user", log), ("assistant", "")),
            _rollout("acting", ("user", log), ("assistant", "I read it.")),
            # They ended by saying nothing, which is their policy's own doing.
            _rollout("lone", ("assistant", ""), task="two") | {"exit_status": "submitted"},
            _rollout("lone-again", ("assistant", ""), task="two") | {"exit_status": "submitted"},
        ],
    )

    snapshot = curate(lake, settings={"selection": {"max_per_task": 1}, "embedding": {"encoder": "hashed"}})

    ids = dict(snapshot.table("trajectories").select("traj_id", "native_id").iter_rows())
    rows = snapshot.table("decisions").with_columns(pl.col("traj_id").replace_strict(ids)).sort("traj_id")
    reasons = dict(rows.select("traj_id", "reason").iter_rows())
    lone = [reasons.pop("lone"), reasons.pop("lone-again")]
    assert reasons == {"acting": "kept", "blank": "empty", "log-only": "empty", "nothing": "empty"}
    # A task that has nothing else keeps one of them, which weighs nothing.
    assert sorted(lone) == ["exact_copy", "kept"]
    assert rows.filter(pl.col("weight") > 0)["traj_id"].to_list() == ["acting"]
    uses = snapshot.table("uses").filter(pl.col("traj_id").is_not_null()).filter(pl.col("used"))
    assert {ids[traj_id] for traj_id in uses["traj_id"]} <= {"acting"}
    funnel = snapshot.manifest.funnel
    assert (funnel["kept"], funnel["dropped/empty"]) == (2, 3)
    scarce = curate(lake, store="scarce", settings={"selection": {"budget": 2}, "embedding": {"encoder": "hashed"}})
    assert (scarce.manifest.funnel["kept"], scarce.manifest.funnel["dropped/empty"]) == (1, 5)
