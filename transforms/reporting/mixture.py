"""The mixture that was made: weights, balance against its targets, length of the preference pairs."""

from typing import Any, Final

import polars as pl

from transforms.reporting.frames import Frames

Row = dict[str, Any]

WEIGHT_EDGES: Final = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
"""Lower bounds of the weight histogram's bars; the last bar has no upper bound."""
RATIO_EDGES: Final = (0.0, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0)
"""Lower bounds of the histogram of chosen tokens over rejected tokens."""


def weight_histogram(frames: Frames) -> list[Row]:
    """Return how many kept trajectories have which weight, successes, failures and others apart."""
    outcomes = frames["clusters"].select("traj_id", "outcome_class")
    kept = frames["decisions"].filter(pl.col("decision") == "keep").join(outcomes, on="traj_id", how="left")
    rows = []
    for low, high, label in _bins(WEIGHT_EDGES):
        inside = kept.filter((pl.col("weight") >= low) & (pl.col("weight") < high))
        success, failure = (inside.filter(pl.col("outcome_class") == name).height for name in ("success", "failure"))
        others = inside.height - success - failure
        rows.append({"weight": label, "success": success, "failure": failure, "others": others})
    return rows


def balance_rows(frames: Frames, *, limit: int) -> list[Row]:
    """Return the strata with the largest target shares: target, share before and after, and what is missing."""
    ordered = frames["balance"].sort(["target_share", "stratum"], descending=[True, False]).head(limit)
    total = int(frames["balance"]["num_available"].sum()) or 1
    return [
        {
            "stratum": row["stratum"],
            "available": row["num_available"],
            "selected": row["num_selected"],
            "lake_share": round(row["num_available"] / total, 4),
            "target_share": round(row["target_share"], 4),
            "weighted_share": round(row["weighted_share"], 4),
            "shortfall": round(row["shortfall"], 4),
        }
        for row in ordered.iter_rows(named=True)
    ]


def pair_lengths(frames: Frames) -> Row:
    """Return the length bias of the preference pairs.

    `mean_difference` is mean(chosen − rejected) tokens as a share of the mean length; METHODS wants it within 10 %.
    `shares` counts pairs by chosen over rejected tokens.
    """
    pairs = frames["pairs"]
    chosen, rejected = (pairs[f"num_tokens_{side}"].to_list() for side in ("chosen", "rejected"))
    total = sum(chosen) + sum(rejected)
    ratios = [good / max(bad, 1) for good, bad in zip(chosen, rejected, strict=True)]
    return {
        "num_pairs": pairs.height,
        "num_tasks": pairs["task_group"].n_unique(),
        "mean_chosen": round(sum(chosen) / max(len(chosen), 1)),
        "mean_rejected": round(sum(rejected) / max(len(rejected), 1)),
        "mean_difference": round(2 * (sum(chosen) - sum(rejected)) / total, 3) if total else None,
        "num_chosen_longer": sum(good > bad for good, bad in zip(chosen, rejected, strict=True)),
        "shares": [
            {"ratio": label, "count": sum(low <= ratio < high for ratio in ratios)}
            for low, high, label in _bins(RATIO_EDGES)
        ],
    }


def _bins(edges: tuple[float, ...]) -> list[tuple[float, float, str]]:
    bounds = zip(edges, (*edges[1:], float("inf")), strict=True)
    return [(low, high, f"{low:g}–{high:g}" if high != float("inf") else f"{low:g}+") for low, high in bounds]
