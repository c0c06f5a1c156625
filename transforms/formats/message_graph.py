"""The message graph of a run: each message once, linked to the one before it; each leaf ends a branch.

A branch is a linear conversation. The last branch is the run's own conversation and comes first; a message that an
earlier branch gave is copied context in the others, so that over all branches every message is the run's own once.
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from schemas.reasons import QuarantineReason
from transforms.formats.fields import as_integer, as_object
from transforms.reading.failures import RecordError

MAX_COPIES: Final = 50
"""Messages over all branches, as a multiple of the run's messages: a branch repeats what stands before it, so a
crafted graph could unfold to the square of its size."""
MIN_MESSAGES: Final = 10_000


@dataclass(frozen=True)
class Branch:
    """A path from a root to a leaf.

    `index` counts the leaves in the order of the nodes; `nodes` are the indices of the messages, `own` those that no
    branch before gave.
    """

    index: int
    nodes: tuple[int, ...]
    own: frozenset[int]
    is_trainable: bool


class Graph(NamedTuple):
    """The nodes of a run and their branches, the run's own conversation first."""

    nodes: tuple[dict[str, Any], ...]
    branches: tuple[Branch, ...]


def graph_of(raw: Any) -> Graph:
    """Return the branches of a run's nodes.

    Raises:
        RecordError: The nodes are no list of objects, a parent does not stand before its child, or the branches unfold
            too far.
    """
    if not isinstance(raw, list) or not all(isinstance(node, dict) for node in raw):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`nodes` is no list of objects")
    parents = [_parent(node, index) for index, node in enumerate(raw)]
    followed = {parent for parent in parents if parent is not None}
    leaves = [index for index in range(len(raw)) if index not in followed]
    paths = _paths(parents, leaves)
    accepted = {
        as_integer(link.get("node")) for node in raw for link in _links(node) if link.get("type") == "compaction"
    }
    seen: set[int] = set()
    branches = []
    for index in [len(paths) - 1, *range(len(paths) - 1)] if paths else []:
        leaf = leaves[index]
        is_attempt = any(link.get("type") == "compaction_attempt" for link in _links(raw[leaf]))
        own = frozenset(paths[index]) - seen
        branches.append(Branch(index, paths[index], own, not is_attempt or leaf in accepted))
        seen |= own
    return Graph(tuple(raw), tuple(branches))


def _parent(node: dict[str, Any], index: int) -> int | None:
    parent = node.get("parent")
    if parent is None:
        return None
    if not isinstance(parent, int) or isinstance(parent, bool) or not 0 <= parent < index:
        raise RecordError(
            QuarantineReason.INVALID_MESSAGE, f"node {index}: its parent {str(parent)!r} is not before it"
        )
    return parent


def _paths(parents: list[int | None], leaves: list[int]) -> list[tuple[int, ...]]:
    limit = max(MIN_MESSAGES, MAX_COPIES * len(parents))
    paths, count = [], 0
    for leaf in leaves:
        path, node = [], leaf
        while True:
            path.append(node)
            count += 1
            if count > limit:
                raise RecordError(QuarantineReason.TOO_LARGE, f"the branches unfold to more than {limit} messages")
            above = parents[node]
            if above is None:
                break
            node = above
        paths.append(tuple(reversed(path)))
    return paths


def _links(node: dict[str, Any]) -> list[dict[str, Any]]:
    links = node.get("semantic_parents")
    return [as_object(link) for link in links] if isinstance(links, list) else []
