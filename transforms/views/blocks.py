"""Blocks: the paragraphs of a trajectory that other trajectories may share.

A block is a paragraph (text between blank lines) of the task's statement, of a user's message or of an observation
with at least `MIN_BLOCK_CHARS` characters. System prompts, demonstrations and copied context give no block: they are
in no view, whatever their share.
"""

from collections.abc import Collection, Iterable
from typing import Any

from schemas.records import Trajectory
from schemas.versions import RENDER_VERSION
from transforms.store.keys import short_id, text_id
from transforms.views.passages import TASK_STEP, PassageKind, passages_of
from transforms.views.skeletons import skeleton

MIN_BLOCK_CHARS = 40
"""Shorter paragraphs (`ok`, `File not found`) say what happened and are no template; they stay in every view."""

_OBSERVATION, _TASK = PassageKind.OBSERVATION, PassageKind.TASK

REST_INDEX = 0
"""Block index of the row that hashes what no block holds."""


def blocks_of(trajectory: Trajectory) -> list[dict[str, Any]]:
    """Return the trajectory's rows of the table `blocks`: the rest first, then every block in the order of the text.

    Equal rows mean equal passages and skeletons, hence equal views under equal boilerplate and settings.
    """
    traj_id = trajectory.traj_id
    rest: list[str | int | None] = [RENDER_VERSION, skeleton(trajectory)]
    num_rest_chars = 0
    rows: list[dict[str, Any]] = []
    for step_id, kind, paragraphs in passages_of(trajectory):
        rest += [step_id, kind.value, len(paragraphs)]
        for text in paragraphs:
            if is_block(text, kind=kind):
                rest.append(None)
                block_hash = hash_of_block(text)
                rows.append(_row(traj_id, step_id, index=len(rows) + 1, block_hash=block_hash, num_chars=len(text)))
            else:
                rest.append(text)
                num_rest_chars += len(text)
    block_hash = short_id("rest", *rest)
    return [_row(traj_id, TASK_STEP, index=REST_INDEX, block_hash=block_hash, num_chars=num_rest_chars), *rows]


def is_block(paragraph: str, *, kind: PassageKind) -> bool:
    """Say whether a paragraph is a block, which boilerplate may take out of a view."""
    return len(paragraph) >= MIN_BLOCK_CHARS and (kind is _OBSERVATION or kind is _TASK)


def hash_of_block(paragraph: str) -> str:
    """Return the hash under which equal paragraphs of different runs meet."""
    return text_id("block", paragraph.encode("utf-8", "surrogatepass"))


def view_hash(
    blocks: Iterable[tuple[int, int, str]], boilerplate: Collection[str], *, observation_edge_chars: int
) -> str:
    """Return the hash of a trajectory's comparable text: equal hashes mean equal body, skeleton and task text.

    Args:
        blocks: (block_index, step_id, block_hash) of all its rows, in any order.
        boilerplate: Block hashes that its environment's views leave out.
        observation_edge_chars: Characters kept at each end of an observation, as the body is made with.
    """
    parts: list[str | int | None] = ["view", RENDER_VERSION, observation_edge_chars]
    for _, step_id, block_hash in sorted(blocks):
        is_left_out = block_hash in boilerplate
        parts.append(None if is_left_out else block_hash)
        # A statement that is boilerplate from end to end is compared whole, so what it says counts even then.
        if is_left_out and step_id == TASK_STEP:
            parts.append(block_hash)
    return short_id(*parts)


def _row(traj_id: str, step_id: int, *, index: int, block_hash: str, num_chars: int) -> dict[str, Any]:
    return {
        "traj_id": traj_id,
        "step_id": step_id,
        "block_index": index,
        "block_hash": block_hash,
        "num_chars": num_chars,
    }
