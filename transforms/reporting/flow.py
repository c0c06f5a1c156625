"""What became of the records: the funnel, why rows were dropped or set aside, what was redacted."""

from typing import Any

import polars as pl

from transforms.reporting.frames import Frames

Row = dict[str, Any]


def funnel(frames: Frames) -> list[Row]:
    """Return the way from what was read to each dataset's rows, in flow order.

    Each step has `kind`: `stock` (rows at hand), `loss` (rows that leave), `dataset` (rows of an export), and `start`,
    the rows of the stock that come before it on the bar: losses are cut from the end of the stock above them.
    """
    inputs, decisions = frames["inputs"], frames["decisions"]
    read = int(inputs["num_records"].sum())
    num_kept = decisions.filter(pl.col("decision") == "keep").height
    losses = [("quarantined", int(inputs["num_quarantined"].sum())), ("repeats", int(inputs["num_repeats"].sum()))]
    steps = [_step("read", "stock", read), *_cut(read, losses), _step("trajectories", "stock", decisions.height)]
    steps += _cut(decisions.height, [(row["reason"], row["count"]) for row in drop_reasons(frames)])
    steps += [_step("kept", "stock", num_kept)]
    steps += [_step(row["dataset"], "dataset", row["count"]) for row in datasets(frames)]
    return steps


def _step(name: str, kind: str, count: int, *, start: int = 0) -> Row:
    return {"step": name, "kind": kind, "count": count, "start": start}


def _cut(stock: int, losses: list[tuple[str, int]]) -> list[Row]:
    steps = []
    for name, count in losses:
        stock -= count
        steps.append(_step(name, "loss", count, start=stock))
    return steps


def drop_reasons(frames: Frames) -> list[Row]:
    """Return the reasons for which trajectories left the pool, most frequent first."""
    dropped = frames["decisions"].filter(pl.col("decision") == "drop")
    return counts(dropped, "reason")


def quarantine_reasons(frames: Frames) -> list[Row]:
    """Return the reasons for which records were set aside, most frequent first."""
    return counts(frames["quarantine"], "reason")


def datasets(frames: Frames) -> list[Row]:
    """Return each dataset's rows and, beside them, why its other candidates were left out."""
    uses = frames["uses"]
    rows = []
    for (name,), part in sorted(uses.group_by("dataset")):
        used = part.filter("used")
        rows.append(
            {
                "dataset": name,
                "count": used["row_id"].n_unique(),
                "num_candidates": part.height,
                "left_out": counts(part.filter(~pl.col("used")), "reason"),
            }
        )
    return rows


def secrets_by_kind(frames: Frames) -> list[Row]:
    """Return how many secrets were redacted, by kind, most frequent first."""
    totals: dict[str, int] = {}
    for redacted in frames["features"]["secrets_redacted"].drop_nulls().to_list():
        for kind, count in redacted.items():
            totals[kind] = totals.get(kind, 0) + count
    return [
        {"kind": kind, "count": count} for kind, count in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    ]


def input_units(frames: Frames, *, limit: int) -> list[Row]:
    """Return the source units with the most records, then by uri."""
    ordered = frames["inputs"].sort(["num_records", "uri", "unit_key"], descending=[True, False, False])
    return ordered.drop("unit_key").head(limit).to_dicts()


def counts(frame: pl.DataFrame, column: str) -> list[Row]:
    """Return the values of a column with their counts, most frequent first, ties by value."""
    grouped = frame.group_by(column).len("count")
    return grouped.sort(["count", column], descending=[True, False]).to_dicts()
