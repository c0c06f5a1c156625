import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.text_buffers import buffer_of_column, buffer_of_texts

TEXTS = ["", "git push", "naïve ☃", "", "ls"]


@given(st.lists(st.text()))
def test_texts_come_back_as_they_were(texts):
    assert list(buffer_of_texts(texts).texts()) == texts


def test_lone_surrogates_are_kept():
    assert list(buffer_of_texts(["a\ud800b"]).texts()) == ["a\ud800b"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_a_column_is_read_where_it_lies_whole_or_in_slices(kind):
    column = pa.chunked_array([pa.array(TEXTS[:2], kind), pa.array(TEXTS[2:], kind)])

    assert list(buffer_of_column(column).texts()) == TEXTS
    assert list(buffer_of_column(column.combine_chunks().slice(1, 3)).texts()) == TEXTS[1:4]
    assert buffer_of_column(pa.array([], kind)).num_texts == 0


def test_a_column_with_nulls_is_refused():
    with pytest.raises(ValueError, match="holds 1 nulls, expected none"):
        buffer_of_column(pa.array(["a", None]))
