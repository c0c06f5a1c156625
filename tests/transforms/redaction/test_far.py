import pytest

from transforms.redaction.far import MAX_GAP_BYTES, FarTokens

TOKEN = b"a1B2c3D4e5F6g7H8i9J0"


@pytest.mark.parametrize(
    ("gap", "is_found"),
    [
        (b" of the day is ", True),
        (b" a-long-word-without-numbers ", True),
        (b" of\nthe day ", False),
        (b" of\0the day ", False),
        (b" " * MAX_GAP_BYTES, True),
        (b" " * (MAX_GAP_BYTES + 1), False),
    ],
)
def test_a_random_token_near_on_the_line_is_found(gap, is_found):
    text = b"key" + gap + TOKEN + b" x"
    place = FarTokens(text).random_after(3)
    assert (place is not None and text[slice(*place)] == TOKEN) is is_found


def test_hashes_that_the_line_names_and_calls_stand():
    assert FarTokens(b"key commit " + b"0a1b2c3d4e" * 4).random_after(3) is None
    assert FarTokens(b"key " + TOKEN + b"(1)").random_after(3) is None
    assert FarTokens(b"key checked out '" + b"0a1b2c3d4e" * 4).random_after(3) is None
    assert FarTokens(b"key.whl hash = sha256:" + b"0a1b2c3d4e" * 4).random_after(3) is None


@pytest.mark.parametrize("file", [b"vendor.0a1b2c3d4e5f6071.js", b"index-" + TOKEN + b".css", TOKEN + b".js:1:20"])
def test_files_with_a_hash_in_their_names_stand(file):
    assert FarTokens(b"key " + file + b" 2 kB").random_after(3) is None
    assert FarTokens(b"key " + file + b" or " + TOKEN).random_after(3) is not None
