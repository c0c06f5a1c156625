import polars as pl

from transforms.reporting.summary import summarise


def test_a_summary_counts_outcomes_task_groups_and_repeats() -> None:
    clusters = pl.DataFrame(
        {
            "traj_id": ["a", "b", "c", "d"],
            "task_group": ["x", "x", "x", "y"],
            "outcome_class": ["success", "success", "failure", "invalid"],
            "semantic_group": ["a", "a", "c", "d"],
            "group_size": [2, 2, 1, 1],
            "method": ["none", "exact", "unusable_vector", "none"],
        }
    )
    features = pl.DataFrame(
        {"traj_id": ["a", "b", "c", "d"], "actions_hash": ["1", "1", "1", "1"], "num_calls": [1, 1, 1, 1]}
    )
    keys = {"task_key": ["x", "x2", "y"], "task_group": ["x", "x", "y"], "join_rule": ["id", "near_text", "text_hash"]}
    figures = {"environment": ["e", "f", "g"], "mean_cosine": [0.25, 0.5, None], "p99_cosine": [0.75, 0.6, None]}
    frames = {"clusters": clusters, "features": features, "task_groups": pl.DataFrame(keys)}
    assert summarise(frames | {"background": pl.DataFrame(figures)}) == {
        "outcomes/success": 2,
        "outcomes/failure": 1,
        "outcomes/unscored": 0,
        "outcomes/invalid": 1,
        "task groups/mixed": 1,
        "task groups/all_fail": 0,
        "task groups/all_pass": 0,
        "task groups/unscored": 1,
        "task groups/all": 2,
        "task keys": 3,
        "task keys/id": 1,
        "task keys/text_hash": 1,
        "task keys/alias": 0,
        "task keys/near_text": 1,
        "task keys/vector": 0,
        "background cosine/highest mean": 0.5,
        "background cosine/highest p99": 0.75,
        "in groups of two or more/trajectories": 2,
        "in groups of two or more/groups": 1,
        "exact action repeats/trajectories": 2,
        "exact action repeats/groups": 1,
        "without a usable vector/trajectories": 1,
    }
