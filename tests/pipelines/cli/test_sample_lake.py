from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pipelines.cli.sample_lake import sample_lake
from schemas.errors import SettingsError

app = typer.Typer()
app.command()(sample_lake)


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_it_writes_the_lake_and_says_what_to_do_next(tmp_path: Path) -> None:
    text = _run(str(tmp_path / "demo"), "--tasks", "6", "--rollouts", "4", "--size-kb", "4")
    assert sorted(path.name for path in (tmp_path / "demo").iterdir()) == [
        "curate.yaml",
        "lake",
        "seeds.jsonl",
        "truth",
    ]
    assert text.startswith("24 records in ")
    assert "text shared by different tasks: mean word-5-gram Jaccard 0.0" in text
    assert f"next: trajsift run {tmp_path / 'demo' / 'curate.yaml'}" in text


def test_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(SettingsError, match=r"is not empty \(it holds mine\.txt\)"):
        _run(str(tmp_path), "--tasks", "2")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SettingsError, match="sample-lake needs a folder it can write"):
        _run(str(tmp_path / "file"))


def test_help_names_what_is_planted() -> None:
    text = " ".join(_run("--help").split())
    for word in ("near-copies", "near-misses", "loops", "secrets", "--size-kb", "trajsift run demo/curate.yaml"):
        assert word in text
