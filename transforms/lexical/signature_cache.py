"""Signatures kept across runs, by view and scheme.

A signature is a pure function of its view and scheme, so what is kept changes how long a run takes and nothing else.
Each run adds one file with the views that were new, and a commit record after it; a file without a record, or whose
content is not what its record says, is passed over.
"""

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables import SCHEMAS
from transforms.store.files import Store
from transforms.store.keys import short_id
from transforms.store.tables import read_table, write_table

_FOLDER = "layers/signatures"


def kept_signatures(store: Store, view_hashes: pa.Array, *, scheme: str) -> pa.Table:
    """Return the kept signatures of the wanted views, ordered by view hash, each once."""
    found = [SCHEMAS["signatures"].empty_table()]
    for path in store.list(_FOLDER):
        if not path.endswith(".json"):
            continue
        record = orjson.loads(store.read_bytes(path))
        content = path.removesuffix(".json") + ".parquet"
        if record["scheme"] != scheme or not store.exists(content) or store.sha256(content) != record["sha256"]:
            continue
        table = read_table(store, content)
        found.append(table.filter(pc.is_in(table["view_hash"], value_set=view_hashes)))
    return unique_signatures(pa.concat_tables(found))


def keep_signatures(store: Store, signatures: pa.Table, *, scheme: str) -> None:
    """Keep signatures for later runs; none is no file."""
    if not signatures.num_rows:
        return
    signatures = unique_signatures(signatures)
    name = short_id("signatures", scheme, *signatures["view_hash"].to_pylist())
    content = f"{_FOLDER}/{name}.parquet"
    write_table(store, content, signatures)
    record = {"scheme": scheme, "sha256": store.sha256(content), "rows": signatures.num_rows}
    store.write_atomic(f"{_FOLDER}/{name}.json", orjson.dumps(record, option=orjson.OPT_SORT_KEYS))


def unique_signatures(signatures: pa.Table) -> pa.Table:
    """Return one row per view, ordered by view hash: rows of one view and scheme are equal."""
    ordered = signatures.sort_by("view_hash")
    if ordered.num_rows < 2:
        return ordered
    hashes = ordered["view_hash"].combine_chunks()
    is_new = pa.concat_arrays([pa.array([True]), pc.not_equal(hashes[1:], hashes[:-1])])
    return ordered.filter(is_new)
