"""A secret in any place of a record leaves no piece behind: none is cut before it is looked for."""

import io
import random

import pytest

from schemas.records import SourceUnit
from tests.transforms.formats.markers import MARK, Place, places_in, planted, shown
from tests.transforms.formats.test_no_silence import BESIDE, FILES, MAIN, SETTINGS, adapter_of, parsed, written
from transforms.formats.records import read_opened
from transforms.formats.registry import adapter_named
from transforms.redaction.engine import Redactor

PIECE_CHARS = 8
PADDINGS = (0, 6, 26, 46, 184)
"""Letters before the secret: it lies across the cuts that are made after 20, 40, 60 and 200."""
REDACTOR = Redactor()


def token(rng: random.Random) -> str:
    return "gh" + "p_" + "".join(rng.choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", k=36))


def is_left(secret: str, text: str) -> bool:
    return any(secret[place : place + PIECE_CHARS] in text for place in range(len(secret) - PIECE_CHARS + 1))


def what_is_kept(main: str, files: dict[str, bytes], adapter: str) -> str:
    content = files[main]
    facts = tuple(sorted(adapter_named(adapter).path_facts(main)))
    unit = SourceUnit("u", main, adapter, "1", len(content), "ab", sidecars=BESIDE.get(main, ()), path_facts=facts)
    return repr(list(read_opened(unit, lambda name: io.BytesIO(files[name]), settings=SETTINGS, redactor=REDACTOR)))


def places_left(main: str) -> list[str]:
    """Return where a token stays behind that stands so many letters behind the start of a value or key."""
    adapter, rng = adapter_of(main), random.Random(main)
    left = []
    for uri in (main, *BESIDE.get(main, ())):
        native = parsed(FILES[uri])[:1] if uri.startswith("rows/") else parsed(FILES[uri])
        places = [place for place in places_in(native) if place.kind != "tail"]
        for place in places:
            for padding in PADDINGS:
                secret = token(rng)
                if is_left(secret, kept_with(f"{'r' * padding} {secret}", native, place, uri, main, adapter)):
                    left.append(f"{uri}: {shown(place)} behind {padding}")
    return left


def kept_with(text: str, native: object, place: Place, uri: str, main: str, adapter: str) -> str:
    content = written(planted(native, place), uri).replace(MARK.encode(), text.encode())
    return what_is_kept(main, {**FILES, uri: content}, adapter)


@pytest.mark.parametrize("main", MAIN)
def test_no_piece_of_a_secret_is_left_by_a_cut(main):
    assert places_left(main) == []
