"""The rendered conversations of one shard, as an Arrow table from which a target takes its columns."""

from collections.abc import Sequence
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from transforms.targets.contract import Conversation, Target
from transforms.targets.encoding import MESSAGES_TYPE, TOOLS_TYPE, message_hash

TEXT_SCHEMA: Final = pa.schema(
    [
        pa.field("traj_id", pa.string(), nullable=False),
        pa.field("prompt", MESSAGES_TYPE),
        pa.field("completion", MESSAGES_TYPE),
        pa.field("messages", MESSAGES_TYPE),
        pa.field("tools", TOOLS_TYPE),
        pa.field("hashes", pa.list_(pa.int64()), nullable=False),
        pa.field("num_bytes", pa.int64(), nullable=False),
    ]
)
"""One row per trajectory. `messages` is prompt and completion in one, filled where the target wants it so, and then
the two are null. `hashes` holds `encoding.message_hash` of every message where the target compares its sides."""


def text_row(traj_id: str, conversation: Conversation, *, target: Target) -> dict[str, Any]:
    """Return the row of `TEXT_SCHEMA` as the target takes it."""
    whole = "messages" in target.schema.names
    messages = [*conversation.prompt, *conversation.completion]
    size = sum(len(message["content"] or "") + sum(map(len, message["tool_calls"] or ())) for message in messages)
    return {
        "traj_id": traj_id,
        "prompt": None if whole else conversation.prompt,
        "completion": None if whole else conversation.completion,
        "messages": messages if whole else None,
        "tools": conversation.tools,
        "hashes": [message_hash(message) for message in messages] if target.compares_sides else [],
        "num_bytes": size + sum(map(len, conversation.tools or ())),
    }


def text_writer(file: IO[bytes]) -> pa.ipc.RecordBatchFileWriter:
    """Return a writer of `TEXT_SCHEMA`, as Arrow holds it.

    Such files are read once in a run: Parquet takes lists of structs apart and puts them together again.
    """
    return pa.ipc.new_file(file, TEXT_SCHEMA, options=pa.ipc.IpcWriteOptions(compression="lz4"))


def places_of(ids: pa.ChunkedArray, texts: pa.Table) -> pa.Array:
    """Return the row of `texts` of each trajectory id; null for a null id.

    Raises:
        KeyError: An id is not among the texts.
    """
    flat = ids.combine_chunks()
    places = pc.index_in(flat, value_set=texts["traj_id"].combine_chunks())
    lost = pc.and_(pc.is_null(places), pc.is_valid(flat))
    if pc.any(lost).as_py():
        raise KeyError(f"no text of trajectory {flat.filter(lost)[0].as_py()}")
    return places


def take(texts: pa.Table, column: str, places: pa.Array) -> pa.Array:
    """Return a column's values at the places, as one array."""
    return texts[column].combine_chunks().take(places)


def select(plan: pa.Table, schema: pa.Schema, texts: dict[str, pa.Array]) -> pa.Table:
    """Return a table of `schema` whose columns come from `texts`, else from the plan, cast to the schema's types."""
    columns = [
        texts[field.name] if field.name in texts else plan[field.name].cast(field.type).combine_chunks()
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def plan_schema_of(schema: pa.Schema, text_columns: Sequence[str], *, extra: Sequence[pa.Field] = ()) -> pa.Schema:
    """Return the columns a target's planned rows have: all of `schema` but the text, where they stand, and `extra`."""
    own = [field for field in schema if field.name not in text_columns]
    return pa.schema([*own, *extra, pa.field("position_key", pa.string(), nullable=False)])
