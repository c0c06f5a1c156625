"""Exactly one row per trajectory: is it in the curated pool, and why?"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "decisions",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("decision", pa.string(), nullable=False),
        pa.field("stage", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("reference_id", pa.string()),
        pa.field("similarity", pa.float64()),
        pa.field("keeper_rule", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("educational_score", pa.float64()),
        pa.field("weight", pa.float64(), nullable=False),
        pa.field("stratum", pa.string(), nullable=False),
        pa.field("split", pa.string(), nullable=False),
    ],
)
