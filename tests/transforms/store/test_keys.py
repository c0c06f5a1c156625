import hashlib

from hypothesis import given
from hypothesis import strategies as st

from transforms.store.keys import canonical_json, draw, seeded_order, sha_hex, short_id


def test_sha_hex_keeps_parts_apart() -> None:
    keys = {sha_hex("ab", "c"), sha_hex("a", "bc"), sha_hex("abc"), sha_hex(b"abc"), sha_hex(None), sha_hex("")}
    assert len(keys) == 6
    assert sha_hex(1) != sha_hex("1")


def test_sha_hex_takes_lone_surrogates() -> None:
    assert len(sha_hex("\ud800")) == 64


def test_short_id_is_the_head_of_the_hash() -> None:
    assert short_id("a") == sha_hex("a")[:32]


def test_canonical_json_sorts_keys_at_every_depth() -> None:
    assert canonical_json({"b": {"d": 1, "c": 2}, "a": [1]}) == b'{"a":[1],"b":{"c":2,"d":1}}'


@given(st.integers(0, 1000), st.text(), st.text())
def test_draw_is_a_share(seed: int, purpose: str, identifier: str) -> None:
    assert 0 <= draw(seed, purpose, identifier) < 1
    assert draw(seed, purpose, identifier) == draw(seed, purpose, identifier)


def test_draw_depends_on_each_part() -> None:
    assert len({draw(0, "a", "x"), draw(1, "a", "x"), draw(0, "b", "x"), draw(0, "a", "y")}) == 4


@given(st.sets(st.text()), st.randoms())
def test_seeded_order_ignores_the_order_given(identifiers: set[str], random: object) -> None:
    shuffled = list(identifiers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert seeded_order(shuffled, seed=3, purpose="p") == seeded_order(identifiers, seed=3, purpose="p")


_PARTS = st.lists(st.none() | st.integers() | st.booleans() | st.binary() | st.text(st.characters(codec=None)))


@given(_PARTS)
def test_sha_hex_hashes_each_part_behind_its_kind_and_length(parts: list[str | bytes | int | None]) -> None:
    framed = b""
    for part in parts:
        kind = {"NoneType": b"n", "bytes": b"b", "str": b"s"}.get(type(part).__name__, b"i")
        raw = b"" if part is None else part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        framed += kind + str(len(raw)).encode() + b":" + raw
    assert sha_hex(*parts) == hashlib.sha256(framed).hexdigest()
