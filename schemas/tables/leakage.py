"""One row per hit of a trajectory on an item of an evaluation set."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "leakage",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("eval_set", pa.string(), nullable=False),
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("overlap", pa.float64(), nullable=False),
    ],
)
