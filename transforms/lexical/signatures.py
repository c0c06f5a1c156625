"""MinHash signatures: 128 numbers a text, from which the Jaccard similarity of two texts is estimated."""

import zlib
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from transforms.lexical.shingles import SHINGLE_RULE

NUM_PERMUTATIONS = 128
"""Slots of a signature; the estimate's standard error at a similarity of .8 is .035."""

_SEED = 7
_PERMUTATION_SCHEME = "affine32"

# The permutations mix their input first, so that CRC-32 estimates as well as SHA-1, in half the time per text.
_hash_shingle = zlib.crc32

Signatures = NDArray[np.uint32]
"""Signatures, shape (texts, 128)."""


class SignatureEngine(Protocol):
    """Turns shingle sets into signatures; a signature depends on its set alone."""

    @property
    def scheme(self) -> str:
        """Name what a signature depends on beside its text: engine, seed, shingle rule."""
        ...

    def sign(self, shingle_sets: Sequence[Iterable[str]]) -> Signatures:
        """Return one signature per set, shape (sets, 128); an empty set gives zeros."""
        ...


class DatasketchEngine:
    """Signatures by datasketch, with one set of permutations for all texts."""

    def __init__(self) -> None:
        self._template = MinHash(NUM_PERMUTATIONS, seed=_SEED, scheme=_PERMUTATION_SCHEME)

    @property
    def scheme(self) -> str:
        """Name the engine, its permutations and the shingle rule."""
        return f"datasketch-{_PERMUTATION_SCHEME}-{NUM_PERMUTATIONS}-{_SEED}-crc32-{SHINGLE_RULE}"

    def sign(self, shingle_sets: Sequence[Iterable[str]]) -> Signatures:
        """Return one signature per set, shape (sets, 128); an empty set gives zeros."""
        signatures = np.zeros((len(shingle_sets), NUM_PERMUTATIONS), dtype=np.uint32)
        encoded = ([shingle.encode("utf-8", "surrogatepass") for shingle in each] for each in shingle_sets)
        generated = MinHash.generator(
            encoded,
            num_perm=NUM_PERMUTATIONS,
            permutations=self._template.permutations,
            seed=_SEED,
            scheme=_PERMUTATION_SCHEME,
            hashfunc=_hash_shingle,
        )
        for row, minhash in enumerate(generated):
            if not minhash.is_empty():
                signatures[row] = minhash.hashvalues
        return signatures


def make_engine(name: str) -> SignatureEngine:
    """Return the signature engine of the settings' `lexical.engine`.

    Raises:
        ValueError: There is no such engine.
    """
    if name != "datasketch":
        raise ValueError(f"lexical.engine must be 'datasketch', got {name!r}")
    return DatasketchEngine()


def estimated_similarity(signature: NDArray[np.uint32], others: Signatures) -> NDArray[np.float64]:
    """Return the estimated Jaccard similarity of one text, signature shape (128,), to others, shape (others,)."""
    similarity: NDArray[np.float64] = (others == signature).mean(axis=1)
    return similarity
