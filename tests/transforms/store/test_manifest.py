from pathlib import Path

import pytest

from schemas.errors import StoreError
from transforms.store.files import Store
from transforms.store.manifest import (
    InputFile,
    Manifest,
    current_id,
    list_snapshots,
    read_manifest,
    set_current,
    write_manifest,
)
from transforms.store.packs import TableFile

MANIFEST = Manifest(
    snapshot_id="s1",
    parent_id=None,
    run_key="k",
    inputs={"u": InputFile("a.jsonl", 3, "f" * 64)},
    packs=["p1"],
    tables={"decisions": [TableFile("snapshots/s1/tables/decisions.parquet", "0" * 64, 2, 9)]},
    files=[],
    funnel={"read": 2},
    versions={"pyarrow": "1"},
)


def test_a_manifest_is_read_back(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    assert current_id(store) is None
    write_manifest(store, MANIFEST)
    set_current(store, "s1")
    assert current_id(store) == "s1"
    assert read_manifest(store, "s1") == MANIFEST
    assert list_snapshots(store) == [MANIFEST]


def test_an_unknown_snapshot_is_named_with_those_there_are(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    write_manifest(store, MANIFEST)
    with pytest.raises(StoreError, match="no snapshot 'gone'; snapshots: s1"):
        read_manifest(store, "gone")


def test_a_damaged_manifest_is_said(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write_atomic("snapshots/s1/manifest.json", b"[]")
    with pytest.raises(StoreError, match="damaged"):
        read_manifest(store, "s1")
