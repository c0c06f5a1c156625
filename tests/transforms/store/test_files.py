import errno
import os
import pickle
from pathlib import Path

import pytest

from schemas.errors import DiskFullError, StoreError
from transforms.store.files import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def test_written_files_are_read_back_and_listed(store: Store) -> None:
    store.write_atomic("b/two", b"2")
    store.write_atomic("b/c/one", b"1")
    assert store.read_bytes("b/two") == b"2"
    assert store.list("b") == ["b/c/one", "b/two"]
    assert store.list("nothing") == []
    assert store.size("b/two") == 1
    assert store.sha256("b/two") == "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"


def test_a_failed_write_leaves_the_old_file_and_no_rest(store: Store, tmp_path: Path) -> None:
    store.write_atomic("name", b"old")

    def fail() -> None:
        with store.writer("name") as file:
            file.write(b"half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert store.read_bytes("name") == b"old"
    assert os.listdir(tmp_path / "store") == ["name"]


def test_put_if_absent_never_replaces(store: Store) -> None:
    assert store.put_if_absent("lock", b"first")
    assert not store.put_if_absent("lock", b"second")
    assert store.read_bytes("lock") == b"first"


@pytest.mark.parametrize("path", ["../out", "/etc/passwd", "a/../../b", "", "a\0b"])
def test_paths_that_leave_the_store_are_refused(store: Store, path: str) -> None:
    with pytest.raises(StoreError, match="no path inside a store"):
        store.write_atomic(path, b"")


def test_missing_file_is_a_clear_error(store: Store) -> None:
    with pytest.raises(StoreError, match="gone is missing from the store"):
        store.read_bytes("gone")


def test_no_space_is_a_clear_error(store: Store) -> None:
    with pytest.raises(DiskFullError, match="no space left"), store.writer("big"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_store_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot write lock"):
        store.put_if_absent("lock", b"")
    with pytest.raises(StoreError, match="cannot write a/b"):
        store.write_atomic("a/b", b"")


def test_a_store_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    Store(str(tmp_path / "made" / "later")).check_writable()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["file", "file/below", "n" * 300, "loop", "loop/below"])
def test_a_place_where_no_store_can_lie_is_a_clear_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StoreError, match="^store: nothing can be written in"):
        Store(str(tmp_path / place)).check_writable()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system keeps no folder of its processes")
def test_a_folder_that_takes_no_other_is_a_clear_error() -> None:
    with pytest.raises(StoreError, match="^store: nothing can be written in /proc"):
        Store("/proc/trajsift-store").check_writable()


def test_delete_is_idempotent(store: Store) -> None:
    store.write_atomic("a/b", b"")
    store.delete("a/b")
    store.delete("a/b")
    store.write_atomic("a/c", b"")
    store.delete_folder("a")
    store.delete_folder("a")
    assert store.list("a") == []


def test_a_pickled_store_reads_the_same_files(store: Store) -> None:
    store.write_atomic("x", b"1")
    assert pickle.loads(pickle.dumps(store)).read_bytes("x") == b"1"
