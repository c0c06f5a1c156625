"""The split of a task group: drawn by hash, so that it never changes as the lake grows."""

from typing import Final

from transforms.store.keys import draw

TRAIN: Final = "train"
VALIDATION: Final = "validation"


def split_of(task_group: str, seed: int, *, validation_share: float) -> str:
    """Return the split in which everything of the task group lies."""
    return VALIDATION if draw(seed, "split", task_group) < validation_share else TRAIN
