"""Reference sets: what was curated before, as a published snapshot or a file of signatures.

A snapshot lends the signatures and vectors of the trajectories it kept. A file lends signatures alone: Parquet with
`minhash` and `scheme` as the table `signatures` has them, and, where there are any, `traj_id` (else `view_hash`, else
the row's number), `task_key` and `outcome_class`.
"""

import hashlib
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.errors import InputError, SettingsError
from transforms.embedding.cache import view_vectors
from transforms.embedding.contract import EncoderIdentity
from transforms.lexical.signatures import NUM_SLOTS, Signatures
from transforms.store.files import Store
from transforms.store.manifest import Manifest, current_id, read_manifest
from transforms.store.tables import read_table, rows_of

_FILE_SUFFIX: Final = ".parquet"
_VECTOR_VIEW: Final = "body"


class ReferenceSet(NamedTuple):
    """A set as the settings name it, found and checked.

    Attributes:
        name: What tables call it: a snapshot's id, or the first 32 hex digits of a file's SHA-256.
        place: The store or the file.
        snapshot_id: The snapshot; None for a file.
        has_vectors: Whether its vectors are compared too.
    """

    name: str
    place: str
    snapshot_id: str | None
    has_vectors: bool


class ReferenceItems(NamedTuple):
    """The items of a set, ordered by id.

    Attributes:
        ids: Unique names of the items.
        task_keys: Task keys that mean the item's task; empty where the set tells none, which then means any task.
        outcome_classes: None means any.
        signatures: Shape (items, 128).
        vectors: Body vectors, shape (items, dimensions); a row of zeros has none.
    """

    ids: list[str]
    task_keys: list[frozenset[str]]
    outcome_classes: list[str | None]
    signatures: Signatures
    vectors: NDArray[np.float16]


def find_reference_set(text: str, *, scheme: str, identity: EncoderIdentity, by_vectors: bool) -> ReferenceSet:
    """Find the set a setting names and check that it can be compared.

    Args:
        text: A store, `store@snapshot`, or a Parquet file.
        scheme: How this run signs.
        identity: How this run embeds.
        by_vectors: Whether vectors are to be compared where the set has them.

    Raises:
        InputError: There is no such store, snapshot or file.
        SettingsError: The set was signed or embedded in another way.
    """
    if text.endswith(_FILE_SUFFIX):
        filesystem, path = fsspec.core.url_to_fs(text)
        if not filesystem.isfile(path):
            raise InputError(f"reference_sets: there is no file {text}")
        name = hashlib.sha256(filesystem.cat_file(path)).hexdigest()[:32]
        found = ReferenceSet(name, text, None, has_vectors=False)
    else:
        found = _published(text, has_vectors=by_vectors)
    _check_scheme(text, _scheme_of(found), scheme)
    if found.has_vectors:
        _check_encoder(text, _manifest(found), identity)
    return found


def read_reference_set(found: ReferenceSet) -> ReferenceItems:
    """Return the items of a set: of a snapshot the trajectories it kept, of a file every row.

    Raises:
        InputError: A file holds no item, or a signature has not 128 slots. A snapshot may have kept nothing.
    """
    items = _file_items(found) if found.snapshot_id is None else _snapshot_items(found)
    if not items.ids and found.snapshot_id is None:
        raise InputError(f"reference_sets: {found.place} holds no item to compare with")
    return items


def untold_labels(items: ReferenceItems) -> dict[str, int]:
    """Return the labels that items of a set lack, `task_key` and `outcome_class`, with the number of those items."""
    counts = {
        "task_key": sum(not keys for keys in items.task_keys),
        "outcome_class": sum(each is None for each in items.outcome_classes),
    }
    return {name: count for name, count in counts.items() if count}


def unlike_boilerplate(found: ReferenceSet, boilerplate: pa.Table, environments: Collection[str]) -> list[str]:
    """Return the environments of which a snapshot takes other blocks for boilerplate than this run, in order.

    What is left of equal records differs there, so that copies may look unlike. Of a file nothing is known.

    Args:
        found: The set.
        boilerplate: The table of this run.
        environments: Those of this run's rollouts; others are no matter.
    """
    if found.snapshot_id is None:
        return []
    known = set(_read(found, "clusters", ["environment"])["environment"].unique().to_pylist())
    ours, theirs = _blocks(boilerplate), _blocks(_read(found, "boilerplate", ["environment", "block_hash"]))
    return sorted(name for name in known & set(environments) if ours.get(name) != theirs.get(name))


def _blocks(boilerplate: pa.Table) -> dict[str, set[str]]:
    blocks: dict[str, set[str]] = {}
    for name, block in zip(boilerplate["environment"].to_pylist(), boilerplate["block_hash"].to_pylist(), strict=True):
        blocks.setdefault(name, set()).add(block)
    return blocks


def place_and_snapshot(text: str) -> tuple[str, str]:
    """Return the store that `STORE` or `STORE@SNAPSHOT` names, and the snapshot, empty where none is named."""
    if "@" not in text or current_id(Store(text)) is not None:
        return text, ""
    place, _, wanted = text.rpartition("@")
    return place, wanted


def _published(text: str, *, has_vectors: bool) -> ReferenceSet:
    place, wanted = place_and_snapshot(text)
    store = Store(place)
    snapshot_id = wanted or current_id(store)
    if snapshot_id is None:
        raise InputError(f"reference_sets: {place} is no store with a published snapshot; name a store or a .parquet")
    return ReferenceSet(read_manifest(store, snapshot_id).snapshot_id, place, snapshot_id, has_vectors)


def _manifest(found: ReferenceSet) -> Manifest:
    assert found.snapshot_id is not None
    return read_manifest(Store(found.place), found.snapshot_id)


def _check_scheme(text: str, theirs: str | None, ours: str) -> None:
    if theirs not in (None, ours):
        raise SettingsError(
            f"reference_sets: {text} was signed as {theirs}, this run signs as {ours}; set lexical.engine to the "
            "engine it was made with, or curate it again"
        )


def _check_encoder(text: str, manifest: Manifest, identity: EncoderIdentity) -> None:
    theirs = f"{manifest.versions.get('encoder')} on {manifest.versions.get('device_class')}"
    ours = f"{identity.described} on {identity.device_class}"
    if theirs != ours:
        raise SettingsError(
            f"reference_sets: {text} was embedded by {theirs}, this run embeds by {ours}; set "
            "embedding.encoder to the same, or references.by_vectors=false to compare signatures alone"
        )


def _scheme_of(found: ReferenceSet) -> str | None:
    """Return the scheme of the set's signatures; None where it has none."""
    table = (
        _read_file(found.place, ["scheme"]) if found.snapshot_id is None else _read(found, "signatures", ["scheme"])
    )
    if table["scheme"].null_count:
        raise InputError(f"reference_sets: {found.place} has signatures that do not say how they were made")
    schemes: list[str] = sorted(set(table["scheme"].to_pylist()))
    if len(schemes) > 1:
        raise SettingsError(f"reference_sets: {found.place} mixes signatures of {', '.join(schemes)}")
    return schemes[0] if schemes else None


def _file_items(found: ReferenceSet) -> ReferenceItems:
    table = _read_file(found.place, None)
    rows = table.num_rows
    id_column = next((name for name in ("traj_id", "view_hash") if name in table.column_names), None)
    ids = [str(number) for number in range(rows)] if id_column is None else _texts(table[id_column])
    keys = _texts(table["task_key"]) if "task_key" in table.column_names else [""] * rows
    classes = _texts(table["outcome_class"]) if "outcome_class" in table.column_names else [""] * rows
    return _ordered(
        ids,
        [frozenset([key] if key else []) for key in keys],
        [each or None for each in classes],
        signatures=_matrix(table["minhash"], found.place),
        vectors=np.zeros((rows, 1), dtype=np.float16),
    )


def _snapshot_items(found: ReferenceSet) -> ReferenceItems:
    decisions = _read(found, "decisions", ["traj_id", "decision"])
    kept = decisions.filter(pc.equal(decisions["decision"], "keep"))["traj_id"].combine_chunks()
    clusters = _read(found, "clusters", ["traj_id", "task_key", "task_group", "outcome_class"])
    keys_of: dict[str, set[str]] = {}
    for key, group in zip(clusters["task_key"].to_pylist(), clusters["task_group"].to_pylist(), strict=True):
        keys_of.setdefault(group, set()).add(key)
    views = _read(found, "views", ["traj_id", "view_hash", "is_empty"])
    views = views.filter(pc.and_(pc.is_in(views["traj_id"], value_set=kept), pc.invert(views["is_empty"])))
    mine = rows_of(clusters, "traj_id", views["traj_id"])
    signatures = rows_of(_read(found, "signatures", ["view_hash", "minhash"]), "view_hash", views["view_hash"])
    ids = views["traj_id"].to_pylist()
    return _ordered(
        ids,
        [frozenset(keys_of[group]) for group in mine["task_group"].to_pylist()],
        mine["outcome_class"].to_pylist(),
        signatures=_matrix(signatures["minhash"], found.place),
        vectors=_vectors(found, ids) if found.has_vectors else np.zeros((len(ids), 1), dtype=np.float16),
    )


def _vectors(found: ReferenceSet, ids: Sequence[str]) -> NDArray[np.float16]:
    table = _read(found, "embeddings", ["traj_id", "view", "vector"])
    return view_vectors(table, _VECTOR_VIEW).of(pa.array(ids, pa.string()))


def _ordered(
    ids: Sequence[str],
    task_keys: Sequence[frozenset[str]],
    outcome_classes: Sequence[str | None],
    *,
    signatures: Signatures,
    vectors: NDArray[np.float16],
) -> ReferenceItems:
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return ReferenceItems(
        ids=[ids[row] for row in order],
        task_keys=[task_keys[row] for row in order],
        outcome_classes=[outcome_classes[row] for row in order],
        signatures=signatures[order],
        vectors=vectors[order],
    )


def _matrix(column: pa.ChunkedArray, place: str) -> Signatures:
    fault = f"reference_sets: a signature of {place} is no list of {NUM_SLOTS} whole numbers of 32 bits"
    try:
        lengths = set(pc.list_value_length(column).to_pylist())
        values = pc.list_flatten(column).cast(pa.uint32())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(fault) from error
    if lengths - {NUM_SLOTS} or values.null_count:
        raise InputError(fault)
    return np.asarray(values.combine_chunks().to_numpy(zero_copy_only=False)).reshape(len(column), NUM_SLOTS)


def _texts(column: pa.ChunkedArray) -> list[str]:
    if pa.types.is_nested(column.type):
        raise InputError(f"reference_sets: a column of ids or labels holds {column.type}, expected text")
    return [str(value) for value in pc.fill_null(column.cast(pa.string()), "").to_pylist()]


def _read(found: ReferenceSet, table: str, columns: Sequence[str]) -> pa.Table:
    store = Store(found.place)
    files = _manifest(found).tables.get(table, [])
    if not files:
        raise InputError(f"reference_sets: snapshot {found.snapshot_id} of {found.place} has no table {table}")
    try:
        return pa.concat_tables([read_table(store, file.path, columns) for file in files])
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"reference_sets: {table} of {found.place} cannot be read: {error}") from error


def _read_file(place: str, columns: Sequence[str] | None) -> pa.Table:
    filesystem, path = fsspec.core.url_to_fs(place)
    try:
        with filesystem.open(path, "rb") as file:
            names = pq.ParquetFile(file).schema_arrow.names
            lacking = [name for name in ("minhash", "scheme") if name not in names]
            if lacking:
                raise InputError(
                    f"reference_sets: {place} lacks the column {lacking[0]}, as the table signatures has it"
                )
            return pq.read_table(file, columns=columns)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"reference_sets: {place} is no Parquet file that can be read: {error}") from error
