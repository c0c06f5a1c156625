"""Profiles: the distinct actions of a skeleton, kept by content so that families can be named without text."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.pvalue import PCollection

from schemas.tables import SCHEMAS
from transforms.embedding.encoding import TextFile, wanted_texts
from transforms.similarity.labels import skeleton_actions
from transforms.store.files import Store
from transforms.store.keys import short_id
from transforms.store.tables import read_table, rows_to_table, write_table

_RULE = 1
"""Raised whenever the actions of a skeleton change."""

_FOLDER = f"layers/profiles/{_RULE}"


def keep_profiles(store: Store, profiles: Mapping[str, Sequence[str]]) -> None:
    """Keep the actions of skeletons under the skeletons' hashes, in one file named after them."""
    if not profiles:
        return
    hashes = sorted(profiles)
    rows = [{"skeleton_hash": each, "actions": list(profiles[each])} for each in hashes]
    path = f"{_FOLDER}/{short_id('profiles', *hashes)}.parquet"
    write_table(store, path, rows_to_table(rows, SCHEMAS["profiles"]))


def find_profiles(store: Store, wanted: Collection[str]) -> dict[str, list[str]]:
    """Return the actions of those of the wanted skeletons that are kept."""
    hashes = pa.array(sorted(wanted), pa.string())
    found: dict[str, list[str]] = {}
    for path in store.list(_FOLDER) if len(hashes) else ():
        table = read_table(store, path)
        table = table.filter(pc.is_in(table["skeleton_hash"], value_set=hashes))
        found |= zip(table["skeleton_hash"].to_pylist(), table["actions"].to_pylist(), strict=True)
    return found


def absent_profiles(store: Store, wanted: Collection[str]) -> set[str]:
    """Return those of the wanted skeletons whose actions are not kept."""
    missing = set(wanted)
    for path in store.list(_FOLDER) if missing else ():
        missing.difference_update(read_table(store, path, ["skeleton_hash"])["skeleton_hash"].to_pylist())
    return missing


@dataclass
class KeepProfiles(beam.PTransform[PCollection[TextFile], PCollection[tuple[str, int]]]):
    """Keep the profiles of the wanted skeletons of each file.

    Takes files of skeletons, gives (file's name, number of profiles kept).

    Args:
        store: Where profiles are kept.
    """

    store: Store

    def expand(self, files: PCollection[TextFile]) -> PCollection[tuple[str, int]]:
        return files | "ProfileFile" >> beam.FlatMap(self._keep)

    def _keep(self, file: TextFile) -> Iterator[tuple[str, int]]:
        profiles = {each: skeleton_actions(text) for texts in wanted_texts(file) for each, text in texts}
        keep_profiles(self.store, profiles)
        yield file.name, len(profiles)
