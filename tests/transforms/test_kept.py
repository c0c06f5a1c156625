import os
import subprocess
import sys

import pytest
from numba.core import config

from transforms.kept import keep_bytes, kept_bytes

KEY, KEPT = b"patterns of one release", bytes(range(256)) * 40


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "trajsift"


def test_what_is_kept_is_read_under_its_key_alone(folder):
    assert kept_bytes(KEY) is None
    keep_bytes(KEY, KEPT)
    keep_bytes(b"", b"")

    assert (kept_bytes(KEY), kept_bytes(b"")) == (KEPT, b"")
    assert kept_bytes(KEY + b" and another") is None


def test_only_the_user_may_look_into_the_folder_and_no_draft_stays(folder):
    keep_bytes(KEY, KEPT)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [0o600]


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: kept[:-1],
        lambda kept: kept + b"\x00",
        lambda kept: kept[:100] + bytes([kept[100] ^ 1]) + kept[101:],
        lambda kept: b"",
        lambda kept: kept[43:],
    ],
)
def test_a_damaged_file_is_passed_over_and_made_good(folder, damage):
    keep_bytes(KEY, KEPT)
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))

    assert kept_bytes(KEY) is None
    keep_bytes(KEY, KEPT)
    assert kept_bytes(KEY) == KEPT


def test_a_file_of_another_key_does_not_stand_for_one(folder):
    keep_bytes(KEY, KEPT)
    (file,) = folder.iterdir()
    keep_bytes(b"no patterns at all", b"")
    (other,) = set(folder.iterdir()) - {file}
    file.write_bytes(other.read_bytes())

    assert kept_bytes(KEY) is None


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_may_write_is_neither_read_nor_written(folder, mode):
    keep_bytes(KEY, KEPT)
    folder.chmod(mode)
    keep_bytes(b"another", KEPT)

    assert kept_bytes(KEY) is None
    assert len(list(folder.iterdir())) == 1


def test_a_file_that_others_may_write_is_not_read(folder):
    keep_bytes(KEY, KEPT)
    (file,) = folder.iterdir()
    file.chmod(0o606)

    assert kept_bytes(KEY) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("given", ["folder", "file"])
def test_what_belongs_to_another_user_is_not_read(folder, given):
    keep_bytes(KEY, KEPT)
    os.chown(folder if given == "folder" else next(folder.iterdir()), 12345, -1)

    assert kept_bytes(KEY) is None


def test_links_and_pipes_are_not_followed(folder, tmp_path):
    keep_bytes(KEY, KEPT)
    (file,) = folder.iterdir()
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert kept_bytes(KEY) is None

    file.unlink()
    os.mkfifo(file)
    assert kept_bytes(KEY) is None

    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    keep_bytes(KEY, KEPT)
    assert kept_bytes(KEY) is None


def test_without_a_folder_to_write_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "file"))
    keep_bytes(KEY, KEPT)

    assert kept_bytes(KEY) is None


def test_the_oldest_files_make_room(folder):
    for number in range(70):
        keep_bytes(b"release %d" % number, KEPT)
        newest = max(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
        os.utime(newest, ns=(number, number))

    kept = [number for number in range(70) if kept_bytes(b"release %d" % number)]
    assert len(kept) <= 64
    assert kept[-1] == 69
    assert 0 not in kept


def test_processes_that_keep_the_same_at_a_time_leave_one_whole_file(tmp_path):
    work = (
        "from transforms.kept import keep_bytes, kept_bytes\n"
        "body = bytes(3_000_000)\n"
        "for _ in range(20):\n"
        "    keep_bytes(b'key', body)\n"
        "    assert kept_bytes(b'key') == body\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    running = [subprocess.Popen([sys.executable, "-c", work], env=environment) for _ in range(2)]

    assert [process.wait() for process in running] == [0, 0]
    assert len(list((tmp_path / "trajsift").iterdir())) == 1
