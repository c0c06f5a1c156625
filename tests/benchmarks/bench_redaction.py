"""Speed of redaction, rollout in to redacted rollout out, in MB of decoded text per CPU second.

Plain lakes have rollouts of 20 KB and 200 KB of which 4 % hold a secret; hostile ones hold a secret every 65 bytes,
near-misses of every well-known form, or both, or 200 KB of one form repeated, of which four times the same text may
cost 4.4 times as much. Each figure is the best of many turns of one thread, a shape of three, with the shipped
catalogue loaded; beside it stands how long a plain Python loop takes a turn, which tells a busy machine.

    python -m tests.benchmarks.bench_redaction
"""

import argparse
import json
import random
import string
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from schemas.records import Header, Message, MessageCall, Rollout
from tests.rule_examples import draw_example
from transforms.redaction.encoded import holds_decoded
from transforms.redaction.engine import Redactor
from transforms.redaction.fields import scanned_texts

_ALNUM: Final = string.ascii_letters + string.digits
_DENSE: Final = ("ghp_{a36}", "AKIA{u16}", "sk-ant-{w60}", "API_TOKEN={a24}", "postgres://u:{a16}@h/db")
_SHAPE_BYTES: Final = 200_000
_SHAPES: Final = (
    *(
        "AK" + "IA",
        "AK" + "IA{u15} ",
        "ey" + "J.",
        "ey" + "J{a12}.",
        "xox" + "b-",
        "gh" + "p_{a35} ",
        "sk-",
        "sk-abc-",
    ),
    *("-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n{s64}\n", "key=", "api_key=", "api_key={a6} "),
    *("{s64}", "{s76}\n", "{h64}", "{h40} ", "://a:b@", "http://a:b@h ", "http://u:{a20}@h ", "x://", "secret ", " "),
    *("password='{a7}' ", "cookie: ", "cookie: a=b;a=b;\n", "authorization: bearer ", "curl -u ", "mysql -", "\\"),
    *('"name": "api_key", "value": ', '{"api_key":"', "token=AAAAAAAA1a{a12} ", "token=A1b2C3d4{a40} ", "<SECRET_1>"),
    *("abcde_{a33} ", "AccountKey={s39};", "?sig={a39}&", "login a password ", "--token ", "datadog {h32} "),
    *(
        "cGFzc3dvcmQg{a40}\n",
        "aHR0cHM6Ly9{a40}\n",
        "algolia_key={h32}\n",
        "fastly_token: {a32}\n",
        "{a24}.{a6}.{a27} ",
        "token1:",
        "token1:token1: ",
        "secret|a1,",
        "token {h31} ",
        "password1 (see 7) {a9} ",
    ),
)
_ADVERSARIAL: Final = (
    *("token='{a20}' ", 'password: "{a9}!" ', "x token is {a12} ", "# token\n", "token\n{a20}\n", "'{a20}' # token\n"),
    *("id|token|h\n1|{a20}|b\n", "token,secret,password\n", "API_KEY ", "token (a) (b) (c) ", "token <b> <i> <p> "),
    *("max_tokens: 4096, ", "{w60}.token.", "the token of the house is 7 ", "token='' ", "token=0x12345678 "),
    *("a_{a30}_", "{h31}.", "token \\n\\n", "token=[REDACTED:{a8}] ", "key: {a7}; "),
)
"""Shapes around names: every gap, quote, line and column that a look goes over, with and without a value behind."""
_GROWTH: Final = 4
_GROWTH_TURNS: Final = 4
_PLAIN_BAR: Final = 50
"""MB/s; what is faster grows with the processor's caches as much as with the text."""
_NEAR: Final = (
    *("gh" + "p_", "AK" + "IA", "sk-" + "ant-", "token=", 'password: "', "eyJ", "://", "-----BEGIN ", "SK", "@"),
    *("Authorization: Bearer ", "xox" + "b-", "curl -u ", '"api_key": "', "h" + "f_", "gl" + "pat-", "secret "),
    *("datadog=", "cookie: ", "0123456789abcdef" * 2),
)


def main() -> None:
    """Print one line a lake and the least figures last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15, help="turns of which the best counts")
    turns = parser.parse_args().turns
    rng = random.Random(17)
    redactor = Redactor()
    redactor.redact_text("the catalogue is loaded")
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(3000)]
    plain = {
        "no secret": [_plain(rng, words, kilobytes=20, has_secret=False) for _ in range(150)],
        "4 % flagged, 20 KB": [_plain(rng, words, kilobytes=20, has_secret=index % 25 == 0) for index in range(150)],
        "4 % flagged, 200 KB": [_plain(rng, words, kilobytes=200, has_secret=index == 0) for index in range(25)],
    }
    hostile = {
        "secrets": [_hostile(lambda: f"{' '.join(rng.choices(words, k=4))} {_secret(rng)}")],
        "near-misses": [_hostile(lambda: "".join(_near(rng) for _ in range(6)))],
        "both": [_hostile(lambda: f"{_near(rng)}{_secret(rng)}{rng.choice(_NEAR)}")],
    }
    print(f"one turn of a Python loop: {_loop_ns():.0f} ns")
    least_plain = min(_measure(name, rollouts, redactor, turns=turns) for name, rollouts in plain.items())
    least_hostile = min(_measure(name, rollouts, redactor, turns=turns) for name, rollouts in hostile.items())
    shapes = {shape: _shape(shape, rng) for shape in (*_SHAPES, *_ADVERSARIAL)}
    speeds = {shape: _measure(repr(shape), [text], redactor, turns=3) for shape, text in shapes.items()}
    worst = min(speeds, key=lambda shape: speeds[shape])
    print(f"worst shape: {worst!r} {speeds[worst]:.1f} MB/s")
    slow = [shape for shape in shapes if speeds[shape] < _PLAIN_BAR]
    growths = {shape: _growth(shapes[shape], redactor) for shape in slow}
    steepest = max(growths, key=lambda shape: growths[shape])
    print(f"{_GROWTH} times the text costs at most {growths[steepest]:.1f} times the time: {steepest!r} (bar 4.4)")
    print(f"redaction: plain {least_plain:.0f} MB/s (bar {_PLAIN_BAR}), hostile {least_hostile:.1f} MB/s (bar 5)")


def _measure(name: str, rollouts: Sequence[Rollout], redactor: Redactor, *, turns: int) -> float:
    size = sum(len(text.encode()) for rollout in rollouts for text in scanned_texts(rollout).texts) / 1e6
    best, num_secrets = float("inf"), 0
    for _ in range(turns):
        holds_decoded.cache_clear()
        start = time.process_time()
        counts = [redactor.redact_rollout(rollout)[1] for rollout in rollouts]
        best = min(best, time.process_time() - start)
        num_secrets = sum(sum(kinds.values()) for kinds in counts)
    flagged = sum(map(bool, counts)) / len(counts)
    print(f"{name:>34}: {size / best:7.1f} MB/s  {size:5.2f} MB, {num_secrets} secrets, {flagged:.0%} flagged")
    return size / best


def _plain(rng: random.Random, words: list[str], *, kilobytes: int, has_secret: bool) -> Rollout:
    def sentence(num_words: int) -> str:
        return " ".join(rng.choices(words, k=num_words))

    messages = []
    for index in range(kilobytes // 2):
        lines = [f"{sentence(9)} {rng.randrange(10**6)} /usr/lib/{rng.choice(words)}.py" for _ in range(18)]
        if has_secret and index == kilobytes // 4:
            lines.append(_secret(rng))
        arguments = json.dumps({"command": f"{sentence(12)}\n{sentence(10)}", "path": f"/a/{rng.choice(words)}"})
        call = MessageCall("bash", arguments, call_id=f"call_{index}")
        messages += [
            Message("assistant", sentence(30), calls=(call,)),
            Message("tool", "\n".join(lines), tool_call_id=f"call_{index}"),
        ]
    return Rollout(Header("t", task_text=sentence(40)), tuple(messages), None, "0" * 64, "0")


def _hostile(line: Callable[[], str]) -> Rollout:
    messages = [Message("tool", "\n".join(line() for _ in range(100))) for _ in range(15)]
    return Rollout(Header("t"), tuple(messages), None, "0" * 64, "0")


def _growth(rollout: Rollout, redactor: Redactor) -> float:
    """Return how many times the time of a text the same text four times over costs, the least of a few turns each."""
    content = rollout.messages[0].content or ""
    repeated = replace(rollout, messages=(Message("tool", content * _GROWTH),))
    costs = []
    for each in (rollout, repeated):
        best = float("inf")
        for _ in range(_GROWTH_TURNS):
            holds_decoded.cache_clear()
            start = time.process_time()
            redactor.redact_rollout(each)
            best = min(best, time.process_time() - start)
        costs.append(best)
    return costs[1] / costs[0]


def _shape(shape: str, rng: random.Random) -> Rollout:
    pieces = [draw_example(shape, rng)[0]]
    while len(pieces) * len(pieces[0]) < _SHAPE_BYTES:
        pieces.append(draw_example(shape, rng)[0])
    return Rollout(Header("t"), (Message("tool", "".join(pieces)),), None, "0" * 64, "0")


def _secret(rng: random.Random) -> str:
    return draw_example(rng.choice(_DENSE), rng)[0]


def _near(rng: random.Random) -> str:
    return rng.choice(_NEAR) + "".join(rng.choices(_ALNUM, k=rng.randrange(12))) + rng.choice(" ,;\"'/=")


def _loop_ns() -> float:
    best = float("inf")
    for _ in range(50):
        start = time.process_time()
        for _ in range(100_000):
            pass
        best = min(best, time.process_time() - start)
    return best * 1e4


if __name__ == "__main__":
    main()
