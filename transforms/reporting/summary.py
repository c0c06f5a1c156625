"""The few counts that say what a lake is like: printed at the end of a run and kept in the manifest."""

from transforms.lexical.cluster_rows import copy_figures
from transforms.reporting.frames import Frames
from transforms.reporting.judged import OUTCOMES, task_kinds
from transforms.similarity.cluster_rows import METHOD_UNUSABLE


def summarise(frames: Frames) -> dict[str, int]:
    """Return outcomes, kinds of task groups, and how many trajectories repeat another, by name.

    Args:
        frames: `clusters` with `traj_id`, `task_group`, `outcome_class`, `semantic_group`, `group_size`, `method`;
            `features` with `traj_id`, `actions_hash`, `num_calls`.
    """
    classes = dict(frames["clusters"].group_by("outcome_class").len().iter_rows())
    copies = copy_figures(frames["clusters"].to_arrow(), frames["features"].to_arrow())
    return (
        {f"outcomes/{name}": classes.get(name, 0) for name in OUTCOMES}
        | {f"task groups/{row['kind']}": row["count"] for row in task_kinds(frames)}
        | {
            "in groups of two or more/trajectories": copies.num_grouped,
            "in groups of two or more/groups": copies.num_groups,
            "exact action repeats/trajectories": copies.num_action_repeats,
            "exact action repeats/groups": copies.num_action_groups,
            "without a usable vector/trajectories": int((frames["clusters"]["method"] == METHOD_UNUSABLE).sum()),
        }
    )
