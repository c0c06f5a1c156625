"""Stage references: which rollouts repeat what was curated before.

Reads `clusters`, `views`, `signatures`, `embeddings` and `boilerplate` of the run, and the reference sets. Writes
`reference_hits`, ordered by trajectory id: the closest item of the first set that holds one.
"""

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.stages.context import StageContext
from transforms.embedding.cache import view_vectors
from transforms.lexical.signatures import signature_matrix
from transforms.querying.display import on_one_line
from transforms.similarity.reference_sets import (
    ReferenceItems,
    ReferenceSet,
    read_reference_set,
    unlike_boilerplate,
    untold_labels,
)
from transforms.similarity.references import Rollouts, match_items
from transforms.store.tables import rows_of

READS: Final = ("clusters", "views", "signatures", "embeddings", "boilerplate")
WRITES: Final = ("reference_hits",)

_NAME_CHARS: Final = 60


def run(context: StageContext) -> None:
    """Compare the rows that stay with each reference set."""
    hits: dict[str, dict[str, Any]] = {}
    if context.references:
        clusters = context.read(
            "clusters", ["traj_id", "task_key", "task_group", "outcome_class", "keeper_id", "environment"]
        )
        group_of_key = dict(zip(clusters["task_key"].to_pylist(), clusters["task_group"].to_pylist(), strict=True))
        kept = clusters.filter(pc.equal(clusters["traj_id"], clusters["keeper_id"])).sort_by("traj_id")
        ids = kept["traj_id"].to_pylist()
        rollouts = _rollouts(context, kept)
        for reference in context.references:
            items = read_reference_set(reference)
            _warn_of_untold_labels(context, reference, items)
            _warn_of_unlike_boilerplate(context, reference, clusters["environment"].unique().to_pylist())
            matched = match_items(
                rollouts,
                items,
                group_of_key=group_of_key,
                min_jaccard=context.settings.lexical.min_similarity,
                min_cosine=context.settings.semantic.min_similarity if reference.has_vectors else None,
            )
            for hit in matched:
                row = {
                    "traj_id": ids[hit.rollout],
                    "reference_set": reference.name,
                    "reference_id": items.ids[hit.item],
                    "method": hit.method,
                    "similarity": hit.similarity,
                }
                hits.setdefault(ids[hit.rollout], row)
    context.write("reference_hits", [hits[traj_id] for traj_id in sorted(hits)])


def _warn_of_untold_labels(context: StageContext, reference: ReferenceSet, items: ReferenceItems) -> None:
    untold = untold_labels(items)
    if not untold:
        return
    lacking = " and ".join(f"{count:,} tell no {name}" for name, count in untold.items())
    what = {"task_key": "of any task", "outcome_class": "of any outcome, successes with failures"}
    context.progress.notes.append(
        f"warning: reference_sets: of the {len(items.ids):,} items of {reference.place} {lacking}: they are compared "
        f"with rollouts {' and '.join(what[name] for name in untold)}; name the store instead, or add the columns"
    )


def _warn_of_unlike_boilerplate(context: StageContext, reference: ReferenceSet, environments: list[str]) -> None:
    boilerplate = context.read("boilerplate", ["environment", "block_hash"])
    unlike = unlike_boilerplate(reference, boilerplate, environments)
    if not unlike:
        return
    name = on_one_line(unlike[0], max_chars=_NAME_CHARS)
    more = f" and {len(unlike) - 1:,} more" if len(unlike) > 1 else ""
    context.progress.notes.append(
        f"warning: reference_sets: {reference.place} takes other text of environment "
        f"{name!r}{more} for boilerplate than this run: copies there may look "
        "unlike and stay; curate the batches as one lake to see them all"
    )


def _rollouts(context: StageContext, kept: pa.Table) -> Rollouts:
    views = context.read("views", ["traj_id", "view_hash", "is_empty"])
    views = rows_of(views, "traj_id", kept["traj_id"])
    signatures = rows_of(context.read("signatures", ["view_hash", "minhash"]), "view_hash", views["view_hash"])
    signed = np.where(views["is_empty"].to_numpy()[:, None], np.uint32(0), signature_matrix(signatures["minhash"]))
    embeddings = context.read("embeddings", ["traj_id", "view", "vector"])
    return Rollouts(
        ids=kept["traj_id"].to_pylist(),
        task_groups=kept["task_group"].to_pylist(),
        outcome_classes=kept["outcome_class"].to_pylist(),
        signatures=signed,
        vectors=view_vectors(embeddings, "body").of(kept["traj_id"]),
    )
