"""One row per kept trajectory that a reference set holds already: which item it repeats, and how closely.

`method` is `exact` for the same record, `lexical` or `semantic` for one that resembles it.
"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "reference_hits",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("reference_set", pa.string(), nullable=False),
        pa.field("reference_id", pa.string(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
    ],
)
