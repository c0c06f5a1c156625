"""The header of an OpenAI-chat row: mapped fields first, then fields that are named as the columns are."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from schemas.reasons import EnvType
from schemas.records import Header
from schemas.settings.ingest import FieldMapSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.endings import ending_of
from transforms.formats.fields import (
    as_count,
    as_datetime,
    as_integer,
    as_number,
    as_text,
    first_present,
    lookup,
    present_name,
)
from transforms.formats.rewards import (
    CONFLICTING_LABEL,
    MISSING,
    Reward,
    convert_components,
    convert_reward,
    deny_each_other,
    unread_components,
    witnesses_of,
)
from transforms.formats.tools import tools_text

MAX_EXTRA_CHARS: Final = 4096
"""JSON text of a field no column takes: labels and tags are kept, second copies of the conversation only named."""
SOURCE_FORMAT: Final = "openai_chat"
_TEXTS: Final = (
    "task_source", "parent_traj_id", "session_id", "license", "base_commit", "language", "image", "task_checksum",
    "model_provider", "error_message", "answer", "submission",
)  # fmt: skip
_COUNTS: Final = ("branch_index", "tests_passed", "tests_failed")
_SUMS: Final = ("prompt_tokens", "completion_tokens", "cached_tokens")
_NUMBERS: Final = ("cost_usd", "duration_s")
_SAME_NAMED: Final = frozenset({*_TEXTS, *_COUNTS, *_SUMS, *_NUMBERS})
_OWN_FIELDS: Final = {
    *_SAME_NAMED, "reward_valid", "truncated", "ended_at", "trainable", "sampling_params",
    "sampling",
}  # fmt: skip
_PARSED: Final = frozenset({*_TEXTS, *_COUNTS, *_SUMS, *_NUMBERS, "ended_at"})
_HELD: Final = {"termination": "termination_raw", "error": "error_type"}
"""Columns of a header that are not named as those of the field map are."""
_WHOLE: Final = frozenset({"tools", "reward", "reward_components", "messages"})
"""Columns that take an object whole or name what they leave of it."""
_ENV_TYPES: Final = {str(kind): kind for kind in EnvType}


def chat_header(
    record: dict[str, Any],
    fields: FieldMapSettings,
    *,
    reward_range: tuple[float, float],
    first_user: str | None,
    extra_json: str | None = None,
) -> tuple[Header, tuple[str, ...]]:
    """Return a row's header and the warnings its reading gave.

    Args:
        record: The row.
        fields: Names of fields, the first present one is taken.
        reward_range: Bounds of rewards that are scored.
        first_user: The first user message, which states the task where no field does.
        extra_json: The fields that no column takes.

    Raises:
        RecordError: The reward is of a kind the conversion table has no rule for.
    """
    label = _label(record, fields.reward, reward_range=reward_range)
    error = first_present(record, fields.error)
    ending = ending_of(first_present(record, fields.termination), error=error)
    task_text = first_present(record, fields.task_text)
    header = Header(
        source_format=SOURCE_FORMAT,
        env_type=_ENV_TYPES.get(str(first_present(record, fields.env_type)).lower(), EnvType.OTHER),
        task_id=as_text(first_present(record, fields.task_id)),
        task_text=task_text if isinstance(task_text, str) and task_text.strip() else first_user,
        group_id=as_text(first_present(record, fields.group_id)),
        rollout_index=as_integer(first_present(record, fields.rollout_index), bits=32),
        run_id=as_text(first_present(record, fields.run_id)),
        policy_step=as_integer(first_present(record, fields.policy_step)),
        env_name=as_text(first_present(record, fields.env_name)),
        repo=as_text(first_present(record, fields.repo)),
        agent_name=as_text(first_present(record, fields.agent_name)),
        agent_version=as_text(first_present(record, fields.agent_version)),
        model_name=as_text(first_present(record, fields.model_name)),
        reward=label.reward.value,
        reward_raw=label.reward.raw,
        reward_name=label.name,
        success=label.success,
        reward_components=convert_components(first_present(record, fields.reward_components)),
        reward_valid=ending.reward_valid and record.get("reward_valid") is not False,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=record["truncated"] if isinstance(record.get("truncated"), bool) else ending.is_truncated,
        error_type=_error_type(error),
        started_at=as_datetime(first_present(record, fields.started_at)),
        ended_at=as_datetime(record.get("ended_at")),
        trainable=record["trainable"] if isinstance(record.get("trainable"), bool) else None,
        tools_json=tools_text(first_present(record, fields.tools)),
        sampling_json=_sampling(record.get("sampling_params", record.get("sampling"))),
        extra_json=extra_json,
        **_same_named(record),
    )
    return header, label.reward.warnings


class _Label(NamedTuple):
    name: str | None
    reward: Reward
    success: bool | None


def _label(record: dict[str, Any], names: Sequence[str], *, reward_range: tuple[float, float]) -> _Label:
    """Return the first label that is not null, unscored where another one contradicts it."""
    name = present_name(record, names)
    if name is None:
        return _Label(None, convert_reward(MISSING, reward_range), None)
    raw = lookup(record, (name,))
    if raw is None and len(names) > 1:
        name = _first_said(record, names) or name
        raw = lookup(record, (name,))
    reward = convert_reward(raw, reward_range)
    witnesses = tuple(witnesses_of(record))
    if (len(names) > 1 or witnesses) and deny_each_other((*(lookup(record, (each,)) for each in names), *witnesses)):
        return _Label(name, Reward(None, reward.raw, (*reward.warnings, CONFLICTING_LABEL)), None)
    return _Label(name, reward, raw if isinstance(raw, bool) else None)


def columns_by_field(fields: FieldMapSettings) -> dict[str, list[str]]:
    """Return which columns may be read from a top-level field of a row, by the field's name."""
    columns: dict[str, list[str]] = {}
    for column, names in fields:
        for head in dict.fromkeys(_head(name) for name in names):
            columns.setdefault(head, []).append(column)
    return columns


class RowFields(NamedTuple):
    """The field map as far as rows of some top-level fields can use it, and which of these fields their reading takes.

    `columns` is what `columns_by_field` says of it; `taken` is None where what is taken depends on a row's values, as
    several of its fields could fill one column.
    """

    fields: FieldMapSettings
    columns: Mapping[str, Sequence[str]]
    taken: frozenset[str] | None


class RowFieldMaps:
    """Gives rows the part of the field map that concerns them; rows of one file mostly have the same fields.

    A name that is not in a row is looked for in vain, and there are ten of these for one that is. What is remembered
    are combinations of the map's own names, never names that come from a row.
    """

    _MAX_COMBINATIONS: Final = 256
    """Remembered by the names of the map; beside them only the row just read is known by all of its own."""

    def __init__(self, fields: FieldMapSettings) -> None:
        self._fields = fields
        self._names = frozenset(part for _, names in fields for name in names for part in (name, _head(name)))
        self._known: dict[frozenset[str], RowFields] = {}
        self._last: tuple[list[str], RowFields] | None = None

    def of(self, record: dict[str, Any]) -> RowFields:
        """Return what concerns a row: read by it, the row gives what it gives by the whole map."""
        names = list(record)
        if self._last is not None and names == self._last[0]:
            return self._last[1]
        known = self._of_names(record.keys())
        self._last = names, known
        return known

    def _of_names(self, names: Set[str]) -> RowFields:
        stated = frozenset(names & self._names)
        known = self._known.get(stated)
        if known is None:
            known = self._narrowed(stated)
            if len(self._known) < self._MAX_COMBINATIONS:
                self._known[stated] = known
        return known

    def _narrowed(self, stated: frozenset[str]) -> RowFields:
        fields = self._fields.model_copy(
            update={
                column: [name for name in names if name in stated or _head(name) in stated]
                for column, names in self._fields
            }
        )
        columns = columns_by_field(fields)
        heads = stated & columns.keys()
        counts = Counter(column for head in heads for column in columns[head])
        return RowFields(
            fields, columns, frozenset(heads | _OWN_FIELDS) if max(counts.values(), default=0) < 2 else None
        )


def taken_fields(
    record: dict[str, Any], fields: FieldMapSettings, columns: Mapping[str, Sequence[str]] | None = None
) -> frozenset[str]:
    """Return the top-level fields a row's reading takes: of the mapped names of a column the one that is read.

    A further name of the same column that says something is not taken; a null says nothing.

    Args:
        record: The row.
        fields: Names of fields.
        columns: What `columns_by_field` says of them, where it is known already.
    """
    columns = columns_by_field(fields) if columns is None else columns
    heads: dict[str, list[str]] = {}
    for head in record.keys() & columns.keys():
        for column in columns[head]:
            heads.setdefault(column, []).append(head)
    read = set(_OWN_FIELDS)
    for column, found in heads.items():
        read.update(found if len(found) == 1 else _read_heads(record, found, names=getattr(fields, column)))
    return frozenset(read)


def _read_heads(record: dict[str, Any], found: list[str], *, names: Sequence[str]) -> list[str]:
    name = _first_said(record, names)
    taken = None if name is None else _head(name)
    return [head for head in found if record[head] is None or head == taken]


def lost_components(record: dict[str, Any], fields: FieldMapSettings) -> tuple[str, ...]:
    """Return the names of a row's reward components that the conversion table has no rule for, sorted."""
    name = _first_said(record, fields.reward_components)
    return () if name is None else tuple(sorted(unread_components(lookup(record, [name]), prefix=name)))


def unread_fields(
    record: dict[str, Any],
    fields: FieldMapSettings,
    *,
    header: Header,
    columns: Mapping[str, Sequence[str]],
    native_id: str | None,
) -> tuple[str, ...]:
    """Return the sorted names of fields with a column that is empty, though they state something.

    They state it in a kind that the column cannot hold (an id that is a list), or beside what is read of an object.

    Args:
        record: The row.
        fields: Names of fields.
        header: What was read of it.
        columns: What `columns_by_field` says of the field map.
        native_id: The record's own id as it was read.
    """
    unread = []
    for name, value in record.items():
        stated = columns.get(name)
        if stated is None:
            is_read = name not in _PARSED or getattr(header, name) is not None
        elif type(value) is dict:
            is_read = any(column in _WHOLE and name in getattr(fields, column) for column in stated)
        else:
            is_read = False
            for column in stated:
                is_read = is_read or _is_read(column, value, header, native_id=native_id)
        if not is_read and not (value is None or value in ("", [], {})):
            unread.append(name)
    return tuple(sorted(unread))


def _is_read(column: str, value: Any, header: Header, *, native_id: str | None) -> bool:
    """Say whether a column of the field map holds what a field states of it."""
    if column in _WHOLE:
        return True
    if column == "native_id":
        return native_id is not None
    if column == "task_text":
        return type(value) is str
    if column == "env_type":
        return str(value).lower() == header.env_type
    return getattr(header, _HELD.get(column, column)) is not None


def _head(name: str) -> str:
    return name.partition(".")[0]


def _first_said(record: dict[str, Any], names: Sequence[str]) -> str | None:
    return next((name for name in names if first_present(record, [name]) is not None), None)


def untaken_fields(record: dict[str, Any], taken: frozenset[str]) -> tuple[str, ...]:
    """Return the names of a row's fields that no column takes, sorted."""
    return tuple(sorted(name for name in record if name not in taken))


def extra_fields(record: dict[str, Any], taken: frozenset[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the fields that no column takes as JSON text, and the sorted names of those too long to be kept."""
    texts = {name: canonical_text(value) for name, value in record.items() if name not in taken}
    kept = {name: record[name] for name, text in texts.items() if len(text) <= MAX_EXTRA_CHARS}
    return (canonical_text(kept) if kept else None), tuple(sorted(texts.keys() - kept.keys()))


def _same_named(record: dict[str, Any]) -> dict[str, Any]:
    if record.keys().isdisjoint(_SAME_NAMED):
        return {}
    values: dict[str, Any] = {name: as_text(record[name]) for name in _TEXTS if name in record}
    values.update((name, as_count(record[name], bits=32)) for name in _COUNTS if name in record)
    values.update((name, as_count(record[name])) for name in _SUMS if name in record)
    values.update((name, as_number(record[name])) for name in _NUMBERS if name in record)
    return values


def _error_type(error: Any) -> str | None:
    if isinstance(error, dict):
        return as_text(error.get("type", error.get("error_type", error.get("name")))) or "error"
    return as_text(error)


def _sampling(raw: Any) -> str | None:
    return canonical_text(raw) if isinstance(raw, dict) and raw else None
