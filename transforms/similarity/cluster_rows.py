"""The table `clusters` as far as vectors decide it.

`keeper_id` is the row's direct keeper: the one its similarity was verified against. An exact or lexical copy may point
to a representative that itself repeats a better one; `final_keepers` follows such chains to the row that stays.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables.clusters import METHOD_NONE, METHOD_SEMANTIC, METHOD_UNUSABLE


def final_keepers(ids: pa.ChunkedArray, keeper_ids: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return for each row the row of the keeper its chain of keepers ends at, shape (rows,).

    Args:
        ids: Unique ids.
        keeper_ids: Id of each row's direct keeper, its own for a kept row; chains have no circle.
    """
    keepers = pc.index_in(keeper_ids, value_set=ids.combine_chunks()).to_numpy()
    while True:
        further = keepers[keepers]
        if np.array_equal(further, keepers):
            return np.asarray(keepers, dtype=np.int64)
        keepers = further


def with_stars(clusters: pa.Table, stars: pa.Table) -> pa.Table:
    """Return `clusters` with the representatives' semantic keepers; group sizes are those of the final keepers.

    Args:
        clusters: The table as `copies` wrote it; row i is trajectory i.
        stars: Rows of `STAR_SCHEMA`, one per representative.
    """
    redundant = stars.filter(pc.not_equal(stars["row"], stars["keeper"]))
    rows = redundant["row"].to_numpy()
    ids = clusters["traj_id"].to_pylist()
    keeper_ids = clusters["keeper_id"].to_pylist()
    methods = clusters["method"].to_pylist()
    similarities = clusters["similarity_to_keeper"].to_numpy().copy()
    similarities[rows] = redundant["similarity"].to_numpy()
    for row, keeper in zip(rows.tolist(), redundant["keeper"].to_pylist(), strict=True):
        keeper_ids[row] = ids[keeper]
        methods[row] = METHOD_SEMANTIC
    keepers = final_keepers(clusters["traj_id"], pa.chunked_array([pa.array(keeper_ids, pa.string())]))
    return replaced(
        clusters,
        {
            "keeper_id": pa.array(keeper_ids, pa.string()),
            "method": pa.array(methods, pa.string()),
            "similarity_to_keeper": pa.array(similarities),
            "semantic_group": clusters["traj_id"].combine_chunks().take(pa.array(keepers)),
            "group_size": pa.array(np.bincount(keepers, minlength=len(keepers))[keepers], pa.int32()),
        },
    )


def with_unusable(clusters: pa.Table, rows: NDArray[np.int64]) -> pa.Table:
    """Return `clusters` with the method of those of `rows` that have text, and so should have had a vector, changed.

    Args:
        clusters: The table; row i is trajectory i.
        rows: Rows of representatives without a usable vector.
    """
    methods = clusters["method"].to_pylist()
    for row in rows.tolist():
        if methods[row] == METHOD_NONE:
            methods[row] = METHOD_UNUSABLE
    return replaced(clusters, {"method": pa.array(methods, pa.string())})


def with_families(
    clusters: pa.Table,
    families: Sequence[str | None],
    *,
    probabilities: NDArray[np.float64],
    labels: Mapping[str, str],
    medoids: Mapping[str, str],
) -> pa.Table:
    """Return `clusters` with every row's family: that of its final keeper.

    Args:
        clusters: The table; row i is trajectory i.
        families: Published id of each row's family, None for noise; only the rows of final keepers count.
        probabilities: How surely each row belongs to its family, shape (rows,); only those of final keepers count.
        labels: Label of each family.
        medoids: Id of each family's most typical member.
    """
    keepers = final_keepers(clusters["traj_id"], clusters["keeper_id"])
    found = [families[keeper] for keeper in keepers.tolist()]
    sizes = pc.value_counts(pa.array(found, pa.string())).to_pylist()
    size_of = {entry["values"]: entry["counts"] for entry in sizes if entry["values"] is not None}
    return replaced(
        clusters,
        {
            "family_id": pa.array(found, pa.string()),
            "family_label": pa.array([None if each is None else labels[each] for each in found], pa.string()),
            "family_medoid": pa.array([None if each is None else medoids[each] for each in found], pa.string()),
            "family_probability": pa.array(probabilities[keepers], pa.float64()),
            "family_is_noise": pa.array([each is None for each in found], pa.bool_()),
            "family_size": pa.array([None if each is None else size_of[each] for each in found], pa.int32()),
        },
    )


def replaced(table: pa.Table, columns: Mapping[str, pa.Array | pa.ChunkedArray]) -> pa.Table:
    """Return `table` with some of its columns replaced."""
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)
    return table
