"""Stage sign: the comparable text of every trajectory, as hashes, MinHash signatures and, if short, words in order.

Reads `trajectories`, the blocks of every pack and `boilerplate`; text is read only of views that no earlier run has
signed. Writes `views` (by trajectory id) and `signatures` (by view hash).

Work files for later stages: `<work_dir>/bodies/<pack id>.parquet`, columns `view_hash, traj_id, task_text, body,
skeleton`, row groups of about 8 MB of text. A view stands in them once, in the file of the pack that its smallest
trajectory id counts from. They hold the views that are new to the signatures kept in the store; `ensure_bodies` adds
those of other views.
"""

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Final

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.stages.context import StageContext
from pipelines.stages.identities import Identities, write_identities
from pipelines.stages.parts import WriteParts, read_parts
from schemas.tables import SCHEMAS
from transforms.lexical.signature_cache import keep_signatures, kept_signatures, unique_signatures
from transforms.lexical.signatures import make_engine
from transforms.lexical.signing import SignViews
from transforms.views.hashes import HASHED_VIEW_SCHEMA, HashViews
from transforms.views.rendering import WANTED_SCHEMA, RenderViews

READS: Final = ("trajectories", "blocks", "boilerplate")
WRITES: Final = ("views", "signatures")

BODIES_FOLDER: Final = "bodies"
"""Folder of the body texts below the work folder."""


def run(context: StageContext) -> None:
    """Hash every view and sign those that no earlier run has signed."""
    folder = context.work_dir / "sign"
    identities = write_identities(context, folder / "identities.parquet")
    pq.write_table(context.read("boilerplate", ["environment", "block_hash"]), folder / "boilerplate.parquet")
    hashed = _hash_views(context, folder, identities=identities)
    scheme = make_engine(context.settings.lexical.engine).scheme
    distinct = pc.unique(hashed["view_hash"])
    kept = kept_signatures(context.store, distinct, scheme=scheme)
    is_new = pc.invert(pc.is_in(hashed["view_hash"], value_set=kept["view_hash"].combine_chunks()))
    _want(hashed.filter(is_new), identities, folder=folder / "wanted")
    new = _sign_views(context, folder)
    keep_signatures(context.store, new, scheme=scheme)
    signatures = unique_signatures(pa.concat_tables([kept, new]))
    context.write("signatures", signatures)
    context.write("views", _views_table(hashed, signatures))


def ensure_bodies(context: StageContext, view_hashes: Collection[str]) -> Path:
    """Write the body texts of those of `view_hashes` that have none, and return the folder of all body texts.

    The files it adds are named after packs and the number of files that were there.
    """
    bodies = context.work_dir / BODIES_FOLDER
    folder = context.work_dir / "sign"
    paths = sorted(bodies.glob("*.parquet"))
    present = {value for path in paths for value in _column(path, "view_hash")}
    missing = pa.array(sorted(set(view_hashes) - present), pa.string())
    if len(missing):
        identities = write_identities(context, folder / "identities.parquet")
        hashed = context.read("views", ["traj_id", "view_hash"])
        shutil.rmtree(folder / "more", ignore_errors=True)
        _want(hashed.filter(pc.is_in(hashed["view_hash"], value_set=missing)), identities, folder=folder / "more")
        with context.pipeline("bodies") as pipeline:
            _ = pipeline | "Packs" >> beam.Create(context.packs) | "Render" >> _renderer(context, wanted="more")
        for path in sorted((folder / "more-bodies").glob("*.parquet")):
            bodies.mkdir(exist_ok=True)
            path.replace(bodies / f"{path.stem}-{len(paths)}.parquet")
    return bodies


def _hash_views(context: StageContext, folder: Path, *, identities: Identities) -> pa.Table:
    """Return the hashed views of all trajectories, ordered by id."""
    with context.pipeline("hash views") as pipeline:
        _ = (
            pipeline
            | "Packs" >> beam.Create(context.packs)
            | "SpreadPacks" >> beam.Reshuffle()
            | "HashViews"
            >> HashViews(
                store=context.store,
                identities_path=identities.path,
                environment_names=[name for name, _ in identities.environments.values()],
                boilerplate_path=folder / "boilerplate.parquet",
                observation_edge_chars=context.settings.views.observation_edge_chars,
            )
            | "Write" >> WriteParts(folder / "hashed", HASHED_VIEW_SCHEMA)
        )
    return read_parts(folder / "hashed", HASHED_VIEW_SCHEMA).sort_by("traj_id")


def _want(hashed: pa.Table, identities: Identities, *, folder: Path) -> None:
    """Write, per pack, the trajectories whose views are to be rendered: the smallest id of each view."""
    first = hashed.group_by("view_hash").aggregate([("traj_id", "min")]).rename_columns(["view_hash", "traj_id"])
    names = [name for name, _ in identities.environments.values()]
    known = pq.read_table(identities.path, columns=["traj_id", "pack_id", "environment"])
    wanted = first.join(known, "traj_id", join_type="inner").sort_by("traj_id")
    environments = pa.array([names[position] for position in wanted["environment"].to_pylist()], pa.string())
    wanted = wanted.set_column(wanted.column_names.index("environment"), "environment", environments)
    folder.mkdir(parents=True, exist_ok=True)
    for pack_id in sorted(set(wanted["pack_id"].to_pylist())):
        mine = wanted.filter(pc.equal(wanted["pack_id"], pack_id)).select(WANTED_SCHEMA.names)
        pq.write_table(mine.cast(WANTED_SCHEMA), folder / f"{pack_id}.parquet")


def _renderer(context: StageContext, *, wanted: str) -> RenderViews:
    folder = context.work_dir / "sign"
    return RenderViews(
        store=context.store,
        wanted_dir=folder / wanted,
        boilerplate_path=folder / "boilerplate.parquet",
        bodies_dir=context.work_dir / BODIES_FOLDER if wanted == "wanted" else folder / f"{wanted}-bodies",
        observation_edge_chars=context.settings.views.observation_edge_chars,
    )


def _sign_views(context: StageContext, folder: Path) -> pa.Table:
    with context.pipeline("sign views") as pipeline:
        _ = (
            pipeline
            | "Packs" >> beam.Create(context.packs)
            | "SpreadPacks" >> beam.Reshuffle()
            | "RenderViews" >> _renderer(context, wanted="wanted")
            | "SignViews" >> SignViews(context.settings.lexical.engine)
            | "Write" >> WriteParts(folder / "signed", SCHEMAS["signatures"])
        )
    return read_parts(folder / "signed", SCHEMAS["signatures"])


def _views_table(hashed: pa.Table, signatures: pa.Table) -> pa.Table:
    empty = signatures.filter(pc.equal(signatures["num_shingles"], 0))["view_hash"].combine_chunks()
    return hashed.append_column("is_empty", pc.is_in(hashed["view_hash"], value_set=empty))


def _column(path: Path, name: str) -> list[str]:
    values: list[str] = pq.read_table(path, columns=[name])[name].to_pylist()
    return values
