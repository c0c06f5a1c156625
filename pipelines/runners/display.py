"""The progress display: bars on a terminal, one line a stage elsewhere, nothing when it is quiet."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from transforms.store.progress import ProgressFile

_POLL_S = 0.2


class StageProgress:
    """How far a stage is: the total it expects and the file in which workers count what is done.

    `counts` are what the run record keeps of the stage beside its costs, `notes` what is shown when it has ended.
    """

    def __init__(self, file: ProgressFile, label: str) -> None:
        self.file = file
        self.label = label
        self.expected = 0
        self.unit = ""
        self.counts: dict[str, int | float] = {}
        self.notes: list[str] = []

    @property
    def warnings(self) -> list[str]:
        """Return the notes that are warnings."""
        return [note for note in self.notes if note.startswith("warning: ")]

    def total(self, count: int, unit: str) -> None:
        """State how many things there are to do, and what they are called."""
        self.expected = count
        self.unit = unit


class Display:
    """Shows stages as they begin, advance and end."""

    def __init__(self, mode: Literal["auto", "plain", "quiet"], *, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._mode = "bars" if mode == "auto" and self._console.is_terminal else "plain" if mode == "auto" else mode

    @contextmanager
    def stage(self, name: str, *, number: int, count: int, folder: Path) -> Iterator[StageProgress]:
        """Show one stage of the run while the block works."""
        label = f"[{number}/{count}] {name}"
        progress = StageProgress(ProgressFile(folder / f"progress-{name}"), label)
        started = time.monotonic()
        if self._mode == "bars":
            with self._bars(progress):
                yield progress
        else:
            yield progress
        if self._mode != "quiet":
            counted = f", {progress.expected:,} {progress.unit}" if progress.expected else ""
            self._console.print(f"{label} done in {time.monotonic() - started:.1f} s{counted}", highlight=False)
        for note in progress.notes:
            self.line(f"{' ' * len(label)} {note}")

    @contextmanager
    def _bars(self, progress: StageProgress) -> Iterator[None]:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        stop = threading.Event()
        with Progress(*columns, console=self._console, transient=True) as bars:
            task = bars.add_task(progress.label, total=None)
            poller = threading.Thread(target=self._poll, args=(bars, task, progress, stop), daemon=True)
            poller.start()
            try:
                yield
            finally:
                stop.set()
                poller.join()

    @staticmethod
    def _poll(bars: Progress, task: TaskID, progress: StageProgress, stop: threading.Event) -> None:
        while not stop.wait(_POLL_S):
            bars.update(task, total=progress.expected or None, completed=progress.file.done())

    def line(self, text: str) -> None:
        """Print one line of plain text."""
        if self._mode != "quiet":
            self._console.print(text, highlight=False, markup=False)
