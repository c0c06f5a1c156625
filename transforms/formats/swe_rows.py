"""What rows of software-engineering runs share: an instance, whether it was resolved, and its model's conversation."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from schemas.reasons import EnvType
from schemas.records import Message, Rollout
from schemas.settings.ingest import FieldMapSettings
from transforms.formats.chat_header import chat_header, lost_components, taken_fields, untaken_fields
from transforms.formats.chat_messages import first_user_text
from transforms.formats.fields import as_text, first_present
from transforms.formats.identity import canonical_hash
from transforms.formats.rewards import CONFLICTING_LABEL
from transforms.formats.swe_instances import origin_of
from transforms.reading.native import NativeRecord

WATCHED: Final = frozenset(
    {"instance_id", "resolved", "target", "messages", "trajectory", "traj_id", "trajectory_id", "run_id"}
)
"""Id and label keys of these rows."""


def row_fields(*, messages: str, reward: str, native_id: str | None) -> FieldMapSettings:
    """Return where such rows keep things; they share `instance_id` and the usual names of all else."""
    return FieldMapSettings(
        messages=[messages],
        reward=[reward],
        native_id=[] if native_id is None else [native_id],
        task_id=["instance_id"],
        task_text=[],
    )


def row_rollout(
    record: NativeRecord,
    messages: tuple[Message, ...],
    fields: FieldMapSettings,
    *,
    reward_range: tuple[float, float],
    columns: dict[str, Any],
    used: Iterable[str] = (),
    lost: Iterable[str] = (),
    warnings: Iterable[str] = (),
) -> Rollout:
    """Return the rollout of a row.

    Args:
        record: The row.
        messages: Its conversation.
        fields: Where the row keeps what the header takes.
        reward_range: Bounds of rewards that are scored.
        columns: Header columns that this format fills itself.
        used: Further fields of the row that `columns` was made of.
        lost: What was left out of these.
        warnings: What reading the conversation gave.

    Raises:
        RecordError: The reward is of a kind the conversion table has no rule for.
    """
    row = record.value
    header, notes = chat_header(row, fields, reward_range=reward_range, first_user=first_user_text(messages))
    origin = origin_of(header.task_id)
    own: dict[str, Any] = {
        "env_type": EnvType.CODE_REPO,
        "repo": header.repo or origin.repo,
        "base_commit": header.base_commit or origin.commit,
        "success": None if CONFLICTING_LABEL in notes else _verdict(first_present(row, fields.reward)),
    }
    return Rollout(
        header=replace(header, **{**own, **columns}),
        messages=messages,
        native_id=as_text(first_present(row, fields.native_id)),
        canonical_sha256=canonical_hash(row),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=(
            *untaken_fields(row, taken_fields(row, fields) | set(used)),
            *lost_components(row, fields),
            *lost,
        ),
        parse_warnings=(*record.warnings, *warnings, *notes),
    )


def sampled(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages of a recorded run, the agent's marked as what its model produced."""
    return tuple(
        replace(message, sampled=True) if message.role == "assistant" and message.sampled is None else message
        for message in messages
    )


def _verdict(raw: Any) -> bool | None:
    """Return a verdict given as a boolean, or as 0 or 1."""
    return bool(raw) if isinstance(raw, bool | int) and raw in (0, 1) else None
