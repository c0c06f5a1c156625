import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pipelines.cli import main
from pipelines.cli.similar import similar
from schemas.errors import InputError
from tests.whole_runs import Curate, chat_rollout, write_jsonl

app = typer.Typer()
app.command()(similar)


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_nearest_trajectories_of_one_are_its_likes(tmp_path: Path, curate: Curate) -> None:
    records = [chat_rollout(f"task{number % 3}", number, reward=float(number % 2)) for number in range(9)]
    records.append(records[0] | {"trajectory_id": "copy of r0"})
    empty = {"trajectory_id": "empty", "task_id": "task0", "reward": 1.0, "environment": "repo", "model": "toy-1"}
    records.append(empty | {"messages": [{"role": "assistant", "content": " "}]})
    store = curate(write_jsonl(tmp_path / "lake" / "part.jsonl", records)).store.root

    found = json.loads(_run("task0-r0", "--store", store, "--view", "fused", "--top", "3", "--json"))
    assert [row["task_key"] for row in found["rows"][:2]] == ["id:task0", "id:task0"]
    similarities = [row["similarity"] for row in found["rows"]]
    assert similarities == sorted(similarities, reverse=True)
    assert len(similarities) == 3
    assert found["traj_id"] not in [row["traj_id"] for row in found["rows"]]

    everything = json.loads(_run("task0-r0", "--store", store, "--top", "50", "--json"))["rows"]
    assert len(everything) == 8
    assert "" not in [row["traj_id"] for row in everything]

    of_copy = json.loads(_run("copy of r0", "--store", store, "--view", "fused", "--top", "3", "--json"))
    assert of_copy["rows"] == found["rows"]
    table = _run("copy of r0", "--store", store, "--view", "task")
    assert (
        f"compared as {of_copy['vector_of']}, which it copies" in table or of_copy["vector_of"] == of_copy["traj_id"]
    )
    with pytest.raises(InputError, match=r"has no body text to compare; try --view task$"):
        _run("empty", "--store", store)
    with pytest.raises(InputError, match=r"has no task text to compare; try --view body$"):
        _run("empty", "--store", store, "--view", "task")
    with pytest.raises(InputError, match=r"has no fused text to compare; neither a body nor"):
        _run("empty", "--store", store, "--view", "fused")
    with pytest.raises(InputError, match=r"no trajectory 'nobody'"):
        _run("nobody", "--store", store)


@pytest.mark.parametrize(
    "words",
    [["run"], ["similar"], ["similar", "x", "--top", "0", "--store", "s"], ["similar", "x", "--view", "bones"]],
)
def test_wrong_arguments_exit_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "defect" not in capsys.readouterr().err
