"""The tables of a store: one Arrow schema a file, all of them by name in `SCHEMAS`."""

from typing import Final

import pyarrow as pa

from schemas.tables import (
    audit,
    background,
    balance,
    behaviours,
    blocks,
    boilerplate,
    clusters,
    decisions,
    embeddings,
    features,
    inputs,
    lineage,
    pairs,
    profiles,
    quarantine,
    reference_hits,
    safety,
    signatures,
    steps,
    task_groups,
    task_policies,
    tasks,
    tool_calls,
    trajectories,
    uses,
    views,
    windows,
)

SCHEMAS: Final[dict[str, pa.Schema]] = {
    "trajectories": trajectories.SCHEMA,
    "steps": steps.SCHEMA,
    "tool_calls": tool_calls.SCHEMA,
    "inputs": inputs.SCHEMA,
    "quarantine": quarantine.SCHEMA,
    "blocks": blocks.SCHEMA,
    "boilerplate": boilerplate.SCHEMA,
    "features": features.SCHEMA,
    "behaviours": behaviours.SCHEMA,
    "audit": audit.SCHEMA,
    "safety": safety.SCHEMA,
    "views": views.SCHEMA,
    "signatures": signatures.SCHEMA,
    "windows": windows.SCHEMA,
    "embeddings": embeddings.SCHEMA,
    "background": background.SCHEMA,
    "clusters": clusters.SCHEMA,
    "lineage": lineage.SCHEMA,
    "reference_hits": reference_hits.SCHEMA,
    "task_groups": task_groups.SCHEMA,
    "tasks": tasks.SCHEMA,
    "task_policies": task_policies.SCHEMA,
    "decisions": decisions.SCHEMA,
    "uses": uses.SCHEMA,
    "pairs": pairs.SCHEMA,
    "profiles": profiles.SCHEMA,
    "balance": balance.SCHEMA,
}

UNIT_TABLES: Final = (
    "trajectories",
    "steps",
    "tool_calls",
    "blocks",
    "quarantine",
    "features",
    "behaviours",
    "audit",
    "safety",
)
"""Tables written once per source unit, in ingest, and kept for later runs."""
