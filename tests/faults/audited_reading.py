"""Reads hostile files under an audit hook; run as a program of its own, since a hook cannot be taken away.

Prints one JSON object: what was read, and every event that reading data must not cause.
"""

import codecs
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.faults.hostile import CANARY, hostile_files
from tests.faults.reading import Tally, read_lake, write_lake
from tests.faults.samples import sample_files
from transforms.redaction import letters

FILES_PER_LAKE = 250
_FORBIDDEN = (
    "exec", "compile", "import", "marshal.loads", "pickle.find_class", "code.__new__", "os.system", "os.exec",
    "os.posix_spawn", "os.spawn", "os.fork", "os.startfile", "socket.", "ctypes.", "urllib.Request", "ftplib.",
    "http.", "smtplib.", "webbrowser.", "pty.", "shutil.", "os.remove", "os.rename", "os.mkdir", "os.link",
    "os.symlink", "os.chmod", "os.truncate", "sqlite3.", "tempfile.", "winreg.", "syslog.", "builtins.input",
)  # fmt: skip
_JUDGES = (
    letters.is_gibberish, letters.reads_as_words, letters.is_case_noise, letters.switches_classes,
    letters.names_example, letters.is_joined_words, letters.mixture, letters.true_randomness,
)  # fmt: skip
_READER = "transforms.reading.native_child"


class Watch:
    """What happened while it was on that must not."""

    def __init__(self) -> None:
        self.is_on = False
        self.events: list[str] = []
        self.num_readers = 0

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "subprocess.Popen":
            command = arguments[1]
            if isinstance(command, list) and command[-2:] == ["-m", _READER]:
                self.num_readers += 1
                return
            self.events.append(f"{event} {command!r}")
        elif event == "open":
            mode, flags = arguments[1], arguments[2]
            if (isinstance(mode, str) and set(mode) & set("wax+")) or flags & 0o3:
                self.events.append(f"{event} {arguments[0]!r} {mode!r}")
        elif event.startswith(_FORBIDDEN) and not _starts_a_reader(event):
            self.events.append(f"{event} {arguments!r}"[:300])


def _starts_a_reader(event: str) -> bool:
    """Say whether the event is subprocess's own way of starting what `subprocess.Popen` has just been told of."""
    frame = sys._getframe()
    names = set()
    while frame is not None:
        names.add((frame.f_globals.get("__name__"), frame.f_code.co_name))
        frame = frame.f_back  # type: ignore[assignment]
    return event in {"os.posix_spawn", "os.fork", "os.fork_exec"} and ("subprocess", "_execute_child") in names


def main() -> None:
    """Read as many hostile files as the first argument says."""
    count = int(sys.argv[1])
    rng = random.Random(10_000)
    tally, watch = Tally(), Watch()
    sys.addaudithook(watch.see)
    codecs.lookup("utf-8-sig")
    with tempfile.TemporaryDirectory() as folder:
        # What libraries load when they are first used is loaded before the watch begins: compiled loops, too.
        for judge in _JUDGES:
            judge(b"a value")
        for files in (sample_files(), hostile_files(40, random.Random(1))):
            write_lake(Path(folder) / "warm", files)
            read_lake(Path(folder) / "warm", Tally())
        while tally.files < count:
            lake = Path(folder) / "lake"
            write_lake(lake, hostile_files(min(FILES_PER_LAKE, count - tally.files), rng))
            watch.is_on = True
            read_lake(lake, tally)
            watch.is_on = False
            shutil.rmtree(lake)
        canaries = [
            str(path) for path in [*Path(folder).rglob(f"*{CANARY}*"), *Path.cwd().glob(CANARY)] if path.is_file()
        ]
    found = {"events": watch.events[:20], "num_readers": watch.num_readers, "files": tally.files, "told": str(tally)}
    print(json.dumps(found | {"canaries": [path for path in canaries if path.endswith(CANARY)]}))


if __name__ == "__main__":
    main()
