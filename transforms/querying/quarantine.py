"""The quarantine of a snapshot: its records with the files they stood in, filtered and counted."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from schemas.errors import InputError
from transforms.formats.rereading import Quarantined
from transforms.store.files import Store
from transforms.store.manifest import Manifest
from transforms.store.tables import read_table

MAX_NAMED: Final = 5


def quarantined_records(
    store: Store, manifest: Manifest, *, reason: str | None = None, uri: str | None = None
) -> list[Quarantined]:
    """Return the snapshot's quarantined records, ordered by file and place.

    Args:
        store: The store.
        manifest: The snapshot.
        reason: Only those of this reason.
        uri: Only those of files whose path contains this.
    """
    units: dict[str, dict[str, str]] = {}
    for file in manifest.tables.get("inputs", ()):
        for unit in read_table(store, file.path, ["unit_key", "uri", "sha256", "adapter"]).to_pylist():
            units.setdefault(unit["unit_key"], unit)
    records = [
        Quarantined(uri=unit["uri"], unit_sha256=unit["sha256"], adapter=unit["adapter"], **row)
        for file in manifest.tables.get("quarantine", ())
        for row in read_table(store, file.path).to_pylist()
        if (unit := units.get(row["unit_key"])) is not None
    ]
    chosen = [r for r in records if reason in (None, r.reason) and (uri is None or uri in r.uri)]
    return sorted(chosen, key=lambda r: (r.uri, r.byte_offset or 0, len(r.record_key), r.record_key))


def count_records(records: Sequence[Quarantined]) -> list[tuple[str, str, int]]:
    """Return the number of records by reason and file, the most frequent first."""
    counts = Counter((record.reason, record.uri) for record in records)
    return sorted(((*place, count) for place, count in counts.items()), key=lambda row: (-row[2], row[0], row[1]))


def find_record(records: Sequence[Quarantined], wanted: str) -> Quarantined:
    """Return the record that `wanted` names: `<beginning of a unit key>/<record key>`, or a trajectory's id.

    Raises:
        InputError: None or more than one answers to it.
    """
    unit, _, key = wanted.partition("/")
    found = [record for record in records if record.record_key == key and record.unit_key.startswith(unit)]
    found = found if key else [record for record in records if record.trajectory_id == wanted]
    if len(found) == 1:
        return found[0]
    shown = ", ".join(record.identifier for record in (found or records)[:MAX_NAMED]) or "none"
    fault = f"{len(found)} quarantined records answer to" if found else "no quarantined record"
    raise InputError(f"{fault} {wanted!r}; there are: {shown}")
