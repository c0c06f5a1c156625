"""Rollouts with one secret planted in one of their fields, and the test whether it is left in what became of them."""

import base64
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from schemas.records import Header, Message, MessageCall, Rollout

_CALL: Final = MessageCall("run", '{"path":"src/a.py"}', call_id="c1")
_MESSAGES: Final = (
    Message("user", "Please fix the test."),
    Message("assistant", "I look at it.", calls=(_CALL,)),
    Message("tool", "2 failed, 11 passed", tool_call_id="c1"),
)
_ROLLOUT: Final = Rollout(Header("test", task_text="Fix the test."), _MESSAGES, "n1", "0" * 64, "0")

_Place = Callable[[str, random.Random], Rollout]


def _header(name: str) -> _Place:
    return lambda text, rng: replace(_ROLLOUT, header=replace(_ROLLOUT.header, **{name: text}))


def _message(**fields: Callable[[str], object]) -> _Place:
    def place(text: str, rng: random.Random) -> Rollout:
        message = replace(_MESSAGES[2], **{name: make(text) for name, make in fields.items()})
        return replace(_ROLLOUT, messages=(*_MESSAGES[:2], message))

    return place


def _call(**fields: Callable[[str], object]) -> _Place:
    def place(text: str, rng: random.Random) -> Rollout:
        call = replace(_CALL, **{name: make(text) for name, make in fields.items()})
        return replace(_ROLLOUT, messages=(_MESSAGES[0], replace(_MESSAGES[1], calls=(call,)), _MESSAGES[2]))

    return place


def _same(text: str) -> str:
    return text


def _nested(text: str) -> str:
    return json.dumps({"a": [{"b": text}], "n": 1.5})


def _escaped(text: str) -> str:
    """Return JSON in which every character of the text is a Unicode escape."""
    units = text.encode("utf-16-be")
    codes = (f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))
    return f'{{"cmd":"{"".join(codes)}"}}'


PLACES: Final[Mapping[str, _Place]] = {
    **{
        name: _header(name)
        for name in (
            *("task_text", "submission", "answer", "error_message", "error_type", "reward_raw", "termination_raw"),
            *("task_id", "group_id", "run_id", "session_id", "env_name", "repo", "image", "agent_name", "model_name"),
        )
    },
    "tools_json": lambda text, rng: replace(_ROLLOUT, header=replace(_ROLLOUT.header, tools_json=_nested(text))),
    "sampling_json": lambda text, rng: replace(_ROLLOUT, header=replace(_ROLLOUT.header, sampling_json=_nested(text))),
    "content": _message(content=_same),
    "line_start": _message(content=lambda text: f"cat .env\n{text}\nok"),
    "escaped_line_start": _message(content=lambda text: json.dumps({"out": f"cat .env\n{text}\n"})),
    "reasoning": _message(reasoning=_same),
    "parts": _message(parts_json=lambda text: json.dumps([{"type": "text", "text": text}])),
    "extra": _message(extra_json=_nested),
    "actor": _message(actor=_same),
    "tool_call_id": _message(tool_call_id=_same),
    "tool_name": _message(tool_name=_same),
    "arguments": _call(arguments_json=_nested),
    "escaped_arguments": _call(arguments_json=_escaped),
    "twice_escaped_arguments": _call(arguments_json=lambda text: json.dumps({"body": json.dumps({"x": text})})),
    "raw_arguments": _call(arguments_json=lambda text: None, arguments_raw=lambda text: f'{{"cmd": "{text}'),
    "call_id": _call(call_id=_same),
    "call_name": _call(name=_same),
    "native_id": lambda text, rng: replace(_ROLLOUT, native_id=text),
    "parse_warning": lambda text, rng: replace(_ROLLOUT, parse_warnings=(f"odd value {text}",)),
    "lost_field": lambda text, rng: replace(_ROLLOUT, lost_fields=(f"extra.{text}",)),
}
"""Every field that holds text of the record, by name, and how a text comes there."""


def plant_split(secret: str, rng: random.Random, *, over: str) -> Rollout:
    """Return a rollout with a secret cut over two text parts (`parts`) or two messages (`messages`)."""
    cut = rng.randrange(len(secret) // 4, len(secret) * 3 // 4)
    texts = [f"the log says {secret[:cut]}", f"{secret[cut:]} and goes on"]
    if over == "messages":
        return replace(_ROLLOUT, messages=(*_MESSAGES, *(Message("tool", text) for text in texts)))
    parts = json.dumps([{"type": "text", "text": text} for text in texts])
    message = Message("tool", "\n".join(texts), content_state="parts", parts_json=parts)
    return replace(_ROLLOUT, messages=(*_MESSAGES, message))


def plant_encoded(secret: str, rng: random.Random) -> Rollout:
    """Return a rollout with a secret inside a longer text in base64."""
    wrapped = base64.b64encode(f"{'x' * rng.randrange(40)} {secret} end".encode()).decode()
    return replace(_ROLLOUT, messages=(*_MESSAGES, Message("tool", f"echo {wrapped} | base64 -d")))


def is_left(secret: str, rollout: Rollout) -> bool:
    """Say whether a secret, its larger half, an escaped or an encoded form of it is left in a rollout."""
    shown = repr(rollout)
    middle = len(secret) // 2
    forms = [secret, json.dumps(secret)[1:-1], secret[:middle], secret[middle:]] if len(secret) >= 30 else [secret]
    escaped = _escaped(secret)[8:-2]
    encoded = [base64.b64encode(b"x" * shift + secret.encode()).decode()[4:-4] for shift in range(3)]
    return any(form in shown for form in (*forms, escaped, escaped.replace("\\", "\\\\"), *encoded))
