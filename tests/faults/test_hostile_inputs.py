"""Hostile inputs are data: under an audit hook nothing is run, fetched, loaded or written while they are read."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import audited_reading

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


def test_the_watch_sees_what_hostile_input_would_cause() -> None:
    watch = audited_reading.Watch()
    watch.is_on = True
    caused = [
        ("exec", ()), ("compile", (b"x", "<string>")), ("import", ("evil", None, None)), ("socket.connect", ()),
        ("pickle.find_class", ("os", "system")), ("ctypes.dlopen", ("x",)), ("os.system", (b"touch x",)),
        ("subprocess.Popen", ("sh", ["sh", "-c", "touch x"], None, None)), ("open", ("/tmp/x", "w", 0o1101)),
        ("os.posix_spawn", ("sh", [], {})),
    ]  # fmt: skip
    for event, arguments in caused:
        watch.see(event, arguments)
    assert len(watch.events) == len(caused)
    reader = [sys.executable, "-B", "-P", "-m", "transforms.reading.native_child"]
    watch.see("subprocess.Popen", (sys.executable, reader, None, None))
    watch.see("open", ("/lake/a.jsonl", "rb", 0))
    assert (len(watch.events), watch.num_readers) == (len(caused), 1)


def test_reading_hostile_files_does_nothing_but_read(
    tmp_path: Path, faults: Callable[[int, int], int], say: Callable[[str], None]
) -> None:
    count = faults(1_500, 10_000)
    done = subprocess.run(
        [sys.executable, "-m", audited_reading.__name__, str(count)],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    say(f"hostile inputs: {found['told']}; {found['num_readers']} reading processes, {len(found['events'])} events")
    assert found["events"] == []
    assert found["canaries"] == []
    assert found["files"] == count
    assert list(tmp_path.iterdir()) == []
