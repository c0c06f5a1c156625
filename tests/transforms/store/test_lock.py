import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from schemas.errors import StoreLockedError
from transforms.store.files import Store
from transforms.store.lock import LOCK, exclusive


def test_a_held_store_refuses_a_second_run(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    with exclusive(store), pytest.raises(StoreLockedError, match=f"held by process {os.getpid()}"), exclusive(store):
        pass
    assert not store.exists(LOCK)


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    code = "import sys, os\nfrom transforms.store.lock import exclusive\nfrom transforms.store.files import Store\n"
    code += "lock = exclusive(Store(sys.argv[1]))\nlock.__enter__()\nos._exit(9)\n"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    store = Store(str(tmp_path))
    assert store.exists(LOCK)
    with exclusive(store):
        assert orjson.loads(store.read_bytes(LOCK))["pid"] == os.getpid()


def test_the_lock_of_another_machine_is_respected(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_atomic(LOCK, orjson.dumps({"pid": 1, "host": "elsewhere", "started": 0.0}))
    with pytest.raises(StoreLockedError, match="on elsewhere"), exclusive(store):
        pass


def test_a_torn_lock_file_is_taken_over(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_atomic(LOCK, b"{")
    with exclusive(store):
        assert store.exists(LOCK)
