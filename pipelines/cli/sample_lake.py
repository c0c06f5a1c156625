"""`trajsift sample-lake`: a synthetic lake with planted truth."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.errors import DiskFullError, SettingsError, StoreError
from transforms.synthesis.planting import LakeFormat

if TYPE_CHECKING:
    from transforms.synthesis.lake import LakeSummary

_MAX_FILES = 256


def sample_lake(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder to write into; it must be new or empty.", show_default=False)
    ],
    tasks: Annotated[int, typer.Option(min=1, max=1_000_000, help="Tasks.")] = 60,
    rollouts: Annotated[
        int, typer.Option(min=1, max=1000, help="Records per task; from 3 on, three in eight of them are planted.")
    ] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every draw: equal arguments give equal bytes.")] = 0,
    size_kb: Annotated[
        float,
        typer.Option(
            min=1,
            max=10_000,
            help="Mean size of a record in KiB; prompts, tool schemas and calls take 7 to 24 of them in any case.",
        ),
    ] = 20.0,
    files: Annotated[
        int, typer.Option(min=2, max=_MAX_FILES, help="Chat files; SWE-agent rollouts have a file each beside them.")
    ] = 8,
    format: Annotated[
        LakeFormat | None,
        typer.Option(help="Write this format only; SWE-agent means code repositories only.", show_default="all three"),
    ] = None,
) -> None:
    """Write a synthetic lake of agent rollouts, with the truth of what is planted in it.

    DIR/lake holds the rollouts: OpenAI chat in JSON lines (chat/) and Parquet (tables/), and SWE-agent runs with
    their SWE-bench reports (swe_agent/), of terminal, code-repository and cross-tool tasks.
    Planted are exact copies, repeated records, near-copies of known similarity, near-misses, loops, infrastructure
    failures, unscored runs and made-up secrets; some tasks are always solved, some never.
    DIR/truth says what is where (rollouts.jsonl, tasks.jsonl, secrets.jsonl), DIR/seeds.jsonl holds hard tasks to
    inject, and DIR/curate.yaml runs the whole job on it:

    trajsift sample-lake demo --tasks 60 && trajsift run demo/curate.yaml
    """
    from transforms.synthesis.lake import LakeRequest, write_lake

    request = LakeRequest(seed, tasks, rollouts, size_kb, files, format)
    _make_empty(directory)
    try:
        with _progress(tasks) as on_task:
            summary = write_lake(directory, request, on_task=on_task)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFullError(f"no space left while writing {directory}; remove it and free some") from error
        raise StoreError(f"{directory}: {error.strerror or error}") from error
    _show(directory, summary)


def _make_empty(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        first = next(iter(sorted(directory.iterdir())), None)
    except OSError as error:
        raise SettingsError(f"{directory}: {error.strerror}; sample-lake needs a folder it can write") from error
    if first is not None:
        raise SettingsError(f"{directory} is not empty (it holds {first.name}); name a new folder or remove it first")


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("writing"), BarColumn(), MofNCompleteColumn(), TextColumn("tasks"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        row = bar.add_task("tasks", total=total)
        yield lambda: bar.advance(row)


def _show(directory: Path, summary: "LakeSummary") -> None:
    num_records = sum(summary.kinds.values())
    kinds = " · ".join(f"{kind} {count:,}" for kind, count in summary.kinds.items())
    typer.echo(f"{num_records:,} records in {summary.num_files:,} files, {summary.num_bytes / 1e6:,.1f} MB")
    typer.echo(f"planted: {kinds} · with a secret {summary.num_secrets:,}")
    typer.echo(f"text shared by different tasks: mean word-5-gram Jaccard {summary.mean_sharing:.4f}")
    for name, meaning in (
        ("lake", "the rollouts"),
        ("truth", "what is planted where"),
        ("seeds.jsonl", "hard tasks to inject"),
        ("curate.yaml", "settings of the whole job"),
    ):
        typer.echo(f"  {directory / name}  {meaning}")
    typer.echo(f"next: trajsift run {directory / 'curate.yaml'}")
