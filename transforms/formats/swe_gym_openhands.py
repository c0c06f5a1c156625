"""SWE-Gym OpenHands samples: native messages padded with nulls, the model in the run's id, reports in the row."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import chat_messages, message_list
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_object, as_text
from transforms.formats.rewards import CONFLICTING_LABEL
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.swe_rows import WATCHED, row_fields, row_rollout, sampled
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_FIELDS: Final = row_fields(messages="messages", reward="resolved", native_id=None)
_FAULTS: Final = ("error_eval", "test_timeout")
"""Flags of a report that say the evaluation failed, not the agent."""


class _Tested(NamedTuple):
    """What the evaluation in a row says: the patch, its own verdict, its fault, what is left out."""

    patch: str | None
    resolved: bool | None
    fault: str | None
    lost: tuple[str, ...]


class SweGymOpenHandsAdapter(RowAdapter):
    """Reads SWE-Gym's sampled OpenHands runs; instance and run together are not unique, so rows have no own id."""

    name = "swe_gym_openhands"
    version = "2"
    carries = (
        "messages, calls and results by call id, tools",
        "whether the instance was resolved, evaluation faults as invalid rewards",
        "instance, repository, run id and the model in it",
        "the patch",
    )
    loses = ("the evaluation's logs",)

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return rows_have(outline, {"instance_id", "run_id", "resolved", "messages", "test_result"})

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        return build_rollouts(
            row_records(unit, open_file, settings, watched=WATCHED),
            lambda record: _rollout(record, settings.reward_range),
        )


def _rollout(record: NativeRecord, reward_range: tuple[float, float]) -> Rollout:
    row = record.value
    messages = sampled(chat_messages(message_list(row, _FIELDS.messages)))
    tested = _tested(row.get("test_result"))
    columns: dict[str, Any] = {
        "source_format": SweGymOpenHandsAdapter.name,
        "task_source": "swe-gym",
        "agent_name": "openhands",
        "model_name": model_of(as_text(row.get("run_id"))),
        "submission": tested.patch,
    }
    if tested.fault is not None:
        columns |= {"reward_valid": False, "error_type": tested.fault}
    warnings = []
    if tested.resolved is not None and isinstance(row.get("resolved"), bool) and tested.resolved != row["resolved"]:
        columns |= {"reward": None, "success": None}
        warnings.append(CONFLICTING_LABEL)
    return row_rollout(
        record,
        messages,
        _FIELDS,
        reward_range=reward_range,
        columns=columns,
        used=["test_result"],
        lost=tested.lost,
        warnings=warnings,
    )


def model_of(run_id: str | None) -> str | None:
    """Return the model that a run id `<model>_maxiter_<limit>_N_…` begins with."""
    model, limit, _ = (run_id or "").partition("_maxiter_")
    return model or None if limit else None


def _tested(raw: Any) -> _Tested:
    result = as_object(raw)
    report, patch = as_object(result.get("report")), result.get("git_patch")
    resolved = report.get("resolved")
    return _Tested(
        patch if isinstance(patch, str) else None,
        resolved if isinstance(resolved, bool) else None,
        next((name for name in _FAULTS if report.get(name) is True), None),
        tuple(f"test_result.{name}" for name in sorted(result) if name not in {"git_patch", "report"}),
    )
