import pytest

from transforms.reading.excerpts import LOOKED_AT_BYTES, beginning, readable_text


@pytest.mark.parametrize("lead", [" ", '"', "\n"])
@pytest.mark.parametrize("num_seen", [8, 20, 39])
def test_what_is_cut_at_the_end_of_what_is_looked_at_is_left_out(lead, num_seen):
    token = "gh" + "p_" + "a1B2c3D4e5F6" * 3
    text = readable_text((("x " * LOOKED_AT_BYTES)[: LOOKED_AT_BYTES - num_seen - 1] + lead + token).encode())
    assert token[:8] not in text
    assert len(text) > LOOKED_AT_BYTES - 50


def test_a_short_text_is_whole():
    assert readable_text(b'{"a": "b\\n"') == '{"a": "b\n"'


def test_the_beginning_of_a_long_text_ends_before_the_run_that_is_cut():
    token = "gh" + "p_" + "a1B2c3D4e5F6" * 3
    assert beginning(f"near {token}", 20) == "near "
    assert beginning(token, len(token)) == token
