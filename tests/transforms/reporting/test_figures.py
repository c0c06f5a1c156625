import json

import pyarrow as pa

from transforms.reporting.figures import draw_figures
from transforms.reporting.flow import drop_reasons, funnel, quarantine_reasons, secrets_by_kind
from transforms.reporting.frames import to_frames
from transforms.reporting.judged import attributions, outcomes_by_environment, task_kinds, top_tasks
from transforms.reporting.mixture import balance_rows, pair_lengths, weight_histogram
from transforms.reporting.redundancy import families, group_sizes, repetition


def test_funnel_cuts_losses_from_the_stock_above(small_tables: dict[str, pa.Table]) -> None:
    assert funnel(to_frames(small_tables)) == [
        {"step": "read", "kind": "stock", "count": 6, "start": 0},
        {"step": "quarantined", "kind": "loss", "count": 1, "start": 5},
        {"step": "repeats", "kind": "loss", "count": 0, "start": 5},
        {"step": "trajectories", "kind": "stock", "count": 5, "start": 0},
        {"step": "semantic_duplicate", "kind": "loss", "count": 1, "start": 4},
        {"step": "kept", "kind": "stock", "count": 4, "start": 0},
        {"step": "dpo", "kind": "dataset", "count": 1, "start": 0},
    ]


def test_reasons_and_secrets_are_counted(small_tables: dict[str, pa.Table]) -> None:
    frames = to_frames(small_tables)
    assert drop_reasons(frames) == [{"reason": "semantic_duplicate", "count": 1}]
    assert quarantine_reasons(frames) == [{"reason": "invalid_json", "count": 1}]
    assert secrets_by_kind(frames) == [{"kind": "jwt", "count": 5}]


def test_outcomes_and_kinds_of_tasks(small_tables: dict[str, pa.Table]) -> None:
    frames = to_frames(small_tables)
    air = {"environment": "air", "total": 5, "num_tasks": 2, "success": 2, "failure": 3, "unscored": 0, "invalid": 0}
    assert outcomes_by_environment(frames, limit=1) == [air | {"kept": 4, "pass_rate": 0.4}]
    assert outcomes_by_environment(frames, limit=0) == [air | {"environment": "1 others", "kept": 4, "pass_rate": 0.4}]
    assert task_kinds(frames) == [
        {"kind": "mixed", "count": 1, "rollouts": 3},
        {"kind": "all_fail", "count": 1, "rollouts": 2},
        {"kind": "all_pass", "count": 0, "rollouts": 0},
        {"kind": "unscored", "count": 0, "rollouts": 0},
    ]
    assert attributions(frames) == [
        {"attribution": "undetermined", "count": 1},
        {"attribution": "unstable", "count": 1},
    ]


def test_top_tasks_come_by_learnability_with_their_posterior(small_tables: dict[str, pa.Table]) -> None:
    assert top_tasks(to_frames(small_tables), limit=1) == [
        {
            "task_key": "id:a",
            "policy": "m",
            "environment": "air",
            "instruction": "task a",
            "num_scored": 3,
            "num_success": 2,
            "mean": 0.625,
            "low": 0.236,
            "high": 0.938,
            "attribution": "unstable",
            "decision": "train",
        }
    ]


def test_redundancy_counts_groups_repeats_and_families(small_tables: dict[str, pa.Table]) -> None:
    frames = to_frames(small_tables)
    assert group_sizes(frames) == [
        {"size": "1", "count": 3, "trajectories": 3},
        {"size": "2", "count": 1, "trajectories": 2},
        {"size": "3", "count": 0, "trajectories": 0},
        {"size": "4", "count": 0, "trajectories": 0},
    ]
    assert repetition(frames) == {
        "num_trajectories": 5,
        "num_grouped": 2,
        "num_groups": 1,
        "num_action_repeats": 4,
        "num_action_groups": 2,
        "methods": [{"method": "semantic", "count": 1}],
    }
    assert families(frames, limit=3) == [
        {
            "family_id": "f1",
            "family_label": "search then book",
            "count": 5,
            "success": 2,
            "failure": 3,
            "others": 0,
            "number": 1,
        }
    ]


def test_mixture_shows_weights_balance_and_lengths(small_tables: dict[str, pa.Table]) -> None:
    frames = to_frames(small_tables)
    filled = [row for row in weight_histogram(frames) if row["success"] + row["failure"] + row["others"]]
    assert filled == [
        {"weight": "1–1.25", "success": 1, "failure": 0, "others": 0},
        {"weight": "3–4", "success": 0, "failure": 1, "others": 0},
        {"weight": "4+", "success": 0, "failure": 2, "others": 0},
    ]
    assert balance_rows(frames, limit=1) == [
        {
            "stratum": "air/failure/medium",
            "available": 3,
            "selected": 3,
            "lake_share": 0.6,
            "target_share": 0.55,
            "weighted_share": 0.6,
            "shortfall": 0.0,
        }
    ]
    lengths = pair_lengths(frames)
    assert [row for row in lengths.pop("shares") if row["count"]] == [{"ratio": "0.8–1", "count": 1}]
    assert lengths == {
        "num_pairs": 1,
        "num_tasks": 1,
        "mean_chosen": 100,
        "mean_rejected": 102,
        "mean_difference": -0.02,
        "num_chosen_longer": 0,
    }


def test_figures_are_json_and_do_not_depend_on_row_order(small_tables: dict[str, pa.Table]) -> None:
    turned = {name: table.take(list(range(table.num_rows))[::-1]) for name, table in small_tables.items()}
    figures = draw_figures(small_tables, seed=0)
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert draw_figures(turned, seed=0) == figures


def test_figures_of_an_empty_snapshot_are_empty() -> None:
    figures = draw_figures({}, seed=0)
    assert [step["count"] for step in figures["funnel"]] == [0, 0, 0, 0, 0]
    assert figures["map"] == {"points": [], "labels": [], "view": "body", "model": "", "num_representatives": 0}
    assert figures["advice"] == []
