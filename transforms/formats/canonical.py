"""The hash of a record's content: the same wherever the record lies and however it is written."""

import hashlib
from typing import Any

from transforms.store.keys import canonical_json


def canonical_hash(record: Any) -> str:
    """Return the SHA-256 of a native record in canonical JSON.

    Raises:
        TypeError: The record holds something JSON has no word for, or is nested too deep for its writer.
    """
    return hashlib.sha256(canonical_json(record)).hexdigest()
