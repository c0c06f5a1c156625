"""Every figure of a report, from the tables: small, JSON-able, the same on every machine."""

from collections.abc import Mapping
from typing import Any, Final

import polars as pl
import pyarrow as pa

from transforms.reporting.advice import advice
from transforms.reporting.flow import (
    datasets,
    drop_reasons,
    funnel,
    input_units,
    quarantine_reasons,
    secrets_by_kind,
)
from transforms.reporting.frames import to_frames
from transforms.reporting.judged import attributions, outcomes_by_environment, task_kinds, top_tasks
from transforms.reporting.likeness import background, task_joins
from transforms.reporting.mixture import balance_rows, pair_lengths, weight_histogram
from transforms.reporting.projection import cluster_map
from transforms.reporting.redundancy import families, group_sizes, repetition

MAX_ENVIRONMENTS: Final = 12
MAX_TASKS: Final = 15
MAX_STRATA: Final = 16
MAX_FAMILIES: Final = 12
MAX_UNITS: Final = 20


def draw_figures(tables: Mapping[str, pa.Table], *, seed: int) -> dict[str, Any]:
    """Return the figures of a report.

    Args:
        tables: Tables by name with at least the columns of `frames.COLUMNS`; one that is missing counts as empty.
        seed: Seed of the draw of the map's points.
    """
    frames = to_frames(tables)
    figures: dict[str, Any] = {
        "funnel": funnel(frames),
        "drops": drop_reasons(frames),
        "datasets": datasets(frames),
        "quarantine": quarantine_reasons(frames),
        "secrets": secrets_by_kind(frames),
        "units": input_units(frames, limit=MAX_UNITS),
        "outcomes": outcomes_by_environment(frames, limit=MAX_ENVIRONMENTS),
        "kinds": task_kinds(frames),
        "attributions": attributions(frames),
        "tasks": top_tasks(frames, limit=MAX_TASKS),
        "sizes": group_sizes(frames),
        "repetition": repetition(frames),
        "joins": task_joins(frames),
        "background": background(frames, limit=MAX_ENVIRONMENTS),
        "families": families(frames, limit=MAX_FAMILIES),
        "map": cluster_map(frames, seed=seed),
        "weights": weight_histogram(frames),
        "balance": balance_rows(frames, limit=MAX_STRATA),
        "pairs": pair_lengths(frames),
        "totals": {
            "units": frames["inputs"].height,
            "tasks": frames["clusters"]["task_group"].n_unique(),
            "cells": frames["task_policies"].height,
            "strata": frames["balance"].height,
            "seeds": frames["tasks"].filter(pl.col("is_seed")).height,
            "boilerplate": frames["boilerplate"].height,
        },
    }
    return figures | {"advice": advice(figures)}
