"""Where text lies in a rollout: every field that is scanned, and how a rollout is rebuilt with these rewritten."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from schemas.records import Header, Message, MessageCall, Rollout
from transforms.redaction.seams import TOUCHING, seam

TextRecord = Header | Message | MessageCall | Rollout
_AnyRecord = TypeVar("_AnyRecord", Header, MessageCall)

HEADER_TEXTS: Final = (
    "task_text",
    "submission",
    "answer",
    "error_message",
    "error_type",
    "reward_raw",
    "termination_raw",
)
HEADER_JSON: Final = ("tools_json", "sampling_json", "extra_json")
HEADER_NAMES: Final = (
    *("task_id", "task_source", "group_id", "run_id", "parent_traj_id", "session_id", "license", "env_name", "repo"),
    *("base_commit", "language", "image", "task_checksum", "agent_name", "agent_version", "model_name"),
    *("model_provider", "reward_name"),
)
MESSAGE_TEXTS: Final = ("content", "reasoning")
MESSAGE_JSON: Final = ("parts_json", "extra_json")
MESSAGE_NAMES: Final = ("role_raw", "tool_call_id", "tool_name", "actor", "requestor")
CALL_JSON: Final = ("arguments_raw", "arguments_json")
CALL_NAMES: Final = ("name", "call_id", "requestor")
ROLLOUT_NAMES: Final = ("native_id", "record_key")


class TextFields(NamedTuple):
    """The text fields of a kind of record: names first, then texts, then JSON texts, as they are rewritten."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    json_texts: tuple[str, ...]
    values: Callable[[TextRecord], tuple[str | None, ...]]


def _texts(names: tuple[str, ...], texts: tuple[str, ...] = (), json_texts: tuple[str, ...] = ()) -> TextFields:
    return TextFields(names, texts, json_texts, attrgetter(*names, *texts, *json_texts))


ROLLOUT_FIELDS: Final = _texts(ROLLOUT_NAMES)
HEADER_FIELDS: Final = _texts(HEADER_NAMES, HEADER_TEXTS, HEADER_JSON)
MESSAGE_FIELDS: Final = _texts(MESSAGE_NAMES, MESSAGE_TEXTS, MESSAGE_JSON)
CALL_FIELDS: Final = _texts(CALL_NAMES, (), CALL_JSON)
_CONTENT: Final = len(MESSAGE_NAMES)
"""Place of the content among a message's fields."""

_ESCAPES: Final = (("\\n", "\n"), ('\\"', '"'), ("\\t", "\t"), ("\\/", "/"), ("\\r", "\r"))
_UNICODE_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


class Rewrite(Protocol):
    """Gives the text that stands in place of a text; `key` is the JSON key that the text is the value of."""

    def __call__(self, text: str, *, key: str | None = None, is_name: bool = False) -> str: ...


class ScannedTexts(NamedTuple):
    """Every text of a rollout for the one pass, part after part.

    `starts` gives the place of the first text of each part that `rewrite_rollout` tells apart, then that of the texts
    made of two, and last the number of texts.
    """

    texts: list[str]
    starts: list[int]


class KnownTexts(NamedTuple):
    """Which texts of a rollout are known to be clean, and whether names of secrets are in them all the same."""

    tools: bool = False
    sampling: bool = False
    first_content: bool = False
    last_texts: bool = False
    have_names: bool = False


_NONE_KNOWN: Final = KnownTexts()


def scanned_texts(rollout: Rollout, known: KnownTexts = _NONE_KNOWN) -> ScannedTexts:
    """Return every text of a rollout for the one pass, without those that are known to be clean.

    JSON text comes as written and, where it has escapes, without them; a content made of parts comes a second time
    without its line breaks, and what two contents in a row would make is there too, for what was split.
    """
    texts = _first_texts(rollout, known)
    starts = [0]
    is_new = not known.first_content
    split: list[str] = []
    content_before: str | None = None
    for message in rollout.messages:
        starts.append(len(texts))
        content = message.content
        # Two letters, asked for here, spare most messages the call.
        if content and content_before and content[0] in TOUCHING and content_before[-1] in TOUCHING:
            split.append("".join(seam(content_before, content) or ()))
        content_before = content
        values = MESSAGE_FIELDS.values(message)
        texts += filter(None, values if is_new else values[:_CONTENT] + values[_CONTENT + 1 :])
        is_new = True
        parts = message.parts_json
        if parts or message.extra_json:
            texts += [unescaped_json(text) for text in (parts, message.extra_json) if text and "\\" in text]
            if parts and content and "\n" in content:
                split.append(content.replace("\n", ""))
        for call in message.calls:
            texts += filter(None, CALL_FIELDS.values(call))
            if (raw := call.arguments_raw) and "\\" in raw:
                texts.append(unescaped_json(raw))
            if (written := call.arguments_json) and "\\" in written:
                texts.append(unescaped_json(written))
    starts.append(len(texts))
    if not known.last_texts:
        texts += filter(None, last_texts(rollout))
    starts.append(len(texts))
    texts += split
    starts.append(len(texts))
    return ScannedTexts(texts, starts)


def _first_texts(rollout: Rollout, known: KnownTexts) -> list[str]:
    """Return the texts of the ids and the header."""
    *values, tools, sampling, extra = HEADER_FIELDS.values(rollout.header)
    texts = [*filter(None, ROLLOUT_FIELDS.values(rollout)), *filter(None, values)]
    json_texts = (None if known.tools else tools, None if known.sampling else sampling, extra)
    texts += filter(None, json_texts)
    texts += [unescaped_json(text) for text in json_texts if text and "\\" in text]
    return texts


def rewrite_rollout(
    rollout: Rollout, rewrite: Rewrite, *, is_due: Callable[[int], bool] = lambda part: True
) -> Rollout:
    """Return the rollout with every text rewritten, always in the same order; records without a change as they are.

    Args:
        rollout: Header and messages.
        rewrite: Gives the text that stands in place of a text.
        is_due: Asked for each part, by its number, before its texts come; False leaves it as it is. The ids and the
            header are part 0, then comes each message, then the warnings and lost fields.
    """
    changes: dict[str, Any] = {}
    if is_due(0):
        changes = _changes(rollout, rewrite, ROLLOUT_FIELDS)
        changes["header"] = _rewritten(rollout.header, rewrite, HEADER_FIELDS)
    messages = enumerate(rollout.messages, start=1)
    changes["messages"] = tuple(
        [_rewritten_message(each, rewrite) if is_due(part) else each for part, each in messages]
    )
    if is_due(len(rollout.messages) + 1):
        changes["parse_warnings"] = tuple([rewrite(warning) for warning in rollout.parse_warnings])
        changes["lost_fields"] = tuple([rewrite(name) for name in rollout.lost_fields])
        components = {rewrite(name): value for name, value in rollout.header.reward_components.items()}
        if components != rollout.header.reward_components:
            changes["header"] = replace(changes.get("header", rollout.header), reward_components=components)
    return replace(rollout, **changes)


def last_texts(rollout: Rollout) -> tuple[str, ...]:
    """Return the texts of the last part: warnings, lost fields and the names of reward components."""
    return (*rollout.parse_warnings, *rollout.lost_fields, *rollout.header.reward_components)


def _rewritten_message(message: Message, rewrite: Rewrite) -> Message:
    changes = _changes(message, rewrite, MESSAGE_FIELDS)
    calls = tuple([_rewritten(call, rewrite, CALL_FIELDS) for call in message.calls])
    if calls != message.calls:
        changes["calls"] = calls
    return replace(message, **changes) if changes else message


def rewrite_json(json_text: str, rewrite: Rewrite) -> str:
    """Rewrite the decoded strings of a JSON text, keys included; a text that is no JSON is rewritten as it is.

    The JSON text is written anew, compact and in its order, only when a string changed.
    """
    try:
        node = json.loads(json_text)
    except (ValueError, RecursionError):
        return rewrite(json_text)
    rewritten = _rewrite_node(node, rewrite, key=None)
    if rewritten == node:
        return json_text
    return json.dumps(rewritten, ensure_ascii=False, separators=(",", ":"))


def framed(key: str, value: str) -> str:
    """Return a value as it stands under its key, so that a name like `api_key` speaks for it."""
    return f'"{key}":"{value}"'


def unescaped_json(json_text: str) -> str:
    """Return a JSON text with what its escapes stand for; quotes and key names stay around the strings."""
    if "\\\\" not in json_text:
        return _unescaped(json_text)
    return "\\".join([_unescaped(part) for part in json_text.split("\\\\")])


def _unescaped(text: str) -> str:
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return _UNICODE_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "\\u" in text else text


def speaking_key(node: dict[str, Any], name: str) -> str:
    """Return what names a member's value: its key, or the name beside it in `{"name": "API_KEY", "value": ...}`."""
    if name != "value":
        return name
    beside = node.get("name", node.get("key"))
    return beside if isinstance(beside, str) else name


def flag_before(node: list[Any], index: int) -> str | None:
    """Return the command-line flag that an item of a list is the value of."""
    before = node[index - 1] if index else None
    return before if isinstance(before, str) and before.startswith("-") else None


def _rewritten(record: _AnyRecord, rewrite: Rewrite, fields: TextFields) -> _AnyRecord:
    changes = _changes(record, rewrite, fields)
    return replace(record, **changes) if changes else record


def _changes(record: TextRecord, rewrite: Rewrite, fields: TextFields) -> dict[str, Any]:
    """Return the fields of a record that were rewritten to something else."""
    changes: dict[str, Any] = {}
    values = iter(fields.values(record))
    # The values are shared out by the order of the names: `zip` asks for a name first and takes no value too many.
    for name, value in zip(fields.names, values, strict=False):
        if value and (rewritten := rewrite(value, is_name=True)) != value:
            changes[name] = rewritten
    for name, value in zip(fields.texts, values, strict=False):
        if value and (rewritten := rewrite(value)) != value:
            changes[name] = rewritten
    for name, value in zip(fields.json_texts, values, strict=False):
        if value and (rewritten := rewrite_json(value, rewrite)) != value:
            changes[name] = rewritten
    return changes


def _rewrite_node(node: object, rewrite: Rewrite, *, key: str | None) -> object:
    if isinstance(node, str):
        return rewrite(node, key=key)
    if isinstance(node, list):
        return [_rewrite_node(item, rewrite, key=flag_before(node, index)) for index, item in enumerate(node)]
    if isinstance(node, dict):
        return {
            rewrite(name): _rewrite_node(value, rewrite, key=speaking_key(node, name)) for name, value in node.items()
        }
    return node
