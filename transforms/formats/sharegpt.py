"""ShareGPT rows as LLaMA-Factory reads them: SFT, KTO and ranking rows, calls and results without ids."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schemas.records import BadRecord, Message, Rollout, SourceUnit
from schemas.settings.ingest import FieldMapSettings, IngestSettings
from transforms.formats.accounting import mapped_names
from transforms.formats.chat_header import chat_header, lost_components, taken_fields, untaken_fields
from transforms.formats.chat_messages import first_user_text, message_list, unread_lists
from transforms.formats.contract import OpenFile, build_rollouts
from transforms.formats.documents import read_sidecar, warned
from transforms.formats.fields import as_text, first_present, watched_keys
from transforms.formats.identity import canonical_hash
from transforms.formats.row_files import RowAdapter, row_records, rows_have
from transforms.formats.sharegpt_messages import sharegpt_messages
from transforms.formats.sharegpt_tags import INFO_NAME, Tags, tags_of
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

RELATIVE: Final = "relative_label"
"""Warning: the reward says which side of a ranking was preferred, not whether the task was done."""
_SIDES: Final = {"chosen": 1.0, "rejected": 0.0}


class ShareGptAdapter(RowAdapter):
    """Reads ShareGPT rows; a ranking row is two rollouts, its chosen and its rejected side."""

    name = "sharegpt"
    version = "3"
    carries = (
        "messages, system prompt, tools",
        "function calls (single and parallel) with results by position",
        "KTO labels, both sides of ranking rows",
        "renamed columns and tags of dataset_info.json",
        "loss flags of messages",
        "task, model and reward by the field map",
    )
    loses = ("pictures, videos and audio (columns of paths)", "tools that are no JSON", "fields that no column takes")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        items = set() if outline.shape == "parquet" else {"from", "value"}
        return rows_have(outline, {"conversations"}, items=items)

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the nearest `dataset_info.json` in the file's folder or above."""
        folders = uri.split("/")[:-1]
        places = ("/".join([*folders[:depth], INFO_NAME]) for depth in range(len(folders), -1, -1))
        return next(((place,) for place in places if place in listing.known), ())

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        uri = next(iter(unit.sidecars), None)
        stated = read_sidecar(uri, open_file, settings)
        tags = Tags() if uri is None else tags_of(stated.value, unit.uri, info_uri=uri)
        fields = _fields(settings.fields, tags)
        watched = watched_keys(fields.native_id, fields.task_id, fields.reward, fields.messages, _SIDES)
        records = _with_sides(row_records(unit, open_file, settings, watched=watched), tags)
        rollouts = build_rollouts(
            records,
            lambda record: _rollout(record, fields, tags, reward_range=settings.reward_range),
            known=mapped_names(fields) | tags.names,
        )
        return warned(rollouts, stated)


def _fields(fields: FieldMapSettings, tags: Tags) -> FieldMapSettings:
    """Return the field map with the columns that the tags name in front."""
    return fields.model_copy(
        update={
            "messages": [tags.messages] if tags.is_stated else [tags.messages, *fields.messages],
            "tools": [tags.tools],
            "reward": [*fields.reward, tags.kto_tag],
        }
    )


def _with_sides(records: Iterator[NativeRecord | BadRecord], tags: Tags) -> Iterator[NativeRecord | BadRecord]:
    """Yield every record, a ranking row once for each side."""
    for record in records:
        if isinstance(record, NativeRecord) and all(_is_side(record.value.get(name)) for name in _columns(tags)):
            yield from (record._replace(key=f"{record.key}/{side}") for side in _SIDES)
        else:
            yield record


def _columns(tags: Tags) -> tuple[str, str]:
    return tags.chosen, tags.rejected


def _is_side(raw: Any) -> bool:
    return isinstance(raw, str | dict | list) and bool(raw)


def _rollout(
    record: NativeRecord, fields: FieldMapSettings, tags: Tags, *, reward_range: tuple[float, float]
) -> Rollout:
    row = record.value
    side = record.key.rpartition("/")[2]
    turns = message_list(row, fields.messages)
    talk = sharegpt_messages(turns, tags)
    messages, warnings = talk.messages, talk.warnings
    if side in _SIDES:
        answer = sharegpt_messages(_side_items(row[getattr(tags, side)], tags), tags, is_whole=False)
        messages = (*map(_given, messages), *(_sampled(message) for message in answer.messages))
        warnings = tuple(sorted({*warnings, *answer.warnings, RELATIVE}))
    lost = [] if side in _SIDES else [name for name in _columns(tags) if row.get(name)]
    lost += unread_lists(row, fields.messages)
    if isinstance(row.get(tags.system), str) and row[tags.system]:
        if any(message.role == "system" for message in messages[:1]):
            lost += [tags.system] if row[tags.system] != messages[0].content else []
        else:
            messages = (Message("system", row[tags.system]), *messages)
    elif row.get(tags.system):
        lost.append(tags.system)
    header, notes = chat_header(row, fields, reward_range=reward_range, first_user=first_user_text(messages))
    if side in _SIDES:
        header = replace(
            header,
            reward=_SIDES[side],
            reward_raw=side,
            reward_name="ranking",
            success=None,
            group_id=header.group_id or canonical_hash(row)[:32],
        )
    if header.tools_json is None and row.get(tags.tools):
        lost.append(tags.tools)
    return Rollout(
        header=replace(header, source_format=ShareGptAdapter.name),
        messages=messages,
        native_id=as_text(first_present(row, fields.native_id)),
        canonical_sha256=canonical_hash([row, side] if side in _SIDES else row),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=(
            *untaken_fields(row, taken_fields(row, fields) | {tags.system, *fields.messages, *_columns(tags)}),
            *lost_components(row, fields),
            *lost,
        ),
        parse_warnings=(*record.warnings, *warnings, *notes),
    )


def _side_items(raw: Any, tags: Tags) -> list[Any]:
    """Return a side's messages: it is one message, a list of them, or a mere text."""
    if isinstance(raw, str):
        return [{tags.role_tag: tags.assistant_tag, tags.content_tag: raw}]
    return raw if isinstance(raw, list) else [raw]


def _given(message: Message) -> Message:
    """Return a message of a ranking's shared beginning, which neither side produced."""
    if message.role != "assistant":
        return message
    return replace(message, sampled=False, is_copied_context=True)


def _sampled(message: Message) -> Message:
    return replace(message, sampled=True) if message.role == "assistant" else message
