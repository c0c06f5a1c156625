"""nebius SWE-rebench OpenHands trajectories: native messages, a verdict of 0 or 1, scores of generated tests."""

from collections.abc import Iterator
from typing import Any, Final

from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import chat_messages, message_list
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.rewards import convert_components, unread_components
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.swe_rows import WATCHED, row_fields, row_rollout, sampled
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_FIELDS: Final = row_fields(messages="trajectory", reward="resolved", native_id="trajectory_id")
_COMPONENTS: Final = ("gen_tests_correct", "pred_passes_gen_tests")


class SweRebenchOpenHandsAdapter(RowAdapter):
    """Reads SWE-rebench OpenHands rows."""

    name = "swe_rebench_openhands"
    version = "2"
    carries = (
        "messages, calls and results by call id, tools",
        "whether the instance was resolved, scores of generated tests, how the run ended",
        "trajectory id, instance, repository, patch",
    )
    loses = ()

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        names = {"trajectory_id", "instance_id", "trajectory", "model_patch"}
        items = set() if outline.shape == "parquet" else {"role"}
        return rows_have(outline, names, items=items, first={"trajectory_id", "instance_id", "trajectory"})

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        return build_rollouts(
            row_records(unit, open_file, settings, watched=WATCHED),
            lambda record: _rollout(record, settings.reward_range),
        )


def _rollout(record: NativeRecord, reward_range: tuple[float, float]) -> Rollout:
    row = record.value
    columns: dict[str, Any] = {
        "source_format": SweRebenchOpenHandsAdapter.name,
        "task_source": "swe-rebench",
        "agent_name": "openhands",
        "submission": row["model_patch"] if isinstance(row.get("model_patch"), str) else None,
        "reward_components": convert_components(parts := {name: row[name] for name in _COMPONENTS if name in row}),
    }
    return row_rollout(
        record,
        sampled(chat_messages(message_list(row, _FIELDS.messages))),
        _FIELDS,
        reward_range=reward_range,
        columns=columns,
        used=["model_patch", *_COMPONENTS],
        lost=sorted(name.removeprefix(".") for name in unread_components(parts, prefix="")),
    )
