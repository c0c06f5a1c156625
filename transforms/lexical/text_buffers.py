"""Texts in one piece: the bytes of many texts one after the other, and where each begins."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class TextBuffer(NamedTuple):
    """Texts as UTF-8, read-only.

    Attributes:
        data: The bytes; uint8, shape (bytes,).
        bounds: Text i is `data[bounds[i]:bounds[i + 1]]`; int64, shape (texts + 1,).
    """

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]

    @property
    def num_texts(self) -> int:
        """Return the number of texts."""
        return len(self.bounds) - 1

    def raws(self) -> Iterator[memoryview]:
        """Give the bytes of the texts."""
        whole = self.data.data
        return (whole[start:end] for start, end in pairwise(self.bounds.tolist()))

    def text(self, index: int) -> str:
        """Return a text as a string."""
        raw = self.data[self.bounds[index] : self.bounds[index + 1]].data
        return bytes(raw).decode("utf-8", "surrogatepass")

    def texts(self) -> Iterator[str]:
        """Give the texts as strings."""
        return (self.text(index) for index in range(self.num_texts))


def buffer_of_column(column: pa.Array | pa.ChunkedArray) -> TextBuffer:
    """Return the texts of an Arrow string column without copying them; the column holds no null."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    if array.null_count:
        raise ValueError(f"a column of texts holds {array.null_count} nulls, expected none")
    is_large = pa.types.is_large_string(array.type)
    _, offsets, content = array.buffers()
    width = np.dtype(np.int64 if is_large else np.int32)
    if offsets is None or not len(array):
        return _buffer(b"", np.zeros(len(array) + 1, dtype=np.int64))
    bounds = np.frombuffer(offsets, dtype=width)[array.offset : array.offset + len(array) + 1]
    return _buffer(b"" if content is None else content, bounds.astype(np.int64))


def buffer_of_texts(texts: Sequence[str]) -> TextBuffer:
    """Return strings in one piece; lone surrogates are kept as they are."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    bounds = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(each) for each in encoded], out=bounds[1:])
    return _buffer(b"".join(encoded), bounds)


def _buffer(content: bytes | pa.Buffer, bounds: NDArray[np.int64]) -> TextBuffer:
    # One kind of array, read-only, whatever the source: compiled loops are made per kind.
    data = np.frombuffer(content, dtype=np.uint8) if len(content) else np.zeros(0, dtype=np.uint8)
    data.flags.writeable = False
    bounds.flags.writeable = False
    return TextBuffer(data, bounds)
