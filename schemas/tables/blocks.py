"""One row per text block of a trajectory; equal blocks of different runs share a hash.

Block 0 of a trajectory hashes all that no block holds (thoughts, actions, short paragraphs, skeleton): with the other
rows it says what the comparable text is, so that no text is read to see whether it changed.
"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "blocks",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("step_id", pa.int32(), nullable=False),
        pa.field("block_index", pa.int32(), nullable=False),
        pa.field("block_hash", pa.string(), nullable=False),
        pa.field("num_chars", pa.int32(), nullable=False),
    ],
)
