"""MAL-01: a writer that died in mid-line costs one record, which can be read back from the source."""

import hashlib
from pathlib import Path

from pipelines.cli import main
from tests.whole_runs import Curate


def test_mal_01_a_cut_line_is_quarantined_by_place_and_hash(shared_dir: Path, curate: Curate) -> None:
    lake = shared_dir / "cases" / "inputs" / "MAL-01" / "data"
    curated = curate(lake)
    assert {name: curated.manifest.funnel[name] for name in ("read", "trajectories", "quarantined")} == {
        "read": 6,
        "trajectories": 5,
        "quarantined": 1,
    }
    (row,) = curated.table("quarantine").to_dicts()
    (unit,) = curated.table("inputs").to_dicts()
    assert (row["unit_key"], row["record_key"], row["reason"]) == (unit["unit_key"], "line:6", "truncated")
    assert unit["uri"] == "part-0.jsonl"
    content = (lake / unit["uri"]).read_bytes()
    cut = content[row["byte_offset"] : row["byte_offset"] + row["byte_length"]]
    assert cut == content.splitlines()[5]
    assert hashlib.sha256(cut).hexdigest() == row["sha256"]
    assert all(curated.table(name).height == 5 for name in ("trajectories", "features", "decisions", "clusters"))


def test_fto_10_a_glob_that_matches_nothing_is_refused(chat_lake: Path, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    conf = tmp_path / "curate.yaml"
    for patterns, named in (
        ("['*.parquet']", "*.parquet"),
        ("['a/*.jsonl', 'nothing/*.jsonl', 'b/*.jsonl']", "nothing/*.jsonl"),
    ):
        conf.write_text(f"lake: {{root: lake, include: {patterns}}}\nstore: store\n")
        assert main(["run", str(conf)]) == 3
        assert named in capsys.readouterr().err
    assert not (tmp_path / "store" / "CURRENT").exists()
