"""Labels of a run in task statements: which try or session it is, is no part of what is asked."""

import re
from typing import Final

LABEL: Final = "⟨run⟩"
"""Stands where the number or id of a run stood."""

_TOTAL = r"\s*(?:of|/)\s*\d+"
_COUNTED = rf"attempt\s+#?\d+(?:{_TOTAL})?|(?:run|trial|rollout|try)\s+#?\d+{_TOTAL}"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_HEX = r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,64}"
_NAMED = rf"(?:session(?:\s+id)?|(?:run|rollout|trace)\s+id)\s*[:=#]?\s*(?:{_UUID}|{_HEX})"
_LABEL = rf"(?P<label>{_COUNTED}|{_NAMED})"

_LEADING = re.compile(
    rf"^(?P<open>[ \t]*[\[(<]?){_LABEL}(?=[\])>]|\s*[:,;|–—]|\.(?:\s|$)|\s+-\s|[ \t]*$)", re.IGNORECASE | re.MULTILINE
)
_BRACKETED = re.compile(rf"(?P<open>[\[(<]\s*){_LABEL}(?=\s*[\])>])", re.IGNORECASE)
_NAME = re.compile(r"[a-z]+(?:\s+id\b)?", re.IGNORECASE)


def without_run_labels(text: str) -> str:
    """Return the text with the number or id of every run label replaced by `LABEL`.

    A label stands at the head of a line ("Run 3 of 20: …", "Session 9f8e7d6c") or in brackets ("(attempt 3)"). What a
    sentence names ("compare run 3 of 20 with the first") is what the task is about and stays.
    """
    return _BRACKETED.sub(_labelled, _LEADING.sub(_labelled, text))


def _labelled(match: re.Match[str]) -> str:
    name = _NAME.match(match["label"])
    return f"{match['open']}{name[0] if name else ''} {LABEL}"
