"""Kept copies: of a run that does not stay, the run that stays for it, with the similarity that was verified."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from schemas.reasons import DecisionReason
from transforms.selecting.decisions import REDUNDANT_REASONS, Verdict


class Repeated(NamedTuple):
    """What a text repeats: that text, and the reason and the similarity that was verified."""

    text: str
    reason: DecisionReason
    similarity: float | None

    @property
    def is_mutual(self) -> bool:
        """Whether the one stands for the other as well: the beginning of a run never stands for the whole of it."""
        return self.reason != DecisionReason.CUT_COPY


class Likeness(NamedTuple):
    """Which texts were found alike.

    Attributes:
        repeated: Text → what it repeats.
        held: Texts that a reference set holds, or that repeat one that it holds.
    """

    repeated: Mapping[str, Repeated]
    held: Collection[str]

    def near(self, text: str, repeating: Collection[str]) -> set[str]:
        """Return the texts alike to one: itself, what it repeats and those that repeat it."""
        repeated = self.repeated.get(text)
        return {text, *repeating, *([repeated.text] if repeated else [])}


def likeness_of(verdicts: Sequence[Verdict], *, ids: Sequence[str], texts: Sequence[str]) -> Likeness:
    """Return which texts were found alike.

    Args:
        verdicts: Verdict of each row, as `first_verdicts` gives them.
        ids: Id of each row.
        texts: What the rows of one text have in common.
    """
    text_of = dict(zip(ids, texts, strict=True))
    repeated: dict[str, Repeated] = {}
    held: dict[str, bool] = {}
    for text, verdict in zip(texts, verdicts, strict=True):
        if verdict.reason in REDUNDANT_REASONS and text_of[verdict.reference_id or ""] != text:
            other = text_of[verdict.reference_id or ""]
            repeated[text] = Repeated(other, verdict.reason, verdict.similarity)
        elif verdict.reason == DecisionReason.IN_REFERENCE_SET:
            held[text] = True
    for text in repeated:
        path = [text]
        while path[-1] not in held and path[-1] in repeated:
            path.append(repeated[path[-1]].text)
        held |= dict.fromkeys(path, held.get(path[-1], False))
    return Likeness(repeated, {text for text, is_held in held.items() if is_held})


class KeptCopies:
    """The best kept row of each text, and of those that repeat it."""

    def __init__(
        self,
        verdicts: Sequence[Verdict],
        kept: Collection[int],
        *,
        ids: Sequence[str],
        ranks: Sequence[int],
        texts: Sequence[str],
    ) -> None:
        self._verdicts = verdicts
        self._ids = ids
        self._texts = texts
        self._repeated = likeness_of(verdicts, ids=ids, texts=texts).repeated
        self._kept_ids = {ids[row] for row in kept}
        self._same: dict[str, int] = {}
        self._repeating: dict[str, int] = {}
        for row in sorted(kept, key=ranks.__getitem__):
            self._same.setdefault(texts[row], row)
            repeated = self._repeated.get(texts[row])
            if repeated and repeated.is_mutual:
                self._repeating.setdefault(repeated.text, row)

    def verdict_of(self, row: int) -> Verdict | None:
        """Return the verdict of a row that does not stay: it names its keeper where that stays, else another copy.

        What a reference set holds names the item of the set.
        """
        text, verdict = self._texts[row], self._verdicts[row]
        if verdict.reference_id in self._kept_ids or verdict.reason == DecisionReason.IN_REFERENCE_SET:
            return verdict
        if text in self._same:
            return Verdict(DecisionReason.EXACT_COPY, self._ids[self._same[text]], 1.0)
        repeated = self._repeated.get(text)
        if repeated and repeated.text in self._same:
            return Verdict(repeated.reason, self._ids[self._same[repeated.text]], repeated.similarity)
        if text in self._repeating:
            copy = self._repeating[text]
            found = self._repeated[self._texts[copy]]
            return Verdict(found.reason, self._ids[copy], found.similarity)
        return None
