"""One row per trajectory: the groups it belongs to and its similarity to its keeper.

`keeper_id` names the run that stays for the row, itself where it stays: no keeper has another keeper. The similarity
was measured between these two by the rule that `method` names, and reaches its threshold. `semantic_group` is the rows
of one keeper, under an id that lasts across runs. `exact_group` and `lexical_group` tell what text alone says: the
best run of the row's text, and the run it is a near-copy of, which vectors may have dropped for another.

`method` says how it was found: exact, lexical, containment (a cut run inside a longer one; the similarity is the share
of it that lies there), semantic, none, empty, unusable_vector (text without a word to make a vector of). An approach
group counts toward a cap and drops nothing.
"""

from typing import Final

import pyarrow as pa

from schemas.tables.declare import table_schema

METHOD_NONE: Final = "none"
METHOD_EXACT: Final = "exact"
METHOD_LEXICAL: Final = "lexical"
METHOD_CONTAINMENT: Final = "containment"
METHOD_SEMANTIC: Final = "semantic"
METHOD_EMPTY: Final = "empty"
METHOD_UNUSABLE: Final = "unusable_vector"
"""Of a row that stands for itself since its text has no vector to compare: the hashed encoder found no word in it."""

SCHEMA = table_schema(
    "clusters",
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("task_key", pa.string(), nullable=False),
        pa.field("task_group", pa.string(), nullable=False),
        pa.field("environment", pa.string(), nullable=False),
        pa.field("outcome_class", pa.string(), nullable=False),
        pa.field("exact_group", pa.string(), nullable=False),
        pa.field("lexical_group", pa.string(), nullable=False),
        pa.field("semantic_group", pa.string(), nullable=False),
        pa.field("approach_group", pa.string(), nullable=False),
        pa.field("keeper_id", pa.string(), nullable=False),
        pa.field("similarity_to_keeper", pa.float64(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("family_id", pa.string()),
        pa.field("family_label", pa.string()),
        pa.field("family_medoid", pa.string()),
        pa.field("family_probability", pa.float64()),
        pa.field("family_is_noise", pa.bool_()),
        pa.field("group_size", pa.int32(), nullable=False),
        pa.field("family_size", pa.int32()),
    ],
)
