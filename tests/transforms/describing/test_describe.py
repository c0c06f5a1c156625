import json
from dataclasses import fields

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import SCHEMAS
from transforms.describing.describe import Description, describe

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
SHELL = st.text(alphabet="abrm -/~;|&<>$(){}'\"\n=git@:.", max_size=40)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["bash", "submit", "str_replace_editor", "book", "open", "edit", "python"]),
        st.none() | st.dictionaries(st.sampled_from(["command", "path", "new_str", "x"]), TEXT | SHELL, max_size=3),
        st.none() | TEXT,
    ),
    max_size=5,
)


@given(ACTS, TEXT, st.none() | TEXT)
def test_rows_fit_their_tables_whatever_the_text(make_trajectory, acts, task, tools):
    trajectory = make_trajectory(*acts, task_text=task, tools_json=tools, reward=1.0)
    described = describe(trajectory, short_horizon_max_steps=8, medium_horizon_max_steps=25)
    for name in Description._fields:
        row = getattr(described, name)
        assert list(row) == SCHEMAS[name].names
        pa.Table.from_pylist([row], schema=SCHEMAS[name]).validate(full=True)


def test_a_row_survives_hostile_json(make_trajectory):
    hostile = json.dumps({"command": "\ud800"})
    trajectory = make_trajectory(("bash", {"command": "ls"}, "x"))
    call = trajectory.steps[1].calls[0]
    step = type(trajectory.steps[1])(2, "agent", None, "null", (call._replace(arguments_json=hostile),))
    copied = type(trajectory)(**{f.name: getattr(trajectory, f.name) for f in fields(trajectory)} | {"steps": (step,)})
    assert describe(copied, short_horizon_max_steps=8, medium_horizon_max_steps=25).features["num_calls"] == 1
