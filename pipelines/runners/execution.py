"""Runs Beam pipelines for the stages: runner, options, worker watch, and errors with their own type again."""

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from pipelines.runners.options import make_runner
from pipelines.runners.watch import end_children, watch_workers
from schemas.errors import TrajsiftError, WorkerLostError

_ERROR_LINE = re.compile(r"^(?:\w+: )?schemas\.errors\.(\w+): (.*)$", re.MULTILINE)
_PLACE = re.compile(r" \[while running '.*'\]\Z")


def end_command(message: str) -> None:
    """End the command with the exit code of a lost worker; the lock it leaves is taken over by the next run."""
    sys.stdout.flush()
    sys.stderr.write(f"\nerror: {message}\n")
    sys.stderr.flush()
    # Beam's other threads would go on to tell what they make of it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    end_children()
    os._exit(WorkerLostError.exit_code)


@dataclass(frozen=True)
class Execution:
    """How a run's pipelines are carried out."""

    options: PipelineOptions
    on_worker_loss: Callable[[str], None] = field(default=end_command)

    @contextmanager
    def pipeline(self) -> Iterator[beam.Pipeline]:
        """Give a pipeline that is run when the block ends.

        Raises:
            TrajsiftError: A transform raised one; workers hand errors on as text only, so it is built anew.
        """
        with watch_workers(self.on_worker_loss), _own_errors():
            runner, options = make_runner(self.options)
            with beam.Pipeline(runner=runner, options=options) as pipeline:
                yield pipeline


@contextmanager
def _own_errors() -> Iterator[None]:
    try:
        yield
    except TrajsiftError as error:
        raise type(error)(_PLACE.sub("", str(error))) from error
    except Exception as error:
        rebuilt = error_from_text(str(error))
        if rebuilt is None:
            raise
        raise rebuilt from error


def error_from_text(text: str) -> TrajsiftError | None:
    """Return the project's own error that a worker's traceback ends in, or None when it ends in another."""
    found = _ERROR_LINE.findall(text)
    if not found:
        return None
    name, message = found[-1]
    kind = getattr(importlib.import_module("schemas.errors"), name, None)
    return kind(_PLACE.sub("", message)) if isinstance(kind, type) and issubclass(kind, TrajsiftError) else None
