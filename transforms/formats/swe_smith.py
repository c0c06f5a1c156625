"""SWE-smith trajectories: SWE-agent runs whose messages are JSON text, with native calls or function blocks."""

from collections.abc import Iterator
from typing import Final

from schemas.records import BadRecord, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import chat_messages, message_list
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.swe_rows import WATCHED, row_fields, row_rollout, sampled
from transforms.formats.text_actions import begins_function_block, read_function_blocks, with_text_actions
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_FIELDS: Final = row_fields(messages="messages", reward="resolved", native_id="traj_id")


class SweSmithAdapter(RowAdapter):
    """Reads SWE-smith rows; their `patch` is left out, as in most rows it belongs to another run."""

    name = "swe_smith"
    version = "2"
    carries = (
        "messages",
        "native calls, and function blocks in the text, as calls with their results",
        "whether the instance was resolved",
        "instance, repository, model, run id",
    )
    loses = ("the patch, which mostly belongs to another run", "blanks beside function blocks")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return rows_have(outline, {"messages", "instance_id", "resolved", "traj_id"})

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        return build_rollouts(
            row_records(unit, open_file, settings, watched=WATCHED),
            lambda record: _rollout(record, settings.reward_range),
        )


def _rollout(record: NativeRecord, reward_range: tuple[float, float]) -> Rollout:
    messages, warnings = with_text_actions(
        chat_messages(message_list(record.value, _FIELDS.messages)),
        read_function_blocks,
        begins=begins_function_block,
    )
    columns = {"source_format": SweSmithAdapter.name, "task_source": "swe-smith", "agent_name": "swe-agent"}
    return row_rollout(
        record, sampled(messages), _FIELDS, reward_range=reward_range, columns=columns, warnings=warnings
    )
