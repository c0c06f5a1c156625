"""Stage families: behaviour families among the rows that stay, per kind of environment.

Reads `clusters`, `trajectories`, `views`, `signatures`, the vectors of `embed` and the profiles kept in the store.
Rewrites `clusters` with the family columns, every row having the family of its final keeper, and writes `lineage`,
ordered by kind, new id and old id.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipelines.stages.context import StageContext
from pipelines.stages.embed import VECTORS_FOLDER
from pipelines.stages.parts import WriteParts, read_parts
from pipelines.stages.similar import SEMANTIC_KIND, parent_groups
from transforms.similarity.cluster_rows import with_families
from transforms.similarity.engines import NOISE, Points
from transforms.similarity.families import FAMILY_SCHEMA, FindFamilies, family_points
from transforms.similarity.labels import family_label, medoid
from transforms.similarity.lineage import inherit_ids, lineage_rows
from transforms.similarity.profiles import find_profiles
from transforms.store.keys import seeded_order

READS: Final = ("clusters", "trajectories", "views", "signatures")
WRITES: Final = ("clusters", "lineage")

FAMILY_KIND: Final = "family"
"""Kind of families in `lineage`."""

MAX_NAMED_MEMBERS: Final = 200
"""Members, drawn by hash, whose actions name a family; a kind of environment is known by ten times as many."""


class Kept(NamedTuple):
    """The rows that stay, ordered by id: rows of `clusters`, ids, copies with itself, kinds of environment, points."""

    rows: NDArray[np.int64]
    ids: list[str]
    counts: NDArray[np.int64]
    kinds: list[str]
    points: Points


class Found(NamedTuple):
    """The families of the kept rows: provisional name of each (None: noise) and how surely it belongs there."""

    names: list[str | None]
    probabilities: NDArray[np.float64]


def run(context: StageContext) -> None:
    """Find, name and publish the families, and trace groups and families to the parent snapshot."""
    clusters = context.read("clusters").sort_by("traj_id")
    kept = _kept(context, clusters)
    found = _find(context, kept)
    groups = {each: name for each, name in zip(kept.ids, found.names, strict=True) if name is not None}
    parent = parent_groups(context, "family_id")
    published = inherit_ids(groups, parent, kind=FAMILY_KIND)
    labels, medoids = _name(context, kept, groups={member: published[name] for member, name in groups.items()})
    families: list[str | None] = [None] * clusters.num_rows
    probabilities = np.zeros(clusters.num_rows)
    for row, name, probability in zip(kept.rows.tolist(), found.names, found.probabilities.tolist(), strict=True):
        families[row] = None if name is None else published[name]
        probabilities[row] = probability
    clusters = with_families(clusters, families, probabilities=probabilities, labels=labels, medoids=medoids)
    context.write("clusters", clusters)
    context.write("lineage", _lineage(context, clusters, parent_families=parent))


def _kept(context: StageContext, clusters: pa.Table) -> Kept:
    rows = np.flatnonzero(pc.equal(clusters["traj_id"], clusters["keeper_id"]).to_numpy())
    ids = clusters["traj_id"].take(pa.array(rows)).combine_chunks()
    trajectories = context.read("trajectories", ["traj_id", "env_type"])
    places = pc.index_in(ids, value_set=trajectories["traj_id"].combine_chunks())
    vectors = context.work_dir / VECTORS_FOLDER
    embedded = np.searchsorted(np.load(vectors / "ids.npy"), np.asarray(ids.to_pylist(), dtype=np.str_))
    skeletons = np.load(vectors / "skeleton.npy", mmap_mode="r")[embedded]
    bodies = np.load(vectors / "body.npy", mmap_mode="r")[embedded]
    return Kept(
        rows,
        ids.to_pylist(),
        clusters["group_size"].to_numpy()[rows].astype(np.int64),
        trajectories["env_type"].take(places).to_pylist(),
        family_points(skeletons, bodies),
    )


def _find(context: StageContext, kept: Kept) -> Found:
    folder = context.work_dir / "families"
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "points.npy", kept.points)
    np.save(folder / "ids.npy", np.asarray(kept.ids, dtype=np.str_))
    np.save(folder / "counts.npy", kept.counts)
    settings = context.settings.families
    kinds = sorted(set(kept.kinds))
    of_kind = np.asarray(kept.kinds, dtype=np.str_)
    elements = [(f"{number:03d}", np.flatnonzero(of_kind == kind)) for number, kind in enumerate(kinds)]
    with context.pipeline("families") as pipeline:
        _ = (
            pipeline
            | "Kinds" >> beam.Create(elements)
            | "SpreadKinds" >> beam.Reshuffle()
            | "FindFamilies"
            >> FindFamilies(
                points_path=folder / "points.npy",
                ids_path=folder / "ids.npy",
                counts_path=folder / "counts.npy",
                engine=settings.engine,
                min_cluster_size=settings.min_cluster_size,
                min_samples=settings.min_samples,
                min_similarity=settings.min_similarity,
                max_points=settings.max_points,
                seed=context.seed,
            )
            | "Write" >> WriteParts(folder / "found", FAMILY_SCHEMA)
        )
    found = read_parts(folder / "found", FAMILY_SCHEMA).sort_by("row")
    names = [
        None if family == NOISE else f"{kind}/{family}"
        for kind, family in zip(kept.kinds, found["family"].to_pylist(), strict=True)
    ]
    return Found(names, found["probability"].to_numpy())


def _name(context: StageContext, kept: Kept, *, groups: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the label and the medoid of each family.

    Args:
        context: The run.
        kept: The rows that stay.
        groups: Member → published id of its family.
    """
    place = {each: row for row, each in enumerate(kept.ids)}
    members: dict[str, list[str]] = defaultdict(list)
    everyone: dict[str, list[str]] = defaultdict(list)
    for each, kind in zip(kept.ids, kept.kinds, strict=True):
        everyone[kind].append(each)
        if each in groups:
            members[groups[each]].append(each)
    shown = {family: _drawn(context, ids, count=MAX_NAMED_MEMBERS) for family, ids in members.items()}
    known = {kind: _drawn(context, ids, count=10 * MAX_NAMED_MEMBERS) for kind, ids in everyone.items()}
    actions = _actions(context, {each for ids in (*shown.values(), *known.values()) for each in ids})
    labels: dict[str, str] = {}
    medoids: dict[str, str] = {}
    for family, ids in members.items():
        kind = kept.kinds[place[ids[0]]]
        labels[family] = family_label(
            [actions[each] for each in shown[family]], [actions[each] for each in {*known[kind], *shown[family]}]
        )
        medoids[family] = medoid(kept.points[[place[each] for each in ids]], ids)
    return labels, medoids


def _drawn(context: StageContext, ids: Sequence[str], *, count: int) -> list[str]:
    return list(ids) if len(ids) <= count else seeded_order(ids, seed=context.seed, purpose="family names")[:count]


def _actions(context: StageContext, ids: set[str]) -> dict[str, list[str]]:
    """Return the distinct actions of each trajectory's skeleton."""
    views = context.read("views", ["traj_id", "view_hash"])
    views = views.filter(pc.is_in(views["traj_id"], value_set=pa.array(sorted(ids), pa.string())))
    texts = context.read("signatures", ["view_hash", "skeleton_hash"])
    places = pc.index_in(views["view_hash"], value_set=texts["view_hash"].combine_chunks())
    skeleton_of = dict(zip(views["traj_id"].to_pylist(), texts["skeleton_hash"].take(places).to_pylist(), strict=True))
    profiles = find_profiles(context.store, set(skeleton_of.values()))
    return {each: profiles.get(skeleton_hash, []) for each, skeleton_hash in skeleton_of.items()}


def _lineage(
    context: StageContext, clusters: pa.Table, *, parent_families: Mapping[str, str]
) -> list[dict[str, str | None]]:
    """Return the rows of `lineage`: families, and semantic groups that have or had two members or more."""
    ids = clusters["traj_id"].to_pylist()
    families = {
        each: family for each, family in zip(ids, clusters["family_id"].to_pylist(), strict=True) if family is not None
    }
    semantic = dict(zip(ids, clusters["semantic_group"].to_pylist(), strict=True))
    parent = parent_groups(context, "semantic_group")
    shared = _shared_members(semantic) | _shared_members(parent)
    rows = lineage_rows(families, parent_families, kind=FAMILY_KIND)
    rows += lineage_rows(
        {each: group for each, group in semantic.items() if each in shared},
        {each: group for each, group in parent.items() if each in shared},
        kind=SEMANTIC_KIND,
    )
    return rows


def _shared_members(groups: Mapping[str, str]) -> set[str]:
    """Return the members that are not alone in their group."""
    counts: dict[str, int] = defaultdict(int)
    for group in groups.values():
        counts[group] += 1
    return {member for member, group in groups.items() if counts[group] > 1}
