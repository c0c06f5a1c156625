"""Setting aside: trajectories that a later stage cannot use leave the run for the quarantine, by id.

The tables of units stay as ingest made them; the run's own view of them, its inputs and its views are without these
trajectories from here on (the stages before decided with them). So the law of row conservation holds as it did: what
was a trajectory of its unit is a quarantined record of it.
"""

from collections import Counter
from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.stages.context import StageContext
from schemas.errors import QualityError
from schemas.reasons import QuarantineReason


def set_aside(
    context: StageContext, traj_ids: Collection[str], *, stage: str, reason: QuarantineReason, why: str
) -> None:
    """Move trajectories of the run to the quarantine; stages before `stage` that decide over rows must run again.

    Args:
        context: The run; its trajectories and `views` are without them afterwards, `inputs` and `quarantine` have them
            as quarantined records.
        traj_ids: Ids of trajectories of the run.
        stage: The stage that cannot use them.
        reason: Why.
        why: The same in words.

    Raises:
        QualityError: More than `ingest.max_bad_ratio` of all records is quarantined then.
    """
    wanted = pa.array(sorted(traj_ids), pa.string())
    rows = context.read("trajectories", ["traj_id", "unit_key", "record_key", "record_offset"])
    rows = rows.filter(pc.is_in(rows["traj_id"], value_set=wanted))
    context.set_aside += [
        {
            "unit_key": row["unit_key"],
            "record_key": row["record_key"],
            "byte_offset": row["record_offset"],
            "reason": str(reason),
            "stage": stage,
            "message": f"trajectory {row['traj_id']}: {why}",
            "trajectory_id": row["traj_id"],
        }
        for row in rows.to_pylist()
    ]
    gone = set(traj_ids)
    context.owned_ids = {
        pack: [traj_id for traj_id in owned if traj_id not in gone] for pack, owned in context.owned_ids.items()
    }
    views = context.read("views")
    context.write("views", views.filter(pc.invert(pc.is_in(views["traj_id"], value_set=wanted))))
    _move_in_inputs(context, Counter(rows["unit_key"].to_pylist()))
    _refuse_many(context, why)


def _move_in_inputs(context: StageContext, moved: Counter[str]) -> None:
    """Count so many trajectories of each unit as quarantined; of a unit reached twice, those of its first row."""
    inputs = context.read("inputs").to_pylist()
    for row in inputs:
        count = moved.pop(row["unit_key"], 0)
        row["num_trajectories"] -= count
        row["num_quarantined"] += count
    context.write("inputs", inputs)


def _refuse_many(context: StageContext, why: str) -> None:
    inputs = context.read("inputs", ["num_records", "num_quarantined"])
    records, bad = (pc.sum(inputs[name]).as_py() or 0 for name in ("num_records", "num_quarantined"))
    limit = context.settings.ingest.max_bad_ratio
    if bad > limit * records:
        raise QualityError(
            f"{bad} of {records} records are quarantined, more than ingest.max_bad_ratio={limit} allows; "
            f"the last of them: {why}"
        )
