"""SkyRL evaluation dumps, `<data_source>.jsonl`: text of prompt and answer, a score, and why the answer stopped.

As in verl's dumps the turns cannot be told apart again: a row gives a header and no steps, and its task is the prompt.
"""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import chat_messages
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.endings import ending_of
from transforms.formats.fields import as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_token_scores
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.verl import STEPS_NOT_MINED
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_WATCHED: Final = frozenset({"input_prompt", "output_response", "score"})
_TAKEN: Final = frozenset(
    {"input_prompt", "output_response", "score", "stop_reason", "env_class", "data_source", "uid"}
)


class SkyRLAdapter(RowAdapter):
    """Reads rows of SkyRL's evaluation dumps."""

    name = "skyrl"
    version = "1"
    carries = ("prompt as task", "answer text", "score or sum of token scores", "termination", "environment")
    loses = ("turns, roles and calls", "environment extras")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return rows_have(outline, {"input_prompt", "output_response"})

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        records = row_records(unit, open_file, settings, watched=_WATCHED)
        return build_rollouts(records, lambda record: _rollout(record, settings.reward_range))


def _rollout(record: NativeRecord, reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    answer = native.get("output_response")
    if not isinstance(answer, str):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`output_response` is no text")
    reward = convert_token_scores(native.get("score", MISSING), reward_range)
    ending = ending_of(native.get("stop_reason"))
    header = Header(
        source_format=SkyRLAdapter.name,
        task_source=as_text(native.get("data_source")),
        task_text=_prompt_text(native.get("input_prompt")),
        env_name=as_text(native.get("env_class")),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="score",
        reward_valid=ending.reward_valid,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        answer=answer,
    )
    return Rollout(
        header=header,
        messages=(),
        native_id=as_text(native.get("uid")),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(untaken(native, _TAKEN))),
        parse_warnings=(*record.warnings, *reward.warnings, STEPS_NOT_MINED),
        is_header_only=True,
    )


def _prompt_text(prompt: Any) -> str:
    """Return the prompt's text; of a prompt given as messages, the text of all of them.

    Raises:
        RecordError: The prompt is neither text nor messages.
    """
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`input_prompt` is neither text nor messages")
    return "\n".join(message.content for message in chat_messages(prompt) if message.content)
