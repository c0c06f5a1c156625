"""The tables of the scan against Python's own lower case and the bits of a byte."""

import sys

from transforms.lexical.folding import CHANGES, IS_ALONE, NUM_CHANGES, fold_tables
from transforms.lexical.shingles import ALONE, WORD


def test_characters_fold_as_the_reference_folds_them():
    by_byte, by_point = fold_tables()
    alone = {point for first, last in ALONE for point in range(first, last + 1)}
    for point in range(sys.maxunicode + 1):
        lower = chr(point).lower()
        if by_point[point] == 0xFFFFFFFF:
            assert chr(point) in "İΣ"
        else:
            assert (by_point[point] != 0) == bool(WORD.fullmatch(lower))
            assert by_point[point] & ~IS_ALONE in (0, ord(lower))
            assert bool(by_point[point] & IS_ALONE) == (point in alone and bool(by_point[point]))
    assert by_byte[:128].tolist() == by_point[:128].tolist()
    assert set(by_byte[128:].tolist()) == {1}


def test_places_of_a_mask_are_those_of_its_bits():
    for mask in range(256):
        places = [place for pair in CHANGES[mask].tolist() for place in (pair & 0xFFFFFFFF, pair >> 32)]

        assert sum(1 << place for place in places[: NUM_CHANGES[mask]]) == mask
        assert places[: NUM_CHANGES[mask]] == sorted(places[: NUM_CHANGES[mask]])
