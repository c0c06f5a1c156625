"""Globs over paths relative to a root: `*` and `?` stay inside a folder, `**` crosses folders, `[…]` is a class."""

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """Return the expression that matches the whole paths a glob stands for.

    As in a shell, a wildcard at the start of a name does not stand for a leading dot.
    """
    parts = glob.strip("/").split("/")
    expression = ""
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if part == "**":
            expression += r"(?:(?!\.)[^/]+/)*" + (r"(?!\.)[^/]+" if is_last else "")
        else:
            expression += _segment(part) + ("" if is_last else "/")
    return re.compile(expression, re.DOTALL)


def glob_matches(glob: str, path: str) -> bool:
    """Say whether `path` is meant by `glob`: named literally, or matched."""
    return path == glob.strip("/") or glob_pattern(glob).fullmatch(path) is not None


def _segment(part: str) -> str:
    result = r"(?!\.)" if part[:1] in {"*", "?", "["} else ""
    position = 0
    while position < len(part):
        character = part[position]
        closing = part.find("]", position + 2) if character == "[" else -1
        if character == "*":
            result += "[^/]*"
        elif character == "?":
            result += "[^/]"
        elif closing > 0:
            result += _character_class(part[position + 1 : closing])
            position = closing
        else:
            result += re.escape(character)
        position += 1
    return result


def _character_class(inner: str) -> str:
    """Return the expression of `[inner]`; one that is no valid class, such as `[b-a]`, stands for itself."""
    negated = inner[:1] in {"!", "^"}
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner[1:] if negated else inner)
    expression = f"[{'^/' if negated else ''}{members}]"
    try:
        re.compile(expression)
    except re.error:
        return re.escape(f"[{inner}]")
    return expression
