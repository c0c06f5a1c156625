"""One row per comparable text: its MinHash signature (128 slots, zeros for an empty text) and its bottom sketch.

`bottom` are the smallest hashes of its shingles, ascending, at most 128: all of them for a text of fewer shingles.
`words` are the words in order, as 16 bits of their hashes, for texts of 20 to 512 words, which are compared word by
word; the first value is how many low bits of all the others are zero, as only such words were drawn of a longer text.
Rows of unequal `scheme` are never compared.
"""

import pyarrow as pa

from schemas.tables.declare import table_schema

SCHEMA = table_schema(
    "signatures",
    [
        pa.field("view_hash", pa.string(), nullable=False),
        pa.field("body_hash", pa.string(), nullable=False),
        pa.field("skeleton_hash", pa.string(), nullable=False),
        pa.field("minhash", pa.list_(pa.uint32(), 128), nullable=False),
        pa.field("bottom", pa.list_(pa.field("item", pa.uint32(), nullable=False)), nullable=False),
        pa.field("num_shingles", pa.int32(), nullable=False),
        pa.field("words", pa.list_(pa.field("item", pa.uint16(), nullable=False)), nullable=False),
        pa.field("scheme", pa.string(), nullable=False),
    ],
)
