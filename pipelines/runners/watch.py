"""Watches over worker processes: Beam waits for ever for one that died, the command must not."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil

_WORKER_THREAD = "run_worker"


@contextmanager
def watch_workers(on_loss: Callable[[str], None]) -> Iterator[None]:
    """Call `on_loss` with a message when a worker process of Beam ends by a signal or an error inside the block.

    Beam starts each worker from a thread that raises when the worker's exit code is not 0, and tells nobody.
    """
    previous = threading.excepthook

    def hook(arguments: Any) -> None:
        thread = arguments.thread
        if thread is not None and thread.name == _WORKER_THREAD:
            on_loss(f"a worker process died ({arguments.exc_value}); nothing was published")
        else:
            previous(arguments)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = previous


def end_children() -> None:
    """End every process this one has started, at once."""
    for child in psutil.Process().children(recursive=True):
        try:
            child.kill()
        except psutil.NoSuchProcess:
            continue
