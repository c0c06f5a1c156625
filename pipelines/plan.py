"""What a run would do, decided before any record is read: its units, key, parent, what is new and what is kept."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final

import fsspec

from pipelines.settings_files import LoadedSettings
from schemas.errors import InputError, SettingsError, TrajsiftError
from schemas.records import SourceUnit
from schemas.settings import Settings
from schemas.versions import RENDER_VERSION, SCHEMA_VERSION, STAGE_VERSIONS
from transforms.embedding.choice import EncoderChoice, choose_encoder
from transforms.formats.known_files import KnownFiles, read_known_files
from transforms.formats.units import list_lake, plan_units
from transforms.lexical.signatures import make_engine
from transforms.selecting.seeds import SeedTask, read_seed_file
from transforms.similarity.reference_sets import ReferenceSet, find_reference_set, place_and_snapshot
from transforms.store.files import Store
from transforms.store.keys import canonical_json, sha_hex, short_id
from transforms.store.manifest import Manifest, current_id, read_manifest
from transforms.store.packs import CommitRecord, Pack, plan_packs, read_commits

_VERSIONED_PACKAGES: Final = (
    "trajsift",
    "apache-beam",
    "datasketch",
    "duckdb",
    "faiss-cpu",
    "hdbscan",
    "numpy",
    "openvino",
    "orjson",
    "polars",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "sentence-transformers",
    "torch",
)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a run reads: the lake's units, the seed tasks and the encoder, all resolved; and what it knows of files."""

    units: list[SourceUnit]
    seed_tasks: tuple[SeedTask, ...]
    seed_sha256: str | None
    encoder: EncoderChoice
    known: KnownFiles
    references: tuple[ReferenceSet, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A run before it works.

    `run_key` hashes all that the result depends on; `snapshot_id` hashes it with the parent. `kept` are the parent's
    packs that hold units of this run, `new` the packs to be made.
    """

    run_key: str
    snapshot_id: str
    layer_key: str
    parent: Manifest | None
    kept: list[Pack]
    new: list[Pack]

    @property
    def is_done(self) -> bool:
        """Say whether the published snapshot has this run's key."""
        return self.parent is not None and self.parent.run_key == self.run_key


def find_sources(loaded: LoadedSettings, store: Store) -> Sources:
    """List and hash the lake's units, read the seed file and resolve the encoder.

    Files that are as an earlier run into the store found them are not opened.

    Raises:
        SettingsError: A seed task, the encoder or the device is not usable, or a reference set is not comparable.
        InputError: The lake is missing, empty or out of reach, a pattern matches nothing, or the seed file is missing.
    """
    settings = loaded.settings
    encoder = choose_encoder(
        settings.embedding, device=settings.execution.device, window_tokens=settings.views.window_tokens
    )
    seed_tasks, seed_sha256 = _read_seeds(settings.seed_file)
    with _reaching("lake.root", settings.lake.root):
        filesystem, root = fsspec.core.url_to_fs(settings.lake.root)
        _ask(filesystem, root)
        uris = list_lake(filesystem, root, settings.lake.include, settings.lake.exclude)
    uris = _without_store(uris, settings, root)
    known = read_known_files(store, filesystem, root=root, settings=settings.ingest)
    units = plan_units(filesystem, root, uris, settings.ingest, known=known)
    units.sort(key=lambda unit: (unit.unit_key, unit.uri, unit.byte_start))
    references = _find_references(settings, encoder)
    return Sources(units, tuple(seed_tasks), seed_sha256, encoder, known, references)


@contextmanager
def _reaching(setting: str, place: str) -> Iterator[None]:
    """Turn what goes wrong on the way to a place into an error that names it and the remedy.

    Clients of object stores raise errors of kinds of their own, so of a place with a protocol any error counts.
    """
    try:
        yield
    except TrajsiftError:
        raise
    except Exception as error:
        if "://" not in place and not isinstance(error, OSError):
            raise
        raise InputError(
            f"{setting}: {place} cannot be reached ({type(error).__name__}: {error}); check the address, the network, "
            "the credentials, and that the service is up"
        ) from error


def _ask(filesystem: fsspec.AbstractFileSystem, path: str) -> None:
    """Raise the client's own error where nobody answers: `isdir` and `isfile` then say no, as of a missing path."""
    with suppress(FileNotFoundError, NotADirectoryError):
        filesystem.info(path)


def _without_store(uris: list[str], settings: Settings, root: str) -> list[str]:
    """Leave out the run's own store when it lies inside the lake: what a run writes is no input."""
    with _reaching("store", settings.store):
        _, store = fsspec.core.url_to_fs(settings.store)
    prefix = f"{store.removeprefix(root.rstrip('/') + '/')}/"
    outside = [uri for uri in uris if not uri.startswith(prefix)]
    if not outside:
        raise InputError(f"lake.root: {settings.lake.root} holds no file but those of the store inside it")
    return outside


def _find_references(settings: Settings, encoder: EncoderChoice) -> tuple[ReferenceSet, ...]:
    scheme = make_engine(settings.lexical.engine).scheme
    by_vectors = settings.references.by_vectors and settings.semantic.enabled
    own = settings.store
    if any(own in (text, place_and_snapshot(text)[0]) for text in settings.reference_sets):
        raise SettingsError(
            "reference_sets: a store cannot be compared with itself: what it keeps would be dropped as a repeat"
        )
    return tuple(
        find_reference_set(text, scheme=scheme, identity=encoder.identity, by_vectors=by_vectors)
        for text in settings.reference_sets
    )


def _read_seeds(place: str | None) -> tuple[Sequence[SeedTask], str | None]:
    if place is None:
        return (), None
    with _reaching("seed_file", place):
        filesystem, path = fsspec.core.url_to_fs(place)
        _ask(filesystem, path)
        if not filesystem.isfile(path):
            raise InputError(f"seed_file: there is no file {place}")
        content = filesystem.cat_file(path)
    return read_seed_file(content, Path(place).name), hashlib.sha256(content).hexdigest()


def layer_key(loaded: LoadedSettings) -> str:
    """Return the key of what is kept per unit: all that its rows depend on beside the unit itself."""
    kept = {name: loaded.data_tree[name] for name in ("ingest", "describe")}
    return short_id("layer", canonical_json(kept), STAGE_VERSIONS["ingest"], SCHEMA_VERSION)


def make_plan(loaded: LoadedSettings, sources: Sources, store: Store) -> Plan:
    """Decide what is new and what is kept.

    Units that the parent's packs hold stay there; all others go to new packs, whose content depends on nothing but
    them. So a run that was interrupted and one that was not plan the same packs.
    """
    parent_id = current_id(store)
    parent = None if parent_id is None else read_manifest(store, parent_id)
    key = layer_key(loaded)
    wanted = {unit.unit_key for unit in sources.units}
    known = set() if parent is None else set(parent.packs)
    kept = [commit.pack for commit in read_commits(store, layer_key=key) if commit.pack.pack_id in known]
    kept = [pack for pack in kept if wanted & set(pack.unit_keys)]
    held = {unit_key for pack in kept for unit_key in pack.unit_keys}
    new_units = {unit.unit_key: unit for unit in reversed(sources.units) if unit.unit_key not in held}
    run_key = _run_key(loaded, sources)
    return Plan(
        run_key=run_key,
        snapshot_id=short_id("snapshot", run_key, parent_id),
        layer_key=key,
        parent=parent,
        kept=kept,
        new=plan_packs(list(new_units.values()), layer_key=key),
    )


def _run_key(loaded: LoadedSettings, sources: Sources) -> str:
    return sha_hex(
        canonical_json(sorted(unit.unit_key for unit in sources.units)),
        canonical_json(loaded.data_tree),
        canonical_json(STAGE_VERSIONS),
        canonical_json([SCHEMA_VERSION, RENDER_VERSION, *sources.encoder.identity]),
        sources.seed_sha256,
        canonical_json([reference.name for reference in sources.references]),
    )


def committed(store: Store, packs: Sequence[Pack], *, key: str) -> dict[str, CommitRecord]:
    """Return the commit records there are of the packs, by pack id."""
    wanted = {pack.pack_id for pack in packs}
    records = read_commits(store, layer_key=key)
    return {record.pack.pack_id: record for record in records if record.pack.pack_id in wanted}


def software_versions(encoder: EncoderChoice) -> dict[str, str]:
    """Return the versions a snapshot's bytes depend on: Python, packages, tables, encoder, device class."""
    versions = {"python": python_version(), "schema": SCHEMA_VERSION, "render": RENDER_VERSION}
    for name in _VERSIONED_PACKAGES:
        try:
            versions[name] = version(name)
        except ModuleNotFoundError:
            continue
    identity = encoder.identity
    versions["encoder"] = identity.described
    versions["device_class"] = identity.device_class
    return versions
