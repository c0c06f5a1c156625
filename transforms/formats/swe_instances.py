"""What the name of a SWE-bench-like instance says: its repository and, for synthetic bugs, the commit."""

import re
from typing import Final, NamedTuple

_NAME: Final = re.compile(r"(?P<owner>[^_].*?)__(?P<repo>[^.]+?)(?:-\d+|\.(?P<commit>[0-9a-f]{8,40})\..*)")


class Origin(NamedTuple):
    """Where an instance comes from."""

    repo: str | None
    commit: str | None


def origin_of(instance_id: str | None) -> Origin:
    """Return the origin that `<owner>__<repo>-<number>` or `<owner>__<repo>.<commit>.<bug>` names, else none."""
    found = _NAME.fullmatch(instance_id or "")
    return Origin(f"{found['owner']}/{found['repo']}", found["commit"]) if found else Origin(None, None)
