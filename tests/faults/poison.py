"""Records that are JSON but not what a reader expects: any value anywhere, doubled keys, absurd sizes."""

import copy
import json
import random
from typing import Any, Final

_DEEP: Final = "DEEP"
_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 3.5, 1e308, 10**30, -(10**40), "", " ", "x", "\x00", "\ud800", "\u2028", "é" * 50,
    "nan", "{",
    "[]", "{}", "null", '"', [], {}, [[]], [None], [{}], {"": None}, {"role": None}, {"role": "user"},
    ["x", 1, None, {}],
    "x" * 3000, float("nan"), float("inf"), _DEEP, 0.1 + 0.2, "1e5", "True", "../../x", {"type": "text", "text": 3},
    {"content": {"content": {"content": []}}}, [{"id": 1, "function": None}], {"name": [], "arguments": {}},
)  # fmt: skip


def poison_line(record: dict[str, Any], rng: random.Random) -> bytes:
    """Return a record as one line of JSON with a few of its values, keys or commas gone wrong."""
    poisoned = copy.deepcopy(record)
    for _ in range(rng.randint(1, 4)):
        _poison(poisoned, rng)
    text = json.dumps(poisoned, ensure_ascii=rng.random() < 0.7).replace(f'"{_DEEP}"', "[" * 400 + "]" * 400)
    if rng.random() < 0.1:
        text = _doubled_key(text, rng)
    return text.encode("utf-8", "surrogatepass").replace(b"\n", b" ")


def _poison(record: dict[str, Any], rng: random.Random) -> None:
    """Change one place of the record."""
    place: Any = record
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.3:
            break
        place = inner
    action = rng.random()
    if action < 0.7:
        place[key] = copy.deepcopy(rng.choice(_VALUES))
    elif action < 0.85:
        del place[key]
    elif isinstance(place, list):
        place.extend(copy.deepcopy(place[:1]) * rng.randint(1, 20))
    else:
        place[rng.choice(("", "é", "id", "role", "reward", "a.b", "__class__", "\x00"))] = place[key]


def _doubled_key(text: str, rng: random.Random) -> str:
    key = rng.choice(("reward", "task_id", "id", "messages", "score", "note"))
    return "{" + f'"{key}": {json.dumps(rng.choice(_VALUES[:12]))}, "{key}": 1, ' + text[1:]
