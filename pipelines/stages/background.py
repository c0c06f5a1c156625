"""The leak alarm at the end of `embed`: do vectors tell the tasks of an environment apart?

Writes `background`, ordered by environment. Text is read only when the alarm goes off, to say what went off.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow.compute as pc
from numpy import float16
from numpy.typing import NDArray

from pipelines.stages.context import StageContext
from schemas.errors import QualityError
from transforms.querying.display import on_one_line
from transforms.similarity.background import Background, Rollout, background_of
from transforms.store.keys import seeded_order
from transforms.store.packs import read_trajectories
from transforms.views.hashes import boilerplate_by_environment
from transforms.views.shared_passages import SharedPassage, body_paragraphs, most_shared

MAX_READ_TASKS: Final = 48
"""Task groups of which one rollout is read to find what they share."""

MIN_SHARED: Final = 0.5
"""Share of those task groups that must hold a passage for it to be named."""

_EXCERPT_CHARS: Final = 160

_WAY_OUT: Final = "If the tasks are that alike, raise these limits or set views.leak_alarm.enabled=false"

_MIN_WARNED: Final = 5
"""Task groups from which the text they share is worth a warning."""


def check_background(context: StageContext, ids: Sequence[str], bodies: NDArray[float16]) -> None:
    """Write the background similarity of every environment, and stop the run where boilerplate leaked into it.

    That is where vectors tell tasks apart no longer, or half of the tasks share one text that is much of their bodies.
    Where bodies of different tasks share less than that, the run warns and names the text.

    Args:
        context: The run.
        ids: The representatives.
        bodies: Their body vectors, shape (representatives, dimensions).

    Raises:
        QualityError: An environment's rollouts of different tasks are alike, or share much of their text; the message
            names the passage they share.
    """
    alarm = context.settings.views.leak_alarm
    found: dict[str, Background] = {}
    rollouts = _rollouts(context, ids)
    signatures = np.load(context.work_dir / "copies" / "minhash.npy", mmap_mode="r")
    for environment in sorted(rollouts):
        found[environment] = background_of(
            rollouts[environment],
            bodies,
            signatures,
            seed=context.seed,
            max_pairs=alarm.max_pairs,
            min_similarity=context.settings.semantic.min_similarity,
        )
    context.write("background", [_row(context, name, background) for name, background in found.items()])
    if not alarm.enabled:
        return
    for environment, background in found.items():
        if background.is_leaking(
            min_task_groups=alarm.min_task_groups,
            max_background_cosine=alarm.max_background_cosine,
            max_cross_task_share=alarm.max_cross_task_share,
        ):
            passage = _shared_passage(context, environment, rollouts[environment])
            raise QualityError(_message(context, environment, background, passage=passage))
        if background.is_sharing(min_task_groups=_MIN_WARNED, max_jaccard=alarm.max_background_jaccard):
            passage = _shared_passage(context, environment, rollouts[environment])
            told = _sharing(context, environment, background, passage=passage)
            is_much = background.is_sharing(
                min_task_groups=alarm.min_task_groups, max_jaccard=alarm.max_shared_jaccard
            )
            if is_much and passage is not None:
                raise QualityError(f"{told} {_WAY_OUT}")
            context.progress.notes.append(f"warning: {told}")


def _rollouts(context: StageContext, ids: Sequence[str]) -> Mapping[str, list[Rollout]]:
    row_of = {traj_id: row for row, traj_id in enumerate(ids)}
    clusters = context.read("clusters", ["traj_id", "task_group", "environment"]).sort_by("traj_id")
    members = np.load(context.work_dir / "copies" / "members.npy", mmap_mode="r")
    found: dict[str, list[Rollout]] = defaultdict(list)
    for each, signature in zip(clusters.to_pylist(), members["signature"].tolist(), strict=True):
        row = row_of.get(each["traj_id"])
        if row is not None:
            found[each["environment"]].append(Rollout(each["traj_id"], each["task_group"], row, signature))
    return found


def _row(context: StageContext, environment: str, background: Background) -> dict[str, str | int | float | None]:
    return {
        "environment": environment,
        "model": context.encoder.identity.name,
        "num_task_groups": background.num_task_groups,
        "num_pairs": background.num_pairs,
        "mean_cosine": background.mean_cosine,
        "p99_cosine": background.p99_cosine,
        "share_similar": background.share_similar,
        "mean_jaccard": background.mean_jaccard,
    }


def _shared_passage(context: StageContext, environment: str, rollouts: Sequence[Rollout]) -> SharedPassage | None:
    """Return what most of the environment's tasks share, read from one rollout of each of some of them."""
    first_of: dict[str, str] = {}
    for each in rollouts:
        first_of[each.task_group] = min(each.traj_id, first_of.get(each.task_group, each.traj_id))
    groups = seeded_order(first_of, seed=context.seed, purpose="leaking passage")[:MAX_READ_TASKS]
    group_of = {first_of[group]: group for group in groups}
    rows = context.read("boilerplate", ["environment", "block_hash"])
    boilerplate = boilerplate_by_environment(rows.filter(pc.equal(rows["environment"], environment)))
    left_out = boilerplate.get(environment, frozenset())
    bodies = {}
    for pack in context.packs:
        wanted = group_of.keys() & set(context.owned_ids[pack.pack_id])
        if wanted:
            for trajectory in read_trajectories(context.store, pack, wanted):
                bodies[group_of[trajectory.traj_id]] = body_paragraphs(trajectory, left_out)
    return most_shared(bodies, min_share=MIN_SHARED)


def _message(context: StageContext, environment: str, background: Background, *, passage: SharedPassage | None) -> str:
    alarm, least = context.settings.views.leak_alarm, context.settings.semantic.min_similarity
    figures = (
        f"{background.num_pairs:,} pairs of rollouts of different tasks have a mean cosine of "
        f"{background.mean_cosine:.3f} (views.leak_alarm.max_background_cosine={alarm.max_background_cosine:g}), and "
        f"{background.share_similar:.1%} of them reach semantic.min_similarity={least:g} "
        f"(views.leak_alarm.max_cross_task_share={alarm.max_cross_task_share:g})"
    )
    return (
        f"environment {on_one_line(environment, max_chars=80)!r}: {context.encoder.identity.name} vectors tell tasks "
        f"apart no longer: {figures}. {_cause(context, passage)} {_WAY_OUT}"
    )


def _sharing(context: StageContext, environment: str, background: Background, *, passage: SharedPassage | None) -> str:
    alarm = context.settings.views.leak_alarm
    return (
        f"environment {on_one_line(environment, max_chars=80)!r}: bodies of different tasks share "
        f"{background.mean_jaccard:.3f} of their word 5-grams on average "
        f"(views.leak_alarm.max_background_jaccard={alarm.max_background_jaccard:g}, "
        f"max_shared_jaccard={alarm.max_shared_jaccard:g}). {_cause(context, passage)}"
    )


def _cause(context: StageContext, passage: SharedPassage | None) -> str:
    if passage is None:
        return f"No passage is shared by {MIN_SHARED:.0%} of the tasks looked at."
    excerpt = on_one_line(passage.text, max_chars=_EXCERPT_CHARS)
    named = (
        f"Block {passage.block_hash}, in {passage.share:.0%} of the tasks looked at, is no boilerplate: {excerpt!r}."
    )
    if passage.is_block:
        views = context.settings.views
        return (
            f"{named} Lower views.boilerplate_min_share={views.boilerplate_min_share:g} or "
            f"views.boilerplate_min_tasks={views.boilerplate_min_tasks}."
        )
    return (
        f"{named} It stands in paragraphs that differ otherwise, or in the agent's words: set it apart by blank lines "
        "in the logs, map the statement of the task (ingest.fields.task_text), or lower views.observation_edge_chars."
    )
