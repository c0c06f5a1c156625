"""Which store a verb works on: `--store`, or the one a settings file names."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.settings_files import load_settings
from schemas.errors import SettingsError, StoreError
from transforms.store.files import Store
from transforms.store.manifest import CURRENT, Manifest, current_id, list_snapshots, read_manifest

StoreOption = Annotated[str | None, typer.Option("--store", help="Folder or URL of the store.")]
ConfOption = Annotated[list[Path] | None, typer.Option("--conf", help="Settings file that names the store.")]
SnapshotOption = Annotated[
    str | None, typer.Option("--snapshot", help="Snapshot id or its beginning; the published one when left out.")
]


def open_store(store: str | None, conf: list[Path] | None) -> Store:
    """Return the store that the options name.

    Raises:
        SettingsError: No store is named, or two are.
        StoreError: There is no store where one is named.
    """
    if (store is None) == (not conf):
        fault = "no store is named" if store is None else "both --store and --conf name a store"
        raise SettingsError(f"{fault}; give --store DIR, or --conf FILE whose `store` says where it lies")
    opened = Store(store if store is not None else load_settings(conf or []).settings.store)
    if not opened.exists(CURRENT):
        raise StoreError(f"{opened.root} holds no published snapshot; `trajsift run CONF` publishes one")
    return opened


def find_snapshot(store: Store, wanted: str | None) -> Manifest:
    """Return the manifest of the snapshot with the id, or the beginning of an id, `wanted`; None means CURRENT.

    Raises:
        StoreError: There is no such snapshot, or more than one.
    """
    if wanted is None:
        return read_manifest(store, current_id(store) or "")
    ids = [manifest.snapshot_id for manifest in list_snapshots(store)]
    found = [wanted] if wanted in ids else [name for name in ids if wanted and name.startswith(wanted)]
    if len(found) != 1:
        fault = "no snapshot" if not found else f"{len(found)} snapshots have an id that begins with"
        raise StoreError(f"{fault} {wanted!r} in {store.root}; snapshots: {', '.join(found or ids) or 'none'}")
    return read_manifest(store, found[0])
