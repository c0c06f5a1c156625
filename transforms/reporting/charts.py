"""Places of a chart's marks: bars in shares of a row's width, points of a map in pixels of its frame."""

from collections.abc import Sequence
from typing import Any, Final

Row = dict[str, Any]

MAP_WIDTH: Final = 720
MAP_HEIGHT: Final = 420
MAP_MARGIN: Final = 22
LABEL_HEIGHT: Final = 15
FULL: Final = 100.0
"""A bar's own coordinates run from 0 to 100."""


def stacked_bars(rows: Sequence[Row], *, label: str, parts: Sequence[str], whole: float | None = None) -> list[Row]:
    """Return one bar a row, its parts side by side.

    Args:
        rows: Rows with the columns `label` and `parts`.
        label: Column that names the bar.
        parts: Columns of counts, drawn in this order.
        whole: The count that fills the width; None takes the largest bar's.

    Returns:
        Rows of `label`, `total` and `segments`, each of `part`, `count`, `x` and `width` (0 to 100).
    """
    totals = [sum(row[part] for part in parts) for row in rows]
    scale = FULL / ((whole if whole is not None else max(totals, default=0)) or 1)
    bars = []
    for row, total in zip(rows, totals, strict=True):
        segments, start = [], 0.0
        for part in parts:
            width = row[part] * scale
            if row[part]:
                segments.append({"part": part, "count": row[part], "x": _short(start), "width": _short(width)})
            start += width
        bars.append({"label": row[label], "total": total, "segments": segments})
    return bars


def funnel_bars(steps: Sequence[Row]) -> list[Row]:
    """Return the funnel's bars: a loss is drawn where it is cut from the stock, all on one scale."""
    scale = FULL / (max((step["count"] for step in steps), default=0) or 1)
    return [
        step
        | {"x": _short(step["start"] * scale), "width": _short(max(step["count"] * scale, 0.4 * bool(step["count"])))}
        for step in steps
    ]


def share_marks(rows: Sequence[Row], *, columns: Sequence[str]) -> list[Row]:
    """Return each row with `<column>_x`, the place of its share (0 to 1) when the largest of all fills the width."""
    scale = FULL / (max((row[column] for row in rows for column in columns), default=0) or 1)
    return [row | {f"{column}_x": _short(row[column] * scale) for column in columns} for row in rows]


def map_marks(points: Sequence[Row], labels: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the map's points with centre and radius, and its labels moved apart so that none covers another.

    Points are drawn from the largest group to the smallest, so that small ones stay visible.
    """
    marks = [
        point
        | {
            "cx": _along(point["x"], MAP_WIDTH),
            "cy": _along(-point["y"], MAP_HEIGHT),
            "r": _radius(point["group_size"]),
        }
        for point in points
    ]
    marks.sort(key=lambda mark: (-mark["group_size"], mark["traj_id"]))
    placed: list[Row] = []
    for label in sorted(labels, key=lambda label: (label["y"], label["x"], label["family_id"]), reverse=True):
        y = _along(-label["y"], MAP_HEIGHT)
        if placed:
            y = max(y, placed[-1]["cy"] + LABEL_HEIGHT)
        placed.append(label | {"cx": _along(label["x"], MAP_WIDTH), "cy": y})
    overflow = placed[-1]["cy"] - (MAP_HEIGHT - 4) if placed else 0.0
    if overflow > 0:
        placed = [label | {"cy": _short(label["cy"] - overflow)} for label in placed]
    return marks, placed


def _along(value: float, size: int) -> float:
    return _short(MAP_MARGIN + (value + 1) / 2 * (size - 2 * MAP_MARGIN))


def _radius(group_size: int) -> float:
    return _short(min(2.6 + 1.1 * max(group_size - 1, 0) ** 0.5, 11.0))


def _short(value: float) -> float:
    return round(value, 2) + 0.0
