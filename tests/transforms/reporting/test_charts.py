from hypothesis import given
from hypothesis import strategies as st

from transforms.reporting.charts import funnel_bars, map_marks, share_marks, stacked_bars


def test_stacked_bars_lie_side_by_side_on_one_scale() -> None:
    rows = [{"name": "a", "good": 1, "bad": 3}, {"name": "b", "good": 0, "bad": 2}]
    assert stacked_bars(rows, label="name", parts=("good", "bad")) == [
        {
            "label": "a",
            "total": 4,
            "segments": [
                {"part": "good", "count": 1, "x": 0.0, "width": 25.0},
                {"part": "bad", "count": 3, "x": 25.0, "width": 75.0},
            ],
        },
        {"label": "b", "total": 2, "segments": [{"part": "bad", "count": 2, "x": 0.0, "width": 50.0}]},
    ]
    assert stacked_bars([{"name": "a", "good": 0}], label="name", parts=("good",)) == [
        {"label": "a", "total": 0, "segments": []}
    ]


def test_funnel_bars_keep_small_losses_visible() -> None:
    steps = [{"step": "read", "count": 1000, "start": 0}, {"step": "quarantined", "count": 1, "start": 999}]
    assert funnel_bars(steps) == [
        {"step": "read", "count": 1000, "start": 0, "x": 0.0, "width": 100.0},
        {"step": "quarantined", "count": 1, "start": 999, "x": 99.9, "width": 0.4},
    ]
    assert funnel_bars([{"step": "read", "count": 0, "start": 0}])[0]["width"] == 0


def test_share_marks_fill_the_width_with_the_largest() -> None:
    assert share_marks([{"a": 0.2, "b": 0.4}], columns=("a", "b")) == [{"a": 0.2, "b": 0.4, "a_x": 50.0, "b_x": 100.0}]


def test_map_marks_draw_large_groups_first_and_part_labels() -> None:
    points = [
        {"traj_id": "a", "x": -1.0, "y": 1.0, "group_size": 1},
        {"traj_id": "b", "x": 1.0, "y": -1.0, "group_size": 5},
    ]
    labels = [{"family_id": "f", "count": 1, "x": 0.0, "y": -1.0}, {"family_id": "g", "count": 1, "x": 0.0, "y": -1.0}]
    marks, placed = map_marks(points, labels)
    assert [(mark["traj_id"], mark["cx"], mark["cy"], mark["r"]) for mark in marks] == [
        ("b", 698.0, 398.0, 4.8),
        ("a", 22.0, 22.0, 2.6),
    ]
    assert [(label["family_id"], label["cy"]) for label in placed] == [("g", 398.0), ("f", 413.0)]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=8))
def test_stacked_bars_stay_inside_their_row(counts: list[tuple[int, int]]) -> None:
    rows = [{"name": "x", "a": a, "b": b} for a, b in counts]
    for bar in stacked_bars(rows, label="name", parts=("a", "b")):
        assert all(0 <= part["x"] <= 100 and part["x"] + part["width"] <= 100.02 for part in bar["segments"])
