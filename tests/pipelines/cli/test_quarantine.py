"""The verb on real stores: what was set aside is listed, shown without secrets, and read again after a fix."""

import secrets
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from pipelines.cli import main
from tests.whole_runs import Curate, chat_rollout, write_jsonl


@pytest.fixture
def token() -> str:
    return "gh" + "p_" + secrets.token_hex(18)


@pytest.fixture
def conf(tmp_path: Path, curate: Curate, token: str) -> Path:
    """A store whose lake holds a wrong reward, a cut line with a secret, a bad row and a file of no format."""
    records = [chat_rollout("t", n, reward=1.0) for n in range(3)]
    wrong = chat_rollout("t", 3, reward="splendid")
    lake = write_jsonl(tmp_path / "lake" / "a.jsonl", [*records, wrong])
    with (lake / "a.jsonl").open("ab") as file:
        file.write(orjson.dumps({"note": f"line\n{token}", "trajectory_id": "cut"})[:-1])
    pq.write_table(pa.Table.from_pylist([{"messages": "[]", "reward": "superb"}]), lake / "b.parquet")
    (lake / "c.json").write_text('{"dialog": 1}')
    curate(lake, settings={"ingest": {"max_bad_ratio": 1.0}})
    path = tmp_path / "curate.yaml"
    assert yaml.safe_load(path.read_text())["store"]
    return path


def _shown(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["quarantine", *words]) == status
    captured = capsys.readouterr()
    return captured.out + captured.err


def _records(shown: str) -> dict[str, str]:
    names = [line.split()[0] for line in shown.splitlines() if "/" in line.split(" ")[0]]
    return {name.partition("/")[2]: name for name in names}


def test_list_counts_and_names_every_record(conf: Path, token: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = _shown(capsys, "list", "--conf", str(conf))
    assert set(_records(shown)) == {"line:4", "line:5", "row:1", "file"}
    assert token not in shown
    only = _shown(capsys, "list", "--conf", str(conf), "--reason", "truncated")
    assert set(_records(only)) == {"line:5"}
    assert set(_records(_shown(capsys, "list", "--conf", str(conf), "--file", ".parquet"))) == {"row:1"}


@pytest.mark.parametrize("part", ["list", "replay"])
def test_a_reason_that_there_is_none_of_is_refused_with_those_there_are(
    conf: Path, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["list", "--conf", str(conf)] if part == "list" else ["replay", str(conf)]
    shown = _shown(capsys, *words, "--reason", "bogus", status=2)
    assert "'bogus'" in shown
    assert "unusable_vector" in shown


def test_show_reads_the_source_again_and_redacts_it(
    conf: Path, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = _records(_shown(capsys, "list", "--conf", str(conf)))
    cut = _shown(capsys, "show", names["line:5"], str(conf))
    assert "truncated" in cut
    assert "<GITHUB_TOKEN_1>" in cut
    assert token not in cut
    assert "superb" in _shown(capsys, "show", names["row:1"], str(conf))
    assert "dialog" in _shown(capsys, "show", names["file"], str(conf))
    assert "no quarantined record 'x/line:5'" in _shown(capsys, "show", "x/line:5", str(conf), status=3)
    lines = conf.parent / "lake" / "a.jsonl"
    lines.write_bytes(lines.read_bytes().replace(b"cut", b"cup"))
    changed = _shown(capsys, "show", names["line:5"], str(conf), status=3)
    assert "the source does not hold this record any more (changed)" in changed
    assert token not in changed


def test_replay_says_what_a_fix_of_the_settings_would_accept(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fate = _fates(_shown(capsys, "replay", str(conf)))
    assert fate == {"line:4": "still_bad", "line:5": "still_bad", "row:1": "still_bad", "file": "still_bad"}
    fixed = _shown(capsys, "replay", str(conf), "ingest.fields.reward=[score]", "--reason", "invalid_reward")
    assert _fates(fixed) == {"line:4": "accepted", "row:1": "accepted"}


def test_replay_finds_lines_in_a_file_that_grew_and_refuses_what_changed(
    conf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = conf.parent / "lake" / "a.jsonl"
    content = lines.read_bytes()
    lines.write_bytes(content + b"\n" + orjson.dumps(chat_rollout("t", 9, reward=1.0)) + b"\n")
    fix = "ingest.fields.reward=[score]"
    assert _fates(_shown(capsys, "replay", str(conf), fix, "--file", "a.jsonl")) == {
        "line:4": "accepted",
        "line:5": "still_bad",
    }
    lines.write_bytes(content.replace(b"splendid", b"splendor"))
    shown = _shown(capsys, "replay", str(conf), fix, "--file", "a.jsonl")
    assert _fates(shown) == {"line:4": "changed", "line:5": "still_bad"}
    lines.unlink()
    gone = _shown(capsys, "replay", str(conf), fix, "--file", "a.jsonl", status=3)
    assert _fates(gone) == {"line:4": "gone", "line:5": "gone"}
    assert "no record could be replayed" in gone


def _fates(shown: str) -> dict[str, str]:
    rows = [line.split() for line in shown.splitlines() if "/" in line.split(" ")[0]]
    return {row[0].partition("/")[2]: row[2] for row in rows}
