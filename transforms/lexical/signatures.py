"""Signatures: 128 MinHash slots and a bottom sketch for each text.

The slots estimate the Jaccard similarity of two texts, the sketches the share of one that lies in another. Two engines
make them from the same shingles: `fast` scans the bytes of a text, `datasketch` is the reference.
"""

import hashlib
import zlib
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from transforms.lexical.folding import fold_tables
from transforms.lexical.scanning import (
    NEEDS_LOWERING,
    NUM_BOTTOM,
    NUM_SLOTS,
    scan_texts,
    sketch_hashes,
)
from transforms.lexical.shingles import SHINGLE_RULE, SHINGLE_WORDS, shingles
from transforms.lexical.text_buffers import TextBuffer, buffer_of_texts

_SEED = 7
_PERMUTATION_SCHEME = "affine32"

# The permutations mix their input first, so that CRC-32 estimates as well as SHA-1, in half the time per text.
_hash_shingle = zlib.crc32

Signatures = NDArray[np.uint32]
"""Signatures, shape (texts, 128)."""


class SignedTexts(NamedTuple):
    """What the engines make of texts.

    Attributes:
        minhash: Signatures; zeros for a text without shingle.
        num_shingles: Distinct shingles of each text; int32, shape (texts,).
        bottom: The bottom sketches, one after the other, each ascending; uint32.
        bottom_bounds: Sketch i is `bottom[bottom_bounds[i]:bottom_bounds[i + 1]]`; int32, shape (texts + 1,).
    """

    minhash: Signatures
    num_shingles: NDArray[np.int32]
    bottom: NDArray[np.uint32]
    bottom_bounds: NDArray[np.int32]


class SignatureEngine(Protocol):
    """Turns texts into signatures; a signature depends on its text alone."""

    @property
    def scheme(self) -> str:
        """Name what a signature depends on beside its text: engine, seed, shingle rule."""
        ...

    def sign(self, texts: TextBuffer) -> SignedTexts:
        """Return what the table `signatures` holds of each text."""
        ...


class FastEngine:
    """Signatures by one scan over the bytes of the texts, in one thread."""

    @property
    def scheme(self) -> str:
        """Name the engine, its version and the shingle rule."""
        return f"fast-1-{NUM_SLOTS}-{NUM_BOTTOM}-{SHINGLE_RULE}"

    def sign(self, texts: TextBuffer) -> SignedTexts:
        """Return what the table `signatures` holds of each text."""
        slots, bottom, counts = _scan(texts)
        # Greek and Turkish capitals: their lower case depends on what stands around them, or is two characters.
        in_context = np.flatnonzero(counts[:, 0] == NEEDS_LOWERING)
        if len(in_context):
            lowered = _scan(buffer_of_texts([texts.text(index).lower() for index in in_context.tolist()]))
            for whole, part in zip((slots, bottom, counts), lowered, strict=True):
                whole[in_context] = part
        short = np.flatnonzero(counts[:, 0] < SHINGLE_WORDS)
        single = {index: whole for index in short.tolist() for whole in shingles(texts.text(index))}
        if single:
            rows = np.fromiter(single, dtype=np.int64, count=len(single))
            alone = np.zeros_like(slots[rows]), np.zeros_like(bottom[rows]), np.zeros_like(counts[rows])
            hashes = np.array([_whole_hash(whole) for whole in single.values()], dtype=np.uint64)
            sketch_hashes(hashes, *alone)
            for whole, part in zip((slots, bottom, counts), alone, strict=True):
                whole[rows] = part
        return _signed(slots, bottom, num_shingles=counts[:, 1], num_bottom=counts[:, 2])


class DatasketchEngine:
    """Signatures by datasketch, with one set of permutations for all texts."""

    def __init__(self) -> None:
        # Only where it is asked for: the import takes a third of a second.
        from datasketch import MinHash

        self._template = MinHash(NUM_SLOTS, seed=_SEED, scheme=_PERMUTATION_SCHEME)

    @property
    def scheme(self) -> str:
        """Name the engine, its permutations and the shingle rule."""
        return f"datasketch-{_PERMUTATION_SCHEME}-{NUM_SLOTS}-{_SEED}-crc32-{NUM_BOTTOM}-{SHINGLE_RULE}"

    def sign(self, texts: TextBuffer) -> SignedTexts:
        """Return what the table `signatures` holds of each text."""
        encoded = [[each.encode("utf-8", "surrogatepass") for each in shingles(text)] for text in texts.texts()]
        slots = np.zeros((len(encoded), NUM_SLOTS), dtype=np.uint32)
        bottom = np.zeros((len(encoded), NUM_BOTTOM), dtype=np.uint32)
        num_bottom = np.zeros(len(encoded), dtype=np.int32)
        generated = self._template.generator(
            encoded,
            num_perm=NUM_SLOTS,
            permutations=self._template.permutations,
            seed=_SEED,
            scheme=_PERMUTATION_SCHEME,
            hashfunc=_hash_shingle,
        )
        for row, (minhash, each) in enumerate(zip(generated, encoded, strict=True)):
            if each:
                slots[row] = minhash.hashvalues
                smallest = _spread(np.array([_hash_shingle(shingle) for shingle in each], dtype=np.uint32))[
                    :NUM_BOTTOM
                ]
                num_bottom[row] = len(smallest)
                bottom[row, : len(smallest)] = smallest
        num_shingles = np.array([len(each) for each in encoded], dtype=np.int32)
        return _signed(slots, bottom, num_shingles=num_shingles, num_bottom=num_bottom)


def make_engine(name: str) -> SignatureEngine:
    """Return the signature engine of the settings' `lexical.engine`.

    Raises:
        ValueError: There is no such engine.
    """
    engines: dict[str, type[FastEngine | DatasketchEngine]] = {"fast": FastEngine, "datasketch": DatasketchEngine}
    if name not in engines:
        raise ValueError(f"lexical.engine must be 'fast' or 'datasketch', got {name!r}")
    return engines[name]()


def sign_strings(engine: SignatureEngine, texts: Sequence[str]) -> SignedTexts:
    """Return what an engine makes of strings."""
    return engine.sign(buffer_of_texts(texts))


def signature_matrix(column: pa.ChunkedArray) -> Signatures:
    """Return the column `minhash` of the table `signatures` as a matrix, shape (texts, 128)."""
    return np.asarray(column.combine_chunks().flatten().to_numpy()).reshape(-1, NUM_SLOTS)


def estimated_similarity(signature: NDArray[np.uint32], others: Signatures) -> NDArray[np.float64]:
    """Return the estimated Jaccard similarity of texts to others, row by row, shape (others,).

    Args:
        signature: Signature of one text, shape (128,), or of as many as there are others.
        others: Shape (others, 128).
    """
    similarity: NDArray[np.float64] = (others == signature).mean(axis=1)
    return similarity


def _scan(texts: TextBuffer) -> tuple[Signatures, NDArray[np.uint32], NDArray[np.int32]]:
    slots = np.zeros((texts.num_texts, NUM_SLOTS), dtype=np.uint32)
    bottom = np.zeros((texts.num_texts, NUM_BOTTOM), dtype=np.uint32)
    counts = np.zeros((texts.num_texts, 3), dtype=np.int32)
    scan_texts(texts.data, texts.bounds, *fold_tables(), slots, bottom, counts)
    return slots, bottom, counts


def _whole_hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _spread(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the distinct hashes in ascending order, mixed: those of CRC-32 alone lie too evenly to be a sample."""
    mixed = hashes * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return np.unique(mixed ^ (mixed >> np.uint32(16)))


def _signed(
    slots: Signatures, bottom: NDArray[np.uint32], *, num_shingles: NDArray[np.int32], num_bottom: NDArray[np.int32]
) -> SignedTexts:
    bounds = np.zeros(len(slots) + 1, dtype=np.int32)
    np.cumsum(num_bottom, out=bounds[1:])
    return SignedTexts(
        minhash=slots,
        num_shingles=np.ascontiguousarray(num_shingles),
        bottom=bottom[np.arange(NUM_BOTTOM) < num_bottom[:, None]],
        bottom_bounds=bounds,
    )
