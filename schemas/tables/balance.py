"""One row per stratum (environment, outcome class, difficulty): the share aimed at and the share reached."""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "balance",
    [
        pa.field("stratum", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
        pa.field("outcome_class", pa.string(), nullable=False),
        pa.field("difficulty", pa.string(), nullable=False),
        pa.field("num_available", pa.int64(), nullable=False),
        pa.field("num_selected", pa.int64(), nullable=False),
        pa.field("target_share", pa.float64(), nullable=False),
        pa.field("selected_share", pa.float64(), nullable=False),
        pa.field("weighted_share", pa.float64(), nullable=False),
        pa.field("shortfall", pa.float64(), nullable=False),
    ],
)
