"""verl rollout dumps, `<global_step>.jsonl`: decoded text of prompt and answer, and a score.

The texts are decoded without special tokens, so turns, roles and calls cannot be told apart again: a row gives a
header and no steps. The task is the prompt's text, so equal prompts are rollouts of one task.
"""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.fields import as_integer, as_number, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_components, convert_token_scores
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

STEPS_NOT_MINED: Final = "steps_not_mined"
"""Warning: the record holds text of a whole rollout that is not cut into steps."""
_WATCHED: Final = frozenset({"input", "output", "score", "step", "request_id"})
_TAKEN: Final = frozenset({"input", "output", "score", "step", "request_id"})


class VerlAdapter(RowAdapter):
    """Reads rows of verl's rollout dumps."""

    name = "verl"
    version = "1"
    carries = ("prompt as task", "answer text", "score", "numeric reward parts", "policy step")
    loses = ("turns, roles and calls", "ground truth", "other extra columns")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        is_told = rows_have(outline, {"input", "output", "score", "step"})
        return is_told and (not outline.records or any(_is_row(record) for record in outline.records))

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        records = row_records(unit, open_file, settings, watched=_WATCHED)
        return build_rollouts(records, lambda record: _rollout(record, settings.reward_range))


def _is_row(record: dict[str, Any]) -> bool:
    return isinstance(record.get("input"), str) and isinstance(record.get("output"), str)


def _rollout(record: NativeRecord, reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    if not isinstance(native.get("input"), str) or not isinstance(native.get("output"), str):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`input` or `output` is no text")
    reward = convert_token_scores(native.get("score", MISSING), reward_range)
    others = {name: value for name, value in native.items() if name not in _TAKEN}
    parts = {name: value for name, value in others.items() if isinstance(value, bool) or as_number(value) is not None}
    header = Header(
        source_format=VerlAdapter.name,
        task_text=native["input"],
        policy_step=as_integer(native.get("step")),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="score",
        reward_components=convert_components(parts),
        answer=native["output"],
    )
    return Rollout(
        header=header,
        messages=(),
        native_id=as_text(native.get("request_id")),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(untaken(others, parts.keys()))),
        parse_warnings=(*record.warnings, *reward.warnings, STEPS_NOT_MINED),
        is_header_only=True,
    )
