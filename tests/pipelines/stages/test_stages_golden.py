"""What each stage after ingest writes for a small lake: when it changes, so must the stage's version.

Vectors and families are left out: their last bits, and what hangs on them, belong to one kind of processor.
"""

from pathlib import Path

import polars as pl

from schemas.versions import STAGE_VERSIONS
from tests.whole_runs import Curate, Curated
from transforms.store.keys import short_id
from transforms.synthesis.lake import LakeRequest, write_lake

VERSIONS: dict[str, int] = {
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
"""Stage versions under which the digests below were taken."""

DIGESTS: dict[str, str] = {
    "boilerplate": "fb912574cecad54c6a0bc75b46172350",
    "sign": "a09930745cb903ef2ee51a70c64ccd0d",
    "copies": "019a603520cf1904272be5dfbaea8966",
    "similar": "49936aecdbf4e3fcb151dd2f9d83968e",
    "references": "fb912574cecad54c6a0bc75b46172350",
    "tasks": "a047ad0c909c405f6a0f2e2b537a7ae0",
    "select": "ecaf4a03ff6655482c4a9a54bfb7e5a1",
}
"""Stage → digest of the columns it decides."""

_COPIES = ("traj_id", "task_key", "task_group", "outcome_class", "exact_group", "lexical_group")
_COLUMNS: dict[str, dict[str, tuple[str, ...] | None]] = {
    "boilerplate": {"boilerplate": ("environment", "block_hash", "num_tasks")},
    "sign": {"views": None, "signatures": None},
    "copies": {"clusters": _COPIES},
    "similar": {"clusters": ("traj_id", "semantic_group", "keeper_id", "method")},
    "references": {"reference_hits": None},
    "tasks": {"tasks": ("task_key", "task_group", "num_rollouts", "decision", "reason", "curriculum", "split")},
    "select": {"decisions": ("traj_id", "decision", "reason", "reference_id", "stratum", "split"), "pairs": None},
}


def test_tables_change_only_with_the_versions_of_the_stages(tmp_path: Path, curate: Curate) -> None:
    write_lake(tmp_path, LakeRequest(seed=5, num_tasks=8, num_rollouts=6, size_kb=4, num_files=3))
    curated = curate(tmp_path / "lake")

    digests = {stage: _digest(curated, tables) for stage, tables in _COLUMNS.items()}

    changed = {stage: digest for stage, digest in digests.items() if DIGESTS.get(stage) != digest}
    if STAGE_VERSIONS == VERSIONS:
        assert not changed, f"raise the version of the first of these stages whose code changed: {changed}"
    assert (STAGE_VERSIONS, digests) == (VERSIONS, DIGESTS), f"record anew: {STAGE_VERSIONS}, {digests}"


def _digest(curated: Curated, tables: dict[str, tuple[str, ...] | None]) -> str:
    parts = []
    for name, columns in tables.items():
        table = curated.table(name)
        table = table if columns is None else table.select(columns)
        parts.append(table.with_columns(pl.selectors.float().round(6)).write_ndjson())
    return short_id(*parts)
