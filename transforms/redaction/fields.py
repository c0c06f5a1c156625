"""Where text lies in a rollout: every field that is scanned, and how a rollout is rebuilt with these rewritten."""

import json
import re
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final, Protocol

from schemas.records import Header, Message, MessageCall, Rollout
from transforms.redaction.seams import seam

_Record = Header | Message | MessageCall | Rollout

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


_rollout_texts = attrgetter(*ROLLOUT_NAMES)
_header_texts = attrgetter(*HEADER_NAMES, *HEADER_TEXTS)
_header_json = attrgetter(*HEADER_JSON)
_message_texts = attrgetter(*MESSAGE_NAMES, *MESSAGE_TEXTS)
_message_json = attrgetter(*MESSAGE_JSON)
_call_texts = attrgetter(*CALL_NAMES)
_call_json = attrgetter(*CALL_JSON)

_ESCAPES: Final = (("\\n", "\n"), ('\\"', '"'), ("\\t", "\t"), ("\\/", "/"), ("\\r", "\r"))
_UNICODE_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


class Rewrite(Protocol):
    """Gives the text that stands in place of a text; `key` is the JSON key that the text is the value of."""

    def __call__(self, text: str, *, key: str | None = None, is_name: bool = False) -> str: ...


def scanned_texts(rollout: Rollout) -> list[str]:
    """Return every text of a rollout for the one pass.

    JSON text comes as written and, where it has escapes, without them; a content made of parts comes a second time
    without its line breaks, and what two contents in a row would make is there too, for what was split.
    """
    texts = [*_rollout_texts(rollout), *_header_texts(rollout.header)]
    json_texts = [*_header_json(rollout.header)]
    content_before: str | None = None
    for message in rollout.messages:
        content = message.content
        if halves := seam(content_before, content):
            texts.append("".join(halves))
        if message.parts_json and content and "\n" in content:
            texts.append(content.replace("\n", ""))
        content_before = content
        texts += _message_texts(message)
        json_texts += _message_json(message)
        for call in message.calls:
            texts += _call_texts(call)
            json_texts += _call_json(call)
    escaped = [text for text in json_texts if text and "\\" in text]
    unescaped = [unescaped_json(text) for text in escaped]
    return list(filter(None, [*texts, *json_texts, *unescaped, *rollout.parse_warnings, *rollout.lost_fields]))


def rewrite_rollout(rollout: Rollout, rewrite: Rewrite) -> Rollout:
    """Return the rollout with every text rewritten, always in the same order."""
    names = _rewritten(rollout, rewrite, names=ROLLOUT_NAMES)
    header = _rewritten(rollout.header, rewrite, names=HEADER_NAMES, texts=HEADER_TEXTS, json_texts=HEADER_JSON)
    messages = []
    for message in rollout.messages:
        changes = _rewritten(message, rewrite, names=MESSAGE_NAMES, texts=MESSAGE_TEXTS, json_texts=MESSAGE_JSON)
        calls = tuple(
            replace(call, **_rewritten(call, rewrite, names=CALL_NAMES, json_texts=CALL_JSON))
            for call in message.calls
        )
        messages.append(replace(message, calls=calls, **changes))
    return replace(
        rollout,
        header=replace(rollout.header, **header),
        messages=tuple(messages),
        parse_warnings=tuple(rewrite(warning) for warning in rollout.parse_warnings),
        lost_fields=tuple(rewrite(name) for name in rollout.lost_fields),
        **names,
    )


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
    return "\\".join(_unescaped(part) for part in json_text.split("\\\\"))


def _unescaped(text: str) -> str:
    for escape, character in _ESCAPES:
        text = text.replace(escape, character)
    return _UNICODE_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "\\u" in text else text


def _speaking_key(node: dict[str, Any], name: str) -> str:
    """Return what names a member's value: its key, or the name beside it in `{"name": "API_KEY", "value": ...}`."""
    if name != "value":
        return name
    beside = node.get("name", node.get("key"))
    return beside if isinstance(beside, str) else name


def _flag_before(node: list[Any], index: int) -> str | None:
    """Return the command-line flag that an item of a list is the value of."""
    before = node[index - 1] if index else None
    return before if isinstance(before, str) and before.startswith("-") else None


def _rewritten(
    record: _Record,
    rewrite: Rewrite,
    *,
    names: tuple[str, ...] = (),
    texts: tuple[str, ...] = (),
    json_texts: tuple[str, ...] = (),
) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name in names:
        if value := getattr(record, name):
            changes[name] = rewrite(value, is_name=True)
    for name in texts:
        if value := getattr(record, name):
            changes[name] = rewrite(value)
    for name in json_texts:
        if value := getattr(record, name):
            changes[name] = rewrite_json(value, rewrite)
    return changes


def _rewrite_node(node: object, rewrite: Rewrite, *, key: str | None) -> object:
    if isinstance(node, str):
        return rewrite(node, key=key)
    if isinstance(node, list):
        return [_rewrite_node(item, rewrite, key=_flag_before(node, index)) for index, item in enumerate(node)]
    if isinstance(node, dict):
        return {
            rewrite(name): _rewrite_node(value, rewrite, key=_speaking_key(node, name)) for name, value in node.items()
        }
    return node
