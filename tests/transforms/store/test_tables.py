import pyarrow as pa
import pytest

from schemas.errors import StoreError
from transforms.store.tables import columns_to_table

SCHEMA = pa.schema(
    [pa.field("name", pa.string(), nullable=False), pa.field("flag", pa.bool_()), pa.field("score", pa.float64())]
)


@pytest.mark.parametrize(
    "columns",
    [
        {"name": ["a", "a"], "flag": [True, True], "score": [0.0, -0.0]},
        {"name": ("a", "b"), "flag": (None, False), "score": (None, None)},
        {"name": ["a", "b", "a"], "flag": [False, None, False], "score": [None, 1.0, None]},
    ],
)
def test_columns_hold_their_values_whether_they_differ_or_not(columns):
    table = columns_to_table(columns, len(columns["name"]), SCHEMA)
    assert repr(table.to_pydict()) == repr({name: list(values) for name, values in columns.items()})


def test_absent_column_is_null_and_a_value_that_is_due_must_be_there():
    assert columns_to_table({"name": ["a"]}, 1, SCHEMA).to_pylist() == [{"name": "a", "flag": None, "score": None}]
    with pytest.raises(StoreError, match="'name' lacks a value"):
        columns_to_table({"name": [None, None]}, 2, SCHEMA)
    with pytest.raises(StoreError, match="no column 'other'"):
        columns_to_table({"name": ["a"], "other": [1]}, 1, SCHEMA)
