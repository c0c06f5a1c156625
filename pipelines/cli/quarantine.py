"""`trajsift quarantine`: what could not be used, where it lies, and what becomes of it after a fix."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.places import ConfOption, SnapshotOption, StoreOption, find_snapshot, open_store
from pipelines.cli.terminal import show_facts, show_rows, write_text
from schemas.errors import InputError, SettingsError
from schemas.reasons import QuarantineReason

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

    from schemas.settings import Settings
    from transforms.formats.rereading import Quarantined
    from transforms.redaction.engine import Redactor

MAX_SHOWN = 200
ReasonOption = Annotated[QuarantineReason | None, typer.Option("--reason", help="Only records of this reason.")]
FileOption = Annotated[str | None, typer.Option("--file", help="Only records of files whose path contains this.")]
Words = Annotated[
    list[str],
    typer.Argument(
        metavar="CONF… [SECTION.KEY=VALUE …]",
        help="Settings files that name the lake and the store, then single settings over them.",
        show_default=False,
    ),
]
LIST_COLUMNS = ("record", "reason", "file", "offset", "length", "message")


def list_quarantine(
    store: StoreOption = None,
    conf: ConfOption = None,
    snapshot: SnapshotOption = None,
    reason: ReasonOption = None,
    file: FileOption = None,
) -> None:
    """List what was set aside: counts by reason and file, then the records."""
    from transforms.querying.quarantine import count_records, quarantined_records

    opened = open_store(store, conf)
    records = quarantined_records(opened, find_snapshot(opened, snapshot), reason=reason, uri=file)
    show_rows(("reason", "file", "records"), count_records(records), max_rows=MAX_SHOWN)
    write_text("\n")
    rows = [
        (record.identifier, record.reason, record.uri, record.byte_offset, record.byte_length, record.message)
        for record in records
    ]
    show_rows(LIST_COLUMNS, rows, max_rows=MAX_SHOWN)


def show_quarantined(
    record: Annotated[str, typer.Argument(help="A record as `list` names it.")],
    words: Words,
    snapshot: SnapshotOption = None,
) -> None:
    """Show one record: its place, the reason, and its text, read again from the source and redacted."""
    from transforms.formats.rereading import State, find_in_any
    from transforms.querying.quarantine import find_record
    from transforms.reading.excerpts import EXCERPT_CHARS, readable_text
    from transforms.reading.lake import Lake, walk_lake
    from transforms.reading.shown_paths import found_by_shown_path

    settings = _settings(words)
    found = find_record(_records(settings, snapshot), record)
    lake = Lake(*_lake(settings))
    files = found_by_shown_path(walk_lake(lake.fs, lake.root).uris, _redactor(settings)).get(found.uri, [])
    again = find_in_any(found, files, open_file=lake.open, settings=settings.ingest)
    show_facts(
        found.identifier,
        {
            "file": found.uri,
            "record": found.record_key,
            "byte offset": found.byte_offset,
            "byte length": found.byte_length,
            "sha256": found.sha256 or found.unit_sha256,
            "reason": found.reason,
            "stage": found.stage,
            "trajectory": found.trajectory_id,
            "message": found.message,
            "source": str(again.state),
        },
    )
    if not files:
        raise InputError(f"{found.identifier}: the lake holds no file that is shown as {found.uri}")
    if again.state is State.ONLY_BY_REPLAY:
        show_facts(
            "Excerpt",
            {"none": "the record is no one piece of its file, or was read well; `quarantine replay` reads it again"},
        )
        return
    if again.state is not State.SAME:
        raise InputError(f"{found.identifier}: the source does not hold this record any more ({again.state})")
    text = _redactor(settings).redact_text(readable_text(again.raw))
    show_facts("Excerpt", {"redacted": text[:EXCERPT_CHARS]})


def replay_quarantine(
    words: Words, snapshot: SnapshotOption = None, reason: ReasonOption = None, file: FileOption = None
) -> None:
    """Read set-aside records again with today's code and settings, and say which would be accepted; writes nothing."""
    from transforms.formats.replaying import replay

    settings = _settings(words)
    records = _records(settings, snapshot, reason=reason, file=file)
    filesystem, root = _lake(settings)
    results = list(
        replay(records, filesystem=filesystem, root=root, settings=settings.ingest, redactor=_redactor(settings))
    )
    counts = Counter(result.outcome for result in results)
    show_rows(("outcome", "records"), sorted(counts.items()))
    write_text("\n")
    rows = [(r.record.identifier, r.record.reason, r.outcome, r.detail) for r in results]
    show_rows(("record", "was", "now", "detail"), rows, max_rows=MAX_SHOWN)
    if results and not counts.keys() & {"accepted", "repeat", "still_bad", "run_again"}:
        raise InputError("no record could be replayed: the lake does not hold them as they were")


def quarantine_app() -> typer.Typer:
    """Return the verb with its three parts."""
    app = typer.Typer(help="What could not be used: list it, show it, replay it after a fix.", no_args_is_help=True)
    app.command("list")(list_quarantine)
    app.command("show")(show_quarantined)
    app.command("replay")(replay_quarantine)
    return app


def _settings(words: list[str]) -> "Settings":
    from pipelines.settings_files import load_settings

    files = [Path(word) for word in words if "=" not in word or Path(word).is_file()]
    if not files:
        raise SettingsError("a settings file is needed: it says where the lake and the store lie")
    return load_settings(files, [word for word in words if "=" in word and not Path(word).is_file()]).settings


def _records(
    settings: "Settings", snapshot: str | None, *, reason: str | None = None, file: str | None = None
) -> "list[Quarantined]":
    from transforms.querying.quarantine import quarantined_records

    opened = open_store(settings.store, None)
    return quarantined_records(opened, find_snapshot(opened, snapshot), reason=reason, uri=file)


def _lake(settings: "Settings") -> "tuple[AbstractFileSystem, str]":
    import fsspec

    filesystem, root = fsspec.core.url_to_fs(settings.lake.root)
    return filesystem, root


def _redactor(settings: "Settings") -> "Redactor":
    from transforms.redaction.engine import Redactor

    return Redactor.of(settings.ingest.redaction)
