import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import apache_beam as beam
import psutil
import pytest

from pipelines.runners.execution import Execution, error_from_text
from pipelines.runners.options import parse_beam_flags
from pipelines.runners.watch import watch_workers
from schemas.errors import DiskFullError, QualityError, WorkerLostError

LOOP = """
import sys, time
import apache_beam as beam
from pipelines.runners.execution import Execution
from pipelines.runners.options import parse_beam_flags
flags = ["--direct_running_mode=multi_processing", "--direct_num_workers=2"]
with Execution(parse_beam_flags(flags)).pipeline() as pipeline:
    pipeline | beam.Create([0, 1]) | beam.Reshuffle() | beam.Map(lambda n: __import__("time").sleep(600))
"""


def _raise_quality(_: int) -> None:
    raise QualityError("too many bad records")


def test_a_transform_s_own_error_keeps_its_type() -> None:
    with pytest.raises(QualityError, match=r"^too many bad records$"), Execution(parse_beam_flags([])).pipeline() as p:
        _ = p | beam.Create([1]) | beam.Map(_raise_quality)


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(Exception, match="division by zero"), Execution(parse_beam_flags([])).pipeline() as p:
        _ = p | beam.Create([0]) | beam.Map(lambda n: 1 / n)


def test_errors_are_read_from_a_worker_s_traceback() -> None:
    text = "Traceback …\n  File\nschemas.errors.DiskFullError: no space left [while running 'Make']\n\n"
    assert isinstance(error_from_text(text), DiskFullError)
    assert str(error_from_text(text)) == "no space left"
    assert error_from_text("ValueError: x") is None
    assert error_from_text("schemas.errors.Unknown: x") is None


def test_a_worker_thread_that_fails_is_told() -> None:
    told: list[str] = []

    def fail() -> None:
        raise RuntimeError("Worker subprocess exited with return code 137")

    with watch_workers(told.append):
        thread = threading.Thread(target=fail, name="run_worker")
        thread.start()
        thread.join()
    assert told == ["a worker process died (Worker subprocess exited with return code 137); nothing was published"]


def test_a_killed_worker_ends_the_command(tmp_path: Path) -> None:
    command = subprocess.Popen([sys.executable, "-c", LOOP], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    workers: list[psutil.Process] = []
    while len(workers) < 2 and time.monotonic() < deadline:
        time.sleep(0.2)
        workers = [
            child
            for child in psutil.Process(command.pid).children(recursive=True)
            if "pipelines.runners.worker" in " ".join(child.cmdline()) and child.name() != "sh"
        ]
    os.kill(workers[0].pid, signal.SIGKILL)
    _, complaint = command.communicate(timeout=60)
    assert command.returncode == WorkerLostError.exit_code
    assert "error: a worker process died" in complaint
    assert not [worker for worker in workers if worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE]


def test_workers_end_with_a_killed_run() -> None:
    command = subprocess.Popen([sys.executable, "-c", LOOP])
    deadline = time.monotonic() + 60
    workers: list[psutil.Process] = []
    while len(workers) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
        workers = psutil.Process(command.pid).children(recursive=True)
    command.kill()
    command.wait()
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert not [worker for worker in alive if worker.status() != psutil.STATUS_ZOMBIE]
