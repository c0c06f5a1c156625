"""Bare OpenHands event logs: a folder of `event-….json` files, a JSONL file or a JSON list; no task, no outcome."""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import first_user_text
from transforms.formats.contract import OpenFile, PathFacts, build_groups
from transforms.formats.documents import load_sidecar
from transforms.formats.fields import as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.openhands_run import read_run, run_rollouts
from transforms.formats.row_files import row_records
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import Parsed

AGENT: Final = "openhands"
MISSING_EVENTS: Final = "unreadable_events"
"""Warning: events of this run are missing; each is told as a bad record of its own."""
MISSING_STATE: Final = "unreadable_state"
"""Warning: the conversation's state, which names its model, cannot be read; it is told as a bad record of its own."""
_STATE: Final = "base_state.json"
_FOLDER: Final = "events"
_WATCHED: Final = frozenset({"id", "tool_call_id", "cause"})
_KEYS: Final = ("kind", "action", "observation")


class OpenHandsEventsAdapter:
    """Reads an event log as one run; the model is told by `base_state.json` above the folder of events."""

    name = "openhands_events"
    version = "4"
    carries = (
        "messages, calls and results of V0 and V1 events",
        "parallel calls by response, unreadable calls as written",
        "branches and condensed contexts as parts of the run",
        "ending, conversation and model",
    )
    loses = ("events of the harness itself", "details of results beside text and exit code", "settings of the agent")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        level = 1 if outline.starts_as == "[" else 0
        if outline.shape == "parquet":
            return False
        return any(outline.has(level, "id", "timestamp", "source", key) for key in _KEYS)

    def path_facts(self, uri: str) -> PathFacts:
        """Return the conversation, the folder above the one that holds single events."""
        folder, _, name = uri.rpartition("/")
        above, _, last = folder.rpartition("/")
        return (("conversation", above.rpartition("/")[2]),) if last == _FOLDER and _is_event(name) else ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the other events of the folder, and the conversation's state."""
        folder, _, name = uri.rpartition("/")
        if folder.rpartition("/")[2] != _FOLDER or not _is_event(name):
            return ()
        above = folder.rpartition("/")[0]
        state = f"{above}/{_STATE}" if above else _STATE
        events = [path for path in listing.by_folder.get(folder, ()) if _is_event(path.rpartition("/")[2])]
        return tuple(sorted({*events, *({state} & listing.known)} - {uri}))

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        events: list[tuple[str, dict[str, Any]]] = []
        state: dict[str, Any] = {}
        warnings: dict[str, None] = {}
        for record in row_records(unit, open_file, settings, watched=_WATCHED):
            if isinstance(record, BadRecord):
                warnings[MISSING_EVENTS] = None
                yield record
            else:
                events.append((unit.uri, record.value))
                warnings.update(dict.fromkeys(record.warnings))
        for uri in unit.sidecars:
            found = _beside(uri, open_file, settings)
            is_state = uri.rpartition("/")[2] == _STATE
            if isinstance(found, BadRecord):
                warnings[MISSING_STATE if is_state else MISSING_EVENTS] = None
                yield found
                continue
            warnings.update(dict.fromkeys(found.warnings))
            if is_state:
                state = found.value
            else:
                events.append((uri, found.value))
        if events:
            history = [event for _, event in sorted(events, key=lambda pair: pair[0])]
            native = {"events": history, "state": state}
            record = NativeRecord("document", native, 0, unit.size, tuple(warnings))
            facts = dict(unit.path_facts)
            yield from build_groups([record], lambda whole: _rollouts(whole, facts))


def _is_event(name: str) -> bool:
    return name.startswith("event-") and name.endswith(".json")


def _beside(uri: str, open_file: OpenFile, settings: IngestSettings) -> Parsed | BadRecord:
    key = f"file:{uri.rpartition('/')[2]}"
    try:
        parsed = load_sidecar(uri, open_file, settings, watched=_WATCHED)
    except RecordError as error:
        return BadRecord(key, error.reason, str(error))
    except (UnreadableError, OSError) as error:
        return BadRecord(key, QuarantineReason.UNREADABLE, str(error))
    if isinstance(parsed.value, dict):
        return parsed
    return BadRecord(key, QuarantineReason.NOT_AN_OBJECT, "expected an object")


def _rollouts(record: NativeRecord, facts: dict[str, str]) -> tuple[Rollout, ...]:
    history, state = record.value["events"], record.value["state"]
    run = read_run(history)
    conversation = as_text(state.get("id")) or facts.get("conversation")
    header = Header(
        source_format=OpenHandsEventsAdapter.name,
        env_type=EnvType.TERMINAL,
        task_text=first_user_text(run.stretches[0].messages),
        session_id=conversation,
        agent_name=AGENT,
        model_name=as_text(as_object(as_object(state.get("agent")).get("llm")).get("model")),
        termination=run.ending.termination,
        termination_raw=run.ending.raw,
        truncated=run.ending.is_truncated,
        reward_valid=run.ending.reward_valid,
        error_message=run.fault,
        tools_json=run.tools_json,
    )
    whole = Rollout(
        header=header,
        messages=(),
        native_id=conversation,
        canonical_sha256=canonical_hash(history),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(run.losses)),
        parse_warnings=(*record.warnings, *run.warnings),
    )
    return tuple(run_rollouts(run, whole))
