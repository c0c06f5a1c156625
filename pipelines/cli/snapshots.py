"""`trajsift snapshots`: the snapshots of a store."""

from collections.abc import Sequence
from typing import Any

from pipelines.cli.places import ConfOption, StoreOption, open_store
from pipelines.cli.terminal import show_rows
from transforms.store.manifest import Manifest, current_id, list_snapshots

COLUMNS = ("", "snapshot", "parent", "read", "trajectories", "kept", "files")


def snapshots(store: StoreOption = None, conf: ConfOption = None) -> None:
    """List the snapshots of a store, parents before children; CURRENT is marked."""
    opened = open_store(store, conf)
    current = current_id(opened)
    show_rows(COLUMNS, [_row(manifest, current) for manifest in parents_first(list_snapshots(opened))])


def parents_first(manifests: Sequence[Manifest]) -> list[Manifest]:
    """Return the manifests ordered by their distance from a snapshot without a known parent, ties by id."""
    parents = {manifest.snapshot_id: manifest.parent_id for manifest in manifests}

    def depth(manifest: Manifest) -> int:
        seen: set[str] = set()
        name = manifest.parent_id
        while name in parents and name not in seen:
            seen.add(name)
            name = parents[name]
        return len(seen)

    return sorted(manifests, key=lambda manifest: (depth(manifest), manifest.snapshot_id))


def _row(manifest: Manifest, current: str | None) -> list[Any]:
    counts = [manifest.funnel.get(name) for name in ("read", "trajectories", "kept")]
    mark = "CURRENT" if manifest.snapshot_id == current else ""
    return [mark, manifest.snapshot_id, manifest.parent_id, *counts, len(manifest.all_files())]
