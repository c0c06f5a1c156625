"""Trajectories as views see them: of a pack, the columns that are compared."""

from collections.abc import Collection, Iterator
from typing import Final

from schemas.records import Trajectory
from transforms.store.columns import ReadColumns, read_columns
from transforms.store.files import Store
from transforms.store.packs import Pack

_COLUMNS: Final = ReadColumns(
    header=("instruction",),
    steps=(
        "step_id",
        "source",
        "message",
        "reasoning",
        "command",
        "obs_text",
        "is_error",
        "is_copied_context",
        "is_demo",
    ),
    calls=("tool_name", "tool_kind", "arguments_json", "arguments_raw", "is_error"),
)


def read_comparable(store: Store, pack: Pack, wanted: Collection[str]) -> Iterator[Trajectory]:
    """Rebuild of a pack's trajectories what views are made of; their views are those of whole trajectories.

    Args:
        store: The store the pack lies in.
        pack: The pack.
        wanted: Ids to rebuild. An id that two units of the pack gave is rebuilt once.

    Yields:
        Trajectories, ordered by id inside a row group.
    """
    return read_columns(store, pack, wanted=wanted, columns=_COLUMNS)
