"""The table `clusters` as far as vectors decide it: every row names a keeper that stays, measured against it."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.tables.clusters import METHOD_EXACT, METHOD_NONE, METHOD_SEMANTIC, METHOD_UNUSABLE


def row_numbers(clusters: pa.Table, column: str) -> NDArray[np.int64]:
    """Return the row of the trajectory that each row of `clusters` names in a column, shape (rows,)."""
    places = pc.index_in(clusters[column], value_set=clusters["traj_id"].combine_chunks())
    return np.asarray(places.to_numpy(), dtype=np.int64)


def with_stars(clusters: pa.Table, stars: pa.Table) -> pa.Table:
    """Return `clusters` with the semantic keepers; exact copies share that of the best run of their text.

    Args:
        clusters: The table as `copies` wrote it; row i is trajectory i.
        stars: Rows of `STAR_SCHEMA`: best runs of their texts, each with a keeper that stays.
    """
    rows, keepers = stars["row"].to_numpy(), stars["keeper"].to_numpy()
    own, keeper = np.arange(clusters.num_rows), row_numbers(clusters, "keeper_id")
    method = np.array(clusters["method"].to_pylist(), dtype=object)
    similarity = clusters["similarity_to_keeper"].to_numpy().copy()
    moved = keeper[rows] != keepers
    keeper[rows], similarity[rows[moved]] = keepers, stars["similarity"].to_numpy()[moved]
    method[rows[moved]] = np.where(keepers == rows, METHOD_NONE, METHOD_SEMANTIC)[moved]
    first = row_numbers(clusters, "exact_group")
    is_copy = first != own
    stays = keeper[first] == first
    return with_keepers(
        clusters,
        keeper[first],
        methods=np.where(is_copy, np.where(stays, METHOD_EXACT, method[first]), method),
        similarities=np.where(is_copy, np.where(stays, 1, similarity[first]), similarity),
    )


def with_keepers(
    clusters: pa.Table,
    keepers: NDArray[np.int64],
    *,
    methods: NDArray[np.object_],
    similarities: NDArray[np.float64],
) -> pa.Table:
    """Return `clusters` with other keepers; a semantic group is the rows of one keeper.

    Args:
        clusters: The table.
        keepers: Row of each row's keeper, which is its own keeper.
        methods: How each was found to repeat it.
        similarities: How similar each is to it.
    """
    names = clusters["traj_id"].combine_chunks().take(pa.array(keepers))
    return replaced(
        clusters,
        {
            "keeper_id": names,
            "method": pa.array(methods.tolist(), pa.string()),
            "similarity_to_keeper": pa.array(similarities, pa.float64()),
            "semantic_group": names,
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
    """Return `clusters` with every row's family: that of its keeper.

    Args:
        clusters: The table; row i is trajectory i.
        families: Published id of each row's family, None for noise; only the rows of keepers count.
        probabilities: How surely each row belongs to its family, shape (rows,); only those of keepers count.
        labels: Label of each family.
        medoids: Id of each family's most typical member.
    """
    keepers = row_numbers(clusters, "keeper_id")
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
