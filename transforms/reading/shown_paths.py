"""How the files of a lake are named in all that is stored and told: by their paths without secrets, and found again.

Placeholders are numbered within one path, so a path is shown alike in every run, whatever else the lake holds. Two
files may be shown alike; their contents tell them apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from transforms.reading.lake import shown
from transforms.redaction.catalogue import compiled_catalogue
from transforms.redaction.engine import Redactor
from transforms.redaction.units import encode

_BATCH: Final = 512
"""Paths that one pass looks at together: about 30 KB, so that one with a secret has few others looked at alone."""


def shown_paths(uris: Iterable[str], redactor: Redactor) -> dict[str, str]:
    """Return each path as it is shown: bytes that are no UTF-8 written out, secrets replaced.

    Only what the multi-pattern pass flags is looked at closer.
    """
    paths = {uri: shown(uri) for uri in uris}
    if redactor.enabled:
        for uri in _flagged(paths, personal_data=redactor.personal_data):
            paths[uri] = redactor.redact_text(paths[uri])
    return paths


def _flagged(paths: Mapping[str, str], *, personal_data: bool) -> Iterator[str]:
    """Yield the paths that may hold a secret; each is judged between NULs, so its neighbours do not matter."""
    one_pass = compiled_catalogue(personal_data).one_pass
    all_uris = tuple(paths)
    for first in range(0, len(all_uris), _BATCH):
        uris = all_uris[first : first + _BATCH]
        framed = [b"\x00%b\x00" % encode(paths[uri]) for uri in uris]
        if one_pass(b"".join(framed)):
            yield from (uri for uri, text in zip(uris, framed, strict=True) if one_pass(text))


def found_by_shown_path(uris: Iterable[str], redactor: Redactor) -> dict[str, list[str]]:
    """Return the files of a lake by the path they are shown under: several where only secrets differ.

    A path that no file is shown under names its own file: other settings of redaction may have left it as it is.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for uri, path in shown_paths(uris, redactor).items():
        found[path].append(uri)
    for path, uri in [(shown(uri), uri) for files in tuple(found.values()) for uri in files]:
        found.setdefault(path, [uri])
    return {path: sorted(files) for path, files in found.items()}
