"""Replace secrets by numbered placeholders, before anything is stored.

One multi-pattern pass over a rollout's texts, without those that many rollouts share and that are known to be clean,
says which rules could match; a clean rollout costs nothing more.
A flagged one is taken apart into its texts, decoded, and only its flagged rules run over all of them at once, again
until nothing is found in what is left: so redacting twice changes nothing. A secret known from its context is replaced
wherever it stands bare.
"""

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Self

from schemas.records import Message, Rollout
from schemas.settings.ingest import RedactionSettings
from transforms.redaction.catalogue import PERSONAL_KINDS, Catalogue, IsAllowed, Search, allows, compiled_catalogue
from transforms.redaction.fields import ScannedTexts, scanned_texts
from transforms.redaction.maintained import Finding
from transforms.redaction.notes import note_rollout, put_back
from transforms.redaction.placeholders import Placeholders, covered
from transforms.redaction.shared import SharedTexts
from transforms.redaction.splits import mend_splits
from transforms.redaction.suspects import could_decode, could_speak
from transforms.redaction.units import Edit, Page, Unit, apply_edits, decode, encode


@dataclass(frozen=True)
class Redactor:
    """Redacts rollouts and single texts.

    Args:
        enabled: Off, everything is handed back as it came.
        allow: Literals that are never redacted, alone or as the text around a match.
        personal_data: Also replace e-mail addresses, phone numbers and public IPv4 addresses.
    """

    enabled: bool = True
    allow: Collection[str] = ()
    personal_data: bool = False

    @classmethod
    def of(cls, settings: RedactionSettings) -> Self:
        """Return the redactor that the settings ask for."""
        return cls(enabled=settings.enabled, allow=settings.allow, personal_data=settings.personal_data)

    def redact_rollout(self, rollout: Rollout) -> tuple[Rollout, dict[str, int]]:
        """Return the rollout without secrets, and how many places were replaced, by kind."""
        if not self.enabled:
            return rollout, {}
        catalogue = compiled_catalogue(self.personal_data)
        known = _shared_texts(self.personal_data).known_of(rollout)
        scanned = scanned_texts(rollout, known)
        joined = encode("\x00".join(scanned.texts))
        found = catalogue.one_pass(joined)
        flagged = sorted({*found, catalogue.names_index}) if known.have_names else found
        if not flagged or self._is_clean(rollout, scanned, joined, found=found, flagged=flagged):
            return rollout, {}
        scan = self._scan(joined)
        messages = mend_splits(rollout.messages, scan.find, scan.placeholders.name)
        are_names_quiet = catalogue.names_index not in found and _are_same(messages, rollout.messages)
        rollout = replace(rollout, messages=messages)
        notes = note_rollout(rollout)
        if changed := scan.redact(notes.units, flagged, are_names_quiet=are_names_quiet):
            rollout = put_back(rollout, notes, changed)
        return rollout, dict(sorted(scan.placeholders.counts.items()))

    def _is_clean(
        self, rollout: Rollout, scanned: ScannedTexts, joined: bytes, *, found: list[int], flagged: list[int]
    ) -> bool:
        """Say whether names and runs of base64, if the one pass told of these alone, are no secrets.

        Args:
            rollout: Header and messages.
            scanned: Its texts that are not known to be clean.
            joined: Their bytes.
            found: What stands in them.
            flagged: What stands in all texts.
        """
        catalogue = compiled_catalogue(self.personal_data)
        names, encoded = catalogue.names_index, catalogue.encoded_index
        if not {names, encoded}.issuperset(flagged):
            return False
        if encoded in found and could_decode(rollout, scanned, joined, rule=catalogue.own[encoded]):
            return False
        if names in flagged and could_speak(rollout, scanned, joined, has_names=names in found):
            return False
        if not any(message.parts_json for message in rollout.messages):
            return True
        scan, messages = self._scan(joined), rollout.messages
        return _are_same(mend_splits(messages, scan.find, scan.placeholders.name), messages)

    def redact_text(self, text: str) -> str:
        """Return a single text, such as an error's message, without secrets."""
        if not self.enabled:
            return text
        return self._scan(encode(text)).redact([(text, None, False)]).get(0, text)

    def _scan(self, text: bytes) -> "_Scan":
        scan = _Scan(
            compiled_catalogue(self.personal_data), allows(tuple(encode(literal) for literal in self.allow if literal))
        )
        scan.placeholders.reserve(text)
        return scan


def _are_same(messages: Sequence[Message], others: Sequence[Message]) -> bool:
    return all(map(operator.is_, messages, others))


@cache
def _shared_texts(personal_data: bool) -> SharedTexts:
    catalogue = compiled_catalogue(personal_data)
    return SharedTexts(catalogue.one_pass, names=catalogue.names_index)


@dataclass(slots=True)
class _Scan:
    """One rollout's placeholders, and what is looked for bare."""

    catalogue: Catalogue
    is_allowed: IsAllowed | None
    placeholders: Placeholders = field(default_factory=Placeholders)
    bare_values: set[bytes] = field(default_factory=set)

    def find(self, text: bytes) -> list[Finding]:
        return self.catalogue.find(Search(covered(text), self.bare_values, self.is_allowed))

    def redact(
        self, units: Sequence[Unit], flagged: Sequence[int] | None = None, *, are_names_quiet: bool = False
    ) -> dict[int, str]:
        """Return the texts of the units that hold a secret without it, by their place."""
        page = Page(units)
        changing: dict[int, tuple[bytes, list[Edit]]] = {}
        locate, name = page.locate, self.placeholders.name
        search = Search(page.text, self.bare_values, self.is_allowed)
        for start, end, kind in self.catalogue.find(search, flagged, are_names_quiet=are_names_quiet):
            index, first, last = locate(start, end)
            if first < last and not (kind in PERSONAL_KINDS and units[index][2]):
                if index not in changing:
                    changing[index] = encode(units[index][0]), []
                value, edits = changing[index]
                edits.append((first, last, name(value[first:last], kind)))
        return {index: decode(apply_edits(value, edits)) for index, (value, edits) in changing.items()}
