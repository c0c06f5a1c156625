"""What a snapshot is made of, and which snapshot is the published one.

`manifest.json` is written after every file it names; `CURRENT` is one small file, replaced last. Readers follow
CURRENT → manifest → files and never glob.
"""

from dataclasses import dataclass, field
from typing import Any, Self

import orjson

from schemas.errors import StoreError
from transforms.store.files import Store
from transforms.store.packs import TableFile

CURRENT = "CURRENT"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A source unit as the manifest names it."""

    uri: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A snapshot: its identity, inputs, every file of every table, the funnel, and the versions behind it.

    `packs` names the packs that hold the inputs' units. `tables` holds the files of each table, `files` all others
    (settings, exports, report). `funnel` counts rows from what was read to what each dataset uses,
    `summary` says what the lake is like.
    """

    snapshot_id: str
    parent_id: str | None
    run_key: str
    inputs: dict[str, InputFile]
    packs: list[str]
    tables: dict[str, list[TableFile]]
    files: list[TableFile]
    funnel: dict[str, int]
    summary: dict[str, int | float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """Return the store-relative folder of the snapshot."""
        return snapshot_folder(self.snapshot_id)

    def all_files(self) -> list[TableFile]:
        """Return every file the manifest names, the packs' included."""
        return [file for files in self.tables.values() for file in files] + self.files

    def to_json(self) -> bytes:
        """Return the manifest as JSON, keys sorted."""
        return orjson.dumps(self, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2) + b"\n"

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        """Return the manifest that `to_json` wrote.

        Raises:
            StoreError: The content is no manifest.
        """
        try:
            tree: dict[str, Any] = orjson.loads(content)
            return cls(
                **{
                    key: tree[key]
                    for key in ("snapshot_id", "parent_id", "run_key", "packs", "funnel", "summary", "versions")
                },
                inputs={key: InputFile(**value) for key, value in tree["inputs"].items()},
                tables={name: [TableFile(**file) for file in files] for name, files in tree["tables"].items()},
                files=[TableFile(**file) for file in tree["files"]],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"a manifest of the store is damaged: {error}") from error


def snapshot_folder(snapshot_id: str) -> str:
    """Return the store-relative folder of a snapshot."""
    return f"snapshots/{snapshot_id}"


def current_id(store: Store) -> str | None:
    """Return the id of the published snapshot, or None when nothing is published yet."""
    if not store.exists(CURRENT):
        return None
    return store.read_bytes(CURRENT).decode("ascii", "replace").strip()


def read_manifest(store: Store, snapshot_id: str) -> Manifest:
    """Return a snapshot's manifest.

    Raises:
        StoreError: There is no such snapshot.
    """
    path = f"{snapshot_folder(snapshot_id)}/manifest.json"
    if not store.exists(path):
        known = ", ".join(manifest.snapshot_id for manifest in list_snapshots(store)) or "none"
        raise StoreError(f"the store {store.root} has no snapshot {snapshot_id!r}; snapshots: {known}")
    return Manifest.from_json(store.read_bytes(path))


def list_snapshots(store: Store) -> list[Manifest]:
    """Return the manifests of all whole snapshots, ordered by id."""
    paths = [path for path in store.list("snapshots") if path.count("/") == 2 and path.endswith("/manifest.json")]
    return [Manifest.from_json(store.read_bytes(path)) for path in paths]


def write_manifest(store: Store, manifest: Manifest) -> None:
    """Write a snapshot's manifest; every file it names must be there already."""
    store.write_atomic(f"{manifest.folder}/manifest.json", manifest.to_json())


def set_current(store: Store, snapshot_id: str) -> None:
    """Point CURRENT at a snapshot whose manifest is there."""
    store.write_atomic(CURRENT, f"{snapshot_id}\n".encode())
