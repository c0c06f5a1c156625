from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa

from transforms.querying.results import cell_text, to_csv, to_json


def test_csv_and_json_of_every_kind_of_value() -> None:
    table = pa.table(
        {
            "text": ['a,"b"\n', None],
            "number": [0.5, float("nan")],
            "sum": pa.array([Decimal(7), None], pa.decimal128(38, 0)),
            "flags": [["x"], []],
            "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())),
            "at": pa.array([datetime(2026, 1, 2, tzinfo=UTC), None], pa.timestamp("us", tz="UTC")),
            "yes": [True, None],
        }
    )
    assert to_csv(table) == (
        'text,number,sum,flags,map,at,yes\n"a,""b""\n",0.5,7,"[""x""]","{""k"": 1}",2026-01-02T00:00:00+00:00,true\n'
        ",nan,,[],,,\n"
    )
    assert to_json(table, ascii_only=False) == (
        '[{"text": "a,\\"b\\"\\n", "number": 0.5, "sum": 7, "flags": ["x"], "map": {"k": 1}, '
        '"at": "2026-01-02T00:00:00+00:00", "yes": true},\n '
        '{"text": null, "number": null, "sum": null, "flags": [], "map": null, "at": null, "yes": null}]\n'
    )


def test_json_for_a_terminal_is_plain_ascii() -> None:
    text = to_json(pa.table({"a": ["\x1b\x7f\x9b\u202eé"]}), ascii_only=True)
    assert text == '[{"a": "\\u001b\\u007f\\u009b\\u202e\\u00e9"}]\n'


def test_json_of_nothing_is_an_empty_list() -> None:
    assert to_json(pa.table({"a": pa.array([], pa.string())}), ascii_only=False) == "[]\n"
    assert cell_text(b"\x01") == "01"
