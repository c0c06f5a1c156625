import os
import pickle

import fsspec
import pytest

from schemas.errors import InputError
from transforms.reading.lake import Lake, Listing, list_lake, shown, walk_lake

FS = fsspec.filesystem("file")


@pytest.fixture
def lake(tmp_path):
    for name in ("a.jsonl", "x/b.jsonl", "x/y/c.json", "x/.hidden/d.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    return tmp_path


def test_overlapping_globs_name_a_file_once(lake):
    assert list_lake(FS, str(lake), ["**/*.jsonl", "x/*", "a.jsonl"]) == ["a.jsonl", "x/b.jsonl"]


def test_files_are_found_by_the_path_of_their_folder(lake):
    folders = Listing(("a.json", "x/b.json", "x/c.json", "y/x/d.json")).by_folder
    assert folders == {"": ["a.json"], "x": ["x/b.json", "x/c.json"], "y/x": ["y/x/d.json"]}


def test_excluded_files_are_left_out(lake):
    assert list_lake(FS, str(lake), ["**/*"], ["x/**"]) == ["a.jsonl"]


def test_fto_10_pattern_without_a_match_is_named(lake):
    with pytest.raises(InputError, match=r"lake.include: '\*\*/\*.parquet' matches no file"):
        list_lake(FS, str(lake), ["**/*.jsonl", "**/*.parquet"])


def test_missing_root_and_empty_lake_are_named(tmp_path):
    with pytest.raises(InputError, match="no folder at .*missing"):
        list_lake(FS, str(tmp_path / "missing"), ["**/*"])
    with pytest.raises(InputError, match="holds no file"):
        list_lake(FS, str(tmp_path), ["**/*"])


def test_excluding_everything_is_refused(lake):
    with pytest.raises(InputError, match="nothing is left"):
        list_lake(FS, str(lake), ["**/*"], ["**/*"])


def test_loops_end_and_every_path_that_is_no_folder_is_listed(lake):
    (lake / "x" / "loop").symlink_to(lake)
    (lake / "dead.jsonl").symlink_to(lake / "nowhere")
    (lake / "round.jsonl").symlink_to(lake / "round.jsonl")
    (lake / "copy.jsonl").symlink_to(lake / "a.jsonl")
    (lake / "folder.jsonl").mkdir()
    os.mkfifo(lake / "pipe.jsonl")
    names = ["a.jsonl", "copy.jsonl", "dead.jsonl", "pipe.jsonl", "round.jsonl", "x/b.jsonl"]
    assert list_lake(FS, str(lake), ["**/*.jsonl"]) == names
    for name in ("dead.jsonl", "pipe.jsonl", "round.jsonl"):
        with pytest.raises(OSError, match=name):
            Lake(FS, str(lake)).open(name)


def test_names_that_are_no_text_are_written_out():
    assert shown("a/b.jsonl") == "a/b.jsonl"
    assert shown("bad\udcff.jsonl") == "bad\\udcff.jsonl"


def test_listing_finds_files_by_name():
    listing = Listing(("a/report.json", "b/report.json", "b/x.traj"))
    assert (listing.named("report.json"), listing.named("y")) == (["a/report.json", "b/report.json"], [])


def test_lake_in_memory_is_listed_and_read_after_pickling():
    fs = fsspec.filesystem("memory")
    fs.pipe("/lake_test/a/b.jsonl", b"{}")
    assert walk_lake(fs, "/lake_test").uris == ("a/b.jsonl",)
    assert pickle.loads(pickle.dumps(Lake(fs, "/lake_test"))).open("a/b.jsonl").read() == b"{}"
