"""One version per stage: raised whenever the stage's output for equal input changes, so that keys change too."""

from typing import Final

STAGE_VERSIONS: Final[dict[str, int]] = {
    "ingest": 11,
    "boilerplate": 1,
    "sign": 4,
    "copies": 7,
    "embed": 5,
    "similar": 4,
    "families": 3,
    "references": 2,
    "tasks": 1,
    "select": 7,
    "export": 1,
    "report": 2,
    "publish": 2,
}
"""In flow order: this is also the order in which a run works."""

SCHEMA_VERSION: Final = "1"
RENDER_VERSION: Final = "1"
"""Version of the rules that turn a trajectory into comparable text and windows."""
