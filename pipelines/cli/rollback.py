"""`trajsift rollback`: point a store back at another of its snapshots."""

from typing import Annotated

import typer

from pipelines.cli.places import ConfOption, StoreOption, find_snapshot, open_store
from pipelines.cli.terminal import write_text
from schemas.errors import StoreError
from transforms.store.files import Store
from transforms.store.lock import exclusive
from transforms.store.manifest import Manifest, current_id, set_current


def rollback(
    snapshot: Annotated[str, typer.Argument(metavar="ID", help="Snapshot id or its beginning.")],
    store: StoreOption = None,
    conf: ConfOption = None,
) -> None:
    """Publish an older snapshot again: check its files, then move CURRENT; nothing is deleted or computed."""
    opened = open_store(store, conf)
    manifest = find_snapshot(opened, snapshot)
    with exclusive(opened):
        before = current_id(opened)
        if before == manifest.snapshot_id:
            write_text(f"CURRENT is {before} already; nothing to do\n")
            return
        check_files(opened, manifest)
        set_current(opened, manifest.snapshot_id)
    kept = manifest.funnel.get("kept")
    write_text(f"CURRENT: {before} → {manifest.snapshot_id}" + (f" ({kept:,} kept)\n" if kept is not None else "\n"))


def check_files(store: Store, manifest: Manifest) -> None:
    """Check that every file a manifest names is there with its size.

    Raises:
        StoreError: A file is missing or has another size; CURRENT must stay where it is.
    """
    for file in manifest.all_files():
        fault = None
        if not store.exists(file.path):
            fault = "is missing"
        elif store.size(file.path) != file.size:
            fault = f"has {store.size(file.path):,} bytes, the manifest says {file.size:,}"
        if fault:
            raise StoreError(f"snapshot {manifest.snapshot_id} is damaged: {file.path} {fault}; CURRENT is unchanged")
