"""One run: from settings to a published snapshot."""

import errno
import os
import secrets
import shutil
import socket
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from pipelines.plan import Plan, Sources, find_sources, make_plan
from pipelines.runners.display import Display
from pipelines.runners.measure import Measures
from pipelines.settings_files import LoadedSettings
from schemas.errors import DiskFullError, SettingsError, TrajsiftError
from schemas.versions import STAGE_VERSIONS
from transforms.formats.known_files import keep_known_files
from transforms.store.files import Store
from transforms.store.lock import exclusive
from transforms.store.manifest import Manifest, snapshot_folder


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended.

    `manifest` is the published snapshot's, or None when the run stopped before publishing; `was_done` says that there
    was nothing to do. `run_file` is the store path of what was measured, None for a dry run. `warnings` are
    those of the stages.
    """

    plan: Plan
    manifest: Manifest | None
    was_done: bool = False
    run_file: str | None = None
    warnings: tuple[str, ...] = ()


def dry_run(loaded: LoadedSettings, flags: Sequence[str]) -> tuple[Sources, Plan]:
    """Return what a run would do; nothing stays written and no record is read.

    Raises:
        TrajsiftError: What would stop a run before it reads a record.
    """
    _refuse_unknown_flags(flags)
    store = Store(loaded.settings.store)
    store.check_writable()
    sources = find_sources(loaded, store)
    return sources, make_plan(loaded, sources, store)


def execute(
    loaded: LoadedSettings, *, flags: Sequence[str] = (), until: str | None = None, display: Display | None = None
) -> RunResult:
    """Run the stages over the lake and publish the snapshot.

    Args:
        loaded: The settings.
        flags: Beam flags.
        until: Last stage to work; nothing is published then.
        display: Where progress is shown.

    Raises:
        TrajsiftError: With its own exit code; CURRENT is unchanged then.
    """
    if until is not None and until not in STAGE_VERSIONS:
        raise SettingsError(f"--until {until}: unknown stage; stages: {', '.join(STAGE_VERSIONS)}")
    display = display or Display(loaded.settings.execution.progress)
    _refuse_unknown_flags(flags)
    store = Store(loaded.settings.store)
    store.check_writable()
    sources = find_sources(loaded, store)
    with exclusive(store):
        keep_known_files(store, sources.known, settings=loaded.settings.ingest)
        plan = make_plan(loaded, sources, store)
        if plan.is_done:
            return RunResult(plan, plan.parent, was_done=True)
        record = _RunRecord(loaded, plan, flags)
        display.line(sources.encoder.describe())
        with record.kept_in(store), _disk_full_errors(), _work_folder(store, record.run_id) as work_dir:
            store.delete_folder(snapshot_folder(plan.snapshot_id))
            # Beam and the libraries of the stages take longer to import than to see that there is nothing to do.
            from pipelines.flow import work

            manifest = work(
                loaded,
                plan,
                sources=sources,
                store=store,
                work_dir=work_dir,
                flags=flags,
                until=until,
                display=display,
                measures=record.measures,
            )
            record.manifest = manifest
    return RunResult(plan, manifest, run_file=record.path, warnings=tuple(record.measures.warnings))


def _refuse_unknown_flags(flags: Sequence[str]) -> None:
    if flags:
        from pipelines.runners.options import parse_beam_flags

        parse_beam_flags(flags)


class _RunRecord:
    """What varies from run to run: times, host, places, costs. Written to `runs/<run_id>.json`, failed runs too."""

    def __init__(self, loaded: LoadedSettings, plan: Plan, flags: Sequence[str]) -> None:
        self.started = datetime.now(UTC)
        self.run_id = f"{self.started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
        self.path = f"runs/{self.run_id}.json"
        self.measures = Measures()
        self.manifest: Manifest | None = None
        self._loaded = loaded
        self._plan = plan
        self._flags = list(flags)

    @contextmanager
    def kept_in(self, store: Store) -> Iterator[None]:
        """Write the record when the block ends, however it ends."""
        error = None
        try:
            yield
        except BaseException as failure:
            error = f"{type(failure).__name__}: {failure}" if isinstance(failure, TrajsiftError) else None
            error = error or f"{type(failure).__name__} at {traceback.extract_tb(failure.__traceback__)[-1].name}"
            with _ignored(TrajsiftError, OSError):
                store.write_atomic(self.path, self._to_json(error))
            raise
        store.write_atomic(self.path, self._to_json(None))

    def _to_json(self, error: str | None) -> bytes:
        tree: dict[str, Any] = {
            "run_id": self.run_id,
            "snapshot_id": self._plan.snapshot_id,
            "published": self.manifest is not None,
            "error": error,
            "started_at": self.started.isoformat(),
            "ended_at": datetime.now(UTC).isoformat(),
            "host": socket.gethostname(),
            "places": self._loaded.place_tree,
            "beam_flags": self._flags,
            "packs_kept": len(self._plan.kept),
            "packs_made": len(self._plan.new),
            "warnings": self.measures.warnings,
            "stages": self.measures.rows(),
            "funnel": {} if self.manifest is None else self.manifest.funnel,
        }
        # With nothing to do nothing is redacted, and the rules are not imported.
        from transforms.redaction.engine import Redactor
        from transforms.redaction.trees import redact_tree

        redactor = Redactor.of(self._loaded.settings.ingest.redaction)
        tree |= redact_tree({name: tree[name] for name in ("error", "warnings", "places", "beam_flags")}, redactor)
        return orjson.dumps(tree, option=orjson.OPT_INDENT_2)


@contextmanager
def _ignored(*errors: type[Exception]) -> Iterator[None]:
    try:
        yield
    except errors:
        return


@contextmanager
def _work_folder(store: Store, run_id: str) -> Iterator[Path]:
    """Give a scratch folder: inside a local store, where runs that were killed left theirs, else a temporary one."""
    if not store.is_local:
        with tempfile.TemporaryDirectory(prefix="trajsift-") as folder:
            yield Path(folder)
        return
    parent = Path(store.full_path("work"))
    shutil.rmtree(parent, ignore_errors=True)
    folder_path = parent / run_id
    folder_path.mkdir(parents=True)
    try:
        yield folder_path
    finally:
        shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def _disk_full_errors() -> Iterator[None]:
    """Turn the errors of a full disk, also those of a worker, into the one that says what to do."""
    try:
        yield
    except TrajsiftError:
        raise
    except Exception as error:
        if getattr(error, "errno", None) == errno.ENOSPC or os.strerror(errno.ENOSPC) in str(error):
            raise DiskFullError(
                "no space left on the store's disk; free space or move the store, then run again"
            ) from error
        raise
