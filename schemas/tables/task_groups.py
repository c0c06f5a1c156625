"""One row per task key of the lake: the task group it belongs to and the rule that put it there.

Rules: `id` and `text_hash` name a key by what its rollouts state, `alias` by the alias map; `near_text` and `vector`
joined it to the group of a smaller key.
"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "task_groups",
    [
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("task_group", pa.string(), nullable=False),
        pa.field("join_rule", pa.string(), nullable=False),
    ],
)
