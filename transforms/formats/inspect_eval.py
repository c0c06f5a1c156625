"""Inspect AI logs: `.eval`, a zip archive with one member a sample, and `.json`, one document with all of them.

Epochs are rollouts of one sample. Names of members tell what a member is and are used for nothing else.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts, limits_of
from transforms.formats.documents import list_records, load_document
from transforms.formats.fields import as_object
from transforms.formats.inspect_samples import SOURCE_FORMAT, sample_rollout
from transforms.formats.losses import untaken
from transforms.reading.archives import ZIP_MAGIC, member_names, open_member
from transforms.reading.failures import RecordError, UnreadableError, bad_record
from transforms.reading.lake import Listing
from transforms.reading.native import Limits, NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.streams import inflate_limit, read_up_to
from transforms.reading.strict_json import Parsed, parse_object

HEADS: Final = ("header.json", "_journal/start.json")
"""Where an archive keeps what holds for all samples: of a finished log, else of one that was broken off."""
SAMPLES: Final = "samples/"
MISSING_HEAD: Final = "missing_header"
"""Warning: the log's head cannot be read, so task and model are not known."""
_WATCHED: Final = frozenset({"id", "epoch", "uuid", "samples", "messages", "scores", "score", "value"})


_OF_LOG: Final = frozenset(
    {
        "version", "status", "eval", "plan", "results", "stats", "error", "samples", "reductions", "invalidated",
        "log_updates", "location", "etag",
    }
)  # fmt: skip
"""What a log holds beside its samples; one that was broken off at the start has nothing else."""


_PLAIN: Final = {"version": 2, "status": "success"}
"""What a log says that is read as it is meant to be and whose samples all came to their ends."""


class InspectAdapter:
    """Reads Inspect AI logs, both layouts."""

    name = SOURCE_FORMAT
    version = "3"
    carries = (
        "messages with attachments", "calls", "results with error flags", "reasoning", "scores", "limits and errors",
        "invalidation", "tokens", "times", "task, sample and epoch", "which messages the model produced",
    )  # fmt: skip
    loses = (
        "events", "store and metadata", "target", "explanations of scores", "final output beside the messages",
        "retried errors", "usage of other models",
    )  # fmt: skip

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.shape == "zip":
            return outline.has(0, "header.json") or outline.has(0, "_journal/")
        is_single = outline.starts_as == "{" and len(outline.records) < 2
        return is_single and outline.has(0, "eval", "status") and outline.has(1, "task", "model")

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        limits = limits_of(settings)
        with open_file(unit.uri) as stream:
            is_archive = stream.read(len(ZIP_MAGIC)) == ZIP_MAGIC
            if is_archive:
                yield from _archived(stream, unit, settings, limits)
        if is_archive:
            return
        document = load_document(unit, open_file, settings, watched=_WATCHED)
        if isinstance(document, BadRecord):
            yield document
            return
        log = as_object(document.value)
        samples = log.get("samples")
        if samples is None:
            if unknown := sorted(untaken(log, _OF_LOG)):
                message = f"the log has no `samples`, but {', '.join(unknown)}"
                yield BadRecord("document", QuarantineReason.MISSING_MESSAGES, message, 0, unit.size)
            return
        if not isinstance(samples, list):
            yield BadRecord("document", QuarantineReason.INVALID_VALUE, "`samples` is no list", 0, unit.size)
            return
        yield from _rollouts(list_records(document._replace(value=samples)), log, settings, limits)


def _rollouts(
    records: Iterator[NativeRecord | BadRecord], log: dict[str, Any], settings: IngestSettings, limits: Limits
) -> Iterator[Rollout | BadRecord]:
    head = {name: value for name, value in log.items() if name != "samples" and value != _PLAIN.get(name)}
    return build_rollouts(
        records,
        lambda record: sample_rollout(record, log, reward_range=settings.reward_range, max_chars=limits.max_bytes),
        sources=lambda record: (_unlinked(record.value), head),
    )


def _unlinked(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a sample with its attachments as a list: their names are but links from the texts they stand for."""
    attached = as_object(sample.get("attachments"))
    return {**sample, "attachments": list(attached.values())} if attached else sample


def _archived(
    stream: BinaryIO, unit: SourceUnit, settings: IngestSettings, limits: Limits
) -> Iterator[Rollout | BadRecord]:
    names = member_names(stream)
    head = _head(stream, names, unit, limits)
    warnings = head.warnings if head.value else (MISSING_HEAD,)
    yield from _rollouts(_samples(stream, names, unit, limits, warnings=warnings), head.value, settings, limits)


def _head(stream: BinaryIO, names: list[str], unit: SourceUnit, limits: Limits) -> Parsed:
    for name in HEADS:
        if name in names:
            try:
                raw = _member(stream, name, unit, limits)
                return parse_object(raw, max_depth=limits.max_depth)
            except (RecordError, UnreadableError):
                continue
    return Parsed({})


def _samples(
    stream: BinaryIO, names: list[str], unit: SourceUnit, limits: Limits, *, warnings: tuple[str, ...]
) -> Iterator[NativeRecord | BadRecord]:
    """Yield the samples of an archive, keyed `member:<place in the directory>`, until all it may unpack to is used."""
    left = inflate_limit(unit.size)
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        if not (name.startswith(SAMPLES) and name.endswith(".json")):
            continue
        key = f"member:{place}"
        seen[name] += 1
        if seen[name] > 1:
            yield BadRecord(key, QuarantineReason.DUPLICATE_KEY, "the archive holds a member of this name before")
            continue
        if left <= 0:
            yield BadRecord(key, QuarantineReason.TOO_LARGE, "the archive unpacks to more than is allowed")
            continue
        raw = None
        try:
            raw = _member(stream, name, unit, limits)
            left -= len(raw)
            parsed = parse_object(raw, watched=_WATCHED, max_depth=limits.max_depth)
        except UnreadableError as error:
            yield BadRecord(key, error.reason, str(error))
        except RecordError as error:
            yield bad_record(error, key, raw=raw)
        else:
            yield NativeRecord(key, parsed.value, length=len(raw), warnings=(*parsed.warnings, *warnings))


def _member(stream: BinaryIO, name: str, unit: SourceUnit, limits: Limits) -> bytes:
    """Return the bytes of a member.

    Raises:
        RecordError: It is longer than a record may be.
        UnreadableError: It is damaged.
    """
    raw = read_up_to(open_member(stream, name, size=unit.size), limits.max_bytes + 1)
    if len(raw) > limits.max_bytes:
        raise RecordError(QuarantineReason.TOO_LARGE, f"more than {limits.max_bytes} bytes")
    return raw
