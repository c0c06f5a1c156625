"""The report as one self-contained page: no script, nothing loaded from anywhere, every text of the data escaped."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from schemas.reasons import DecisionReason
from transforms.querying.display import visible
from transforms.reporting.charts import (
    MAP_HEIGHT,
    MAP_WIDTH,
    funnel_bars,
    map_marks,
    share_marks,
    stacked_bars,
)
from transforms.reporting.judged import OUTCOMES

DROP_WORDS: Final[dict[str, str]] = {
    DecisionReason.INVALID_REWARD: "reward invalid: infrastructure failed, or the agent never acted",
    DecisionReason.EMPTY: "nothing left to compare or learn from",
    DecisionReason.EXACT_COPY: "same text as a kept run",
    DecisionReason.NEAR_DUPLICATE: "nearly the same text as a kept run",
    DecisionReason.CUT_COPY: "cut from a longer run that was kept",
    DecisionReason.SEMANTIC_DUPLICATE: "same approach and outcome as a kept run",
    DecisionReason.IN_REFERENCE_SET: "a reference set holds one like it",
    DecisionReason.APPROACH_CAP: "its approach has enough kept runs",
    DecisionReason.TASK_CAP: "its task has enough kept runs",
    DecisionReason.BUDGET: "beyond the pool's budget",
}
"""Drop reasons in a reader's words."""

KIND_WORDS: Final = {
    "mixed": "mixed: successes and failures",
    "all_fail": "never solved",
    "all_pass": "always solved",
    "unscored": "no reward",
}


def render_page(figures: Mapping[str, Any], *, snapshot_id: str, parent_id: str | None, seed: int) -> str:
    """Return the report's HTML: equal figures give equal text.

    The page allows itself its own style sheet, by hash, and nothing else: no script, image, font, frame or request.
    Control and bidirectional characters of the data are written out.

    Args:
        figures: What `draw_figures` returned.
        snapshot_id: The snapshot that is reported on.
        parent_id: The snapshot before it.
        seed: Seed of the run.
    """
    marks, labels = map_marks(figures["map"]["points"], figures["map"]["labels"])
    template = _environment().get_template("report.html.j2")
    return template.render(
        figures,
        style=Markup(_style()),
        style_hash=_hash(_style()),
        snapshot_id=snapshot_id,
        parent_id=parent_id,
        seed=seed,
        num_read=_count(figures, "read"),
        num_trajectories=_count(figures, "trajectories"),
        num_kept=_count(figures, "kept"),
        funnel_bars=funnel_bars(figures["funnel"]),
        outcome_bars=stacked_bars(figures["outcomes"], label="environment", parts=OUTCOMES),
        kind_bars=stacked_bars(figures["kinds"], label="kind", parts=("count",)),
        attribution_bars=stacked_bars(figures["attributions"], label="attribution", parts=("count",)),
        size_bars=stacked_bars(figures["sizes"], label="size", parts=("count",)),
        quarantine_bars=stacked_bars(figures["quarantine"], label="reason", parts=("count",)),
        secret_bars=stacked_bars(figures["secrets"], label="kind", parts=("count",)),
        weight_bars=stacked_bars(figures["weights"], label="weight", parts=("success", "failure", "others")),
        ratio_bars=stacked_bars(figures["pairs"]["shares"], label="ratio", parts=("count",)),
        family_bars=stacked_bars(_numbered(figures["families"]), label="name", parts=("success", "failure", "others")),
        balance_marks=share_marks(figures["balance"], columns=("lake_share", "target_share", "weighted_share")),
        map_points=marks,
        map_labels=labels,
        family_numbers={row["family_id"]: row["number"] for row in figures["families"]},
        map_size=(MAP_WIDTH, MAP_HEIGHT),
        outcome_names=OUTCOMES,
        kind_words=KIND_WORDS,
        drop_words=DROP_WORDS,
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("transforms.reporting", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"thousands": _thousands, "percent": _percent, "words": _words, "noun": _noun}
    return environment


def _shown(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return "" if value is None else value


@cache
def _style() -> str:
    return files("transforms.reporting").joinpath("assets", "report.css").read_text("utf-8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _count(figures: Mapping[str, Any], step: str) -> int:
    return next(row["count"] for row in figures["funnel"] if row["step"] == step and row["kind"] == "stock")


def _numbered(families: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "name": f"{row['number']}. {row['family_label']}"} for row in families]


def _thousands(value: int) -> str:
    return f"{value:,}"


def _percent(value: float | None, *, digits: int = 0) -> str:
    return "–" if value is None else f"{value * 100:.{digits}f} %"


def _words(value: object) -> str:
    return str(value).replace("_", " ")


def _noun(count: int, one: str, many: str | None = None) -> str:
    return one if count == 1 else many or f"{one}s"
