"""MAL: what writers, disks and copies do to a file costs the record it befell, never the file, never its label."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.cli import main
from tests.whole_runs import Curate, Curated, chat_rollout, write_jsonl


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


def _funnel(curated: Curated) -> tuple[int, int, int, int]:
    funnel = curated.manifest.funnel
    return funnel["read"], funnel["trajectories"], funnel["quarantined"], funnel["repeats"]


def test_mal_02_empty_files_and_shards_stop_nothing(tmp_path: Path, curate: Curate) -> None:
    lake = write_jsonl(tmp_path / "lake" / "good.jsonl", [chat_rollout("t", n, reward=1.0) for n in range(3)])
    (lake / "empty.jsonl").touch()
    (lake / "empty.parquet").touch()
    rows = pa.table({"trajectory_id": pa.array([], pa.string()), "messages": pa.array([], pa.string())})
    pq.write_table(rows, lake / "no_rows.parquet")
    curated = curate(lake)
    assert _funnel(curated) == (4, 3, 1, 0)
    inputs = curated.table("inputs")
    assert dict(inputs.select("uri", "num_records").iter_rows()) == {
        "good.jsonl": 3, "empty.jsonl": 0, "empty.parquet": 1, "no_rows.parquet": 0,
    }  # fmt: skip
    (bad,) = curated.table("quarantine").join(inputs, on="unit_key").to_dicts()
    assert (bad["uri"], bad["record_key"], bad["reason"]) == ("empty.parquet", "file", "unreadable")


def test_mal_05_a_byte_order_mark_changes_nothing_but_offsets(shared_dir: Path, curate: Curate) -> None:
    data = shared_dir / "cases" / "inputs" / "MAL-05" / "data"
    marked, plain = (curate(data / name, store=name) for name in ("with_bom", "without_bom"))
    assert _funnel(marked) == _funnel(plain) == (4, 4, 0, 0)
    # The bytes read differ, so their place and hash do; every other cell and every dataset must not.
    for name in ("trajectories", "features", "decisions", "uses", "tasks", "clusters"):
        tables = [run.table(name) for run in (marked, plain)]
        ours = [table.drop("unit_key", "record_offset", strict=False) for table in tables]
        assert ours[0].equals(ours[1]), name
    exports = [
        [
            (path.split("/")[-2], content)
            for path, content in sorted(run.tree().items())
            if path.endswith(".parquet") and "/exports/" in path
        ]
        for run in (marked, plain)
    ]
    assert exports[0]
    assert exports[0] == exports[1]
    assert all(not text.startswith("\ufeff") for text in marked.table("trajectories")["native_id"])


def test_mal_06_blank_lines_line_ends_and_separators_in_text(tmp_path: Path, curate: Curate) -> None:
    records = [chat_rollout("t", n, reward=1.0, words="a\u2028b") for n in range(4)]
    ends = [b"\n\n", b"\r\n", b"\n   \n", b"\r\n\r\n"]
    (tmp_path / "lake").mkdir()
    content = b"".join(orjson.dumps(record) + end for record, end in zip(records, ends, strict=True))
    assert "\u2028".encode() in content
    (tmp_path / "lake" / "a.jsonl").write_bytes(content)
    curated = curate(tmp_path / "lake")
    assert _funnel(curated) == (4, 4, 0, 0)
    assert sorted(curated.table("trajectories")["record_key"]) == ["line:1", "line:3", "line:4", "line:6"]


def test_mal_08_nul_in_text_is_kept_and_a_raw_one_quarantined(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "MAL-08" / "data")
    assert _funnel(curated) == (4, 3, 1, 0)
    (bad,) = curated.table("quarantine").to_dicts()
    assert (bad["record_key"], bad["reason"]) == ("line:3", "invalid_json")
    source = (shared_dir / "cases" / "inputs" / "MAL-08" / "data" / "part-0.jsonl").read_bytes().split(b"\n")
    steps = curated.table("steps").join(curated.table("trajectories"), on="traj_id")
    for native_id, line, text in (("nul1-r0", source[1], "\0"), ("nul3-r0", source[3], "\\u0000")):
        contents = [message["content"] or "" for message in orjson.loads(line)["messages"]]
        assert any(text in content for content in contents)
        rows = steps.filter(pl.col("native_id") == native_id).sort("step_id")
        said = [*rows["message"].drop_nulls(), *rows["obs_text"].drop_nulls()]
        assert sorted(said) == sorted(contents)


def test_mal_11_a_doubled_label_or_id_is_ambiguous(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "MAL-11" / "data", settings={"ingest": {"max_bad_ratio": 1.0}})
    assert _funnel(curated) == (3, 1, 2, 0)
    assert dict(curated.table("quarantine").select("record_key", "reason").iter_rows()) == {
        "line:1": "duplicate_key",
        "line:2": "duplicate_key",
    }


def test_mal_12_whole_number_ids_beyond_64_bits_stay_apart(tmp_path: Path, curate: Curate) -> None:
    ids = [12345678901234567890123, 12345678901234567890124]
    lines = [
        orjson.dumps(chat_rollout("T", n, reward=1.0)).replace(b'"task_id":"T"', b'"task_id":%d' % task)
        for n, task in enumerate(ids)
    ]
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "a.jsonl").write_bytes(b"\n".join(lines))
    curated = curate(tmp_path / "lake")
    assert sorted(curated.table("trajectories")["task_id"]) == sorted(map(str, ids))
    assert curated.table("tasks").height == 2


@pytest.mark.parametrize(
    ("messages", "fate"),
    [
        ([], "empty"),
        (None, "missing_messages"),
        ([{"role": "system", "content": "You repair."}], "empty"),
        ([{"role": "user", "content": "Repair it."}], "empty"),
    ],
    ids=["empty", "null", "system only", "user only"],
)
def test_mal_15_a_run_without_an_agent_is_no_failure(
    tmp_path: Path, curate: Curate, messages: list[Any] | None, fate: str
) -> None:
    records = [chat_rollout("t", n, reward=float(n % 2)) for n in range(4)]
    records.append(chat_rollout("t", 4, reward=0) | {"messages": messages})
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", records))
    (task,) = curated.table("task_policies").to_dicts()
    assert (task["num_scored"], task["num_success"]) == (4, 2)
    if messages is None:
        assert _funnel(curated) == (5, 4, 1, 0)
        assert curated.table("quarantine")["reason"].to_list() == [fate]
        return
    assert _funnel(curated) == (5, 5, 0, 0)
    assert curated.manifest.funnel[f"dropped/{fate}"] == 1
    (row,) = curated.table("trajectories").filter(pl.col("native_id") == "t-r4").to_dicts()
    assert (row["reward_valid"], row["parse_warnings"]) == (False, ["no_agent_action"])
    assert curated.table("uses").filter((pl.col("traj_id") == row["traj_id"]) & pl.col("used")).height == 0


def test_mal_17_inline_pictures_are_told_by_type_size_and_hash(tmp_path: Path, curate: Curate) -> None:
    pictures = [bytes([n]) * 200_000 for n in range(20)]
    record = chat_rollout("t", 0, reward=1.0)
    for n, picture in enumerate(pictures):
        url = "data:image/png;base64," + base64.b64encode(picture).decode()
        parts = [{"type": "text", "text": f"screen {n}"}, {"type": "image_url", "image_url": {"url": url}}]
        record["messages"].append({"role": "user", "content": parts})
    lake = write_jsonl(tmp_path / "lake" / "a.jsonl", [record])
    kept = curate(lake, store="kept")
    curated = curate(lake, store="summarised", settings={"ingest": {"inline_files": "summarise"}})
    kept_chars, chars = (
        sum(len(text) for text in run.table("steps")["parts_json"].drop_nulls()) for run in (kept, curated)
    )
    assert kept_chars > 5_000_000
    assert chars < 5_000
    digests = {hashlib.sha256(picture).hexdigest() for picture in pictures}
    parts = "".join(curated.table("steps")["parts_json"].drop_nulls())
    assert all(f"data:image/png;bytes=200000;sha256={digest}" in parts for digest in digests)
    assert curated.table("trajectories")["parse_warnings"].to_list() == [["inline_files_summarised"]]
    assert kept.table("embeddings")["vector"].to_list() == curated.table("embeddings")["vector"].to_list()


def test_mal_18_giant_lines_are_read_and_cut_for_comparison_only(shared_dir: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "MAL-18" / "data")
    assert _funnel(curated) == (5, 5, 0, 0)
    steps = curated.table("steps")
    giant = steps.filter(pl.col("obs_bytes") > 1_000_000)
    assert giant.height >= 1
    assert (giant["obs_text"].str.len_bytes() == giant["obs_bytes"]).all()
    # Comparison leaves out the middle of an observation; a query counts where, as the text stands whole in the store.
    assert steps.filter(pl.col("obs_text").str.len_chars() > 600).height == giant.height
    assert curated.table("embeddings").height > 0
    pictures = steps.filter(pl.col("extra_json").str.len_bytes() > 1_000_000)
    assert pictures["obs_text"].to_list() == ["shot"]


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
