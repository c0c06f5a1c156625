"""The columns every dataset carries beside its text."""

from typing import Final

import pyarrow as pa

IDENTITY: Final = [
    pa.field("task_id", pa.string(), nullable=False),
    pa.field("environment", pa.string(), nullable=False),
]
"""`task_id`: the task's own id, its key where it has none."""

WEIGHING: Final = [
    pa.field("weight", pa.float64(), nullable=False),
    pa.field("copies", pa.int32(), nullable=False),
    pa.field("copy_index", pa.int32(), nullable=False),
    pa.field("split", pa.string(), nullable=False),
]
"""No trainer honours `weight`; `copies` says how often the row is written because of it, `copy_index` which it is."""
