"""Exactly one row per trajectory: is it in the curated pool (`decision`: `keep` or `drop`), and why?

A row dropped as a copy (`exact_copy`, `near_duplicate`, `cut_copy`, `semantic_duplicate`) names in `reference_id` the
run of the pool that stays for it, with the `similarity` between these two, which reaches the threshold of its reason:
1, the word 5-gram Jaccard and the share that lies inside as signatures and sketches of 128 values estimate them, the
cosine. What reaches none with a run that stays is no copy and stands for itself. `keeper_rule` is the rule by which
that run is the better one, `settled_first` where it is not but stayed already when the row was looked at,
`keep_groups` where its group stays whole; null for a cut run, which goes to the whole one in any order.

Where the keeper of a row finds no place (`task_cap`, `approach_cap`, `budget`), the row falls with it for the same
reason and names none: no run of the pool was found to resemble it. `in_reference_set` names the item that a reference
set holds; the copies of such a row name the row still, as what they repeat is kept there.
"""

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
