"""How many faults a run makes: a slice by default, the full counts with `TRAJSIFT_FAULTS=full` (make nightly)."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

FULL = os.environ.get("TRAJSIFT_FAULTS") == "full"


@pytest.fixture(scope="session")
def faults() -> Callable[[int, int], int]:
    """Choose a count: `faults(slice, full)`."""
    return lambda part, full: full if FULL else part


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line past pytest's capture, so that counts stand in every log."""

    def print_line(text: str) -> None:
        with _shown(capsys):
            print(f"\n{text}", flush=True)

    return print_line


@contextmanager
def _shown(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    with capsys.disabled():
        yield
