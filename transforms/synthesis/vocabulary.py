"""Seeded words, identifiers and lines: all text of the sample lake is drawn here, from no corpus.

A task has its own words, so tasks share little text; a rollout mixes lines of its task with lines of its own, so
rollouts of a task share some. Long text is joined from pools of 256 lines that one `randbytes` call indexes, which is
what makes a lake of gigabytes cheap.
"""

import random
from collections.abc import Mapping
from typing import Final, NamedTuple

from transforms.store.keys import sha_hex

_ONSETS: Final = (*"bcdfghjklmnpqrstvwz", "br", "ch", "cl", "dr", "fl", "gl", "gr", "kl", "pl", "sk", "st", "tr", "vr")
_RHYMES: Final = ("a", "e", "i", "o", "u", "an", "or", "el")
_SYLLABLES: Final = tuple(onset + rhyme for onset in _ONSETS for rhyme in _RHYMES)

LINE_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "code": (
        "    %s = self.%s(%s, %s)\n",
        "    if %s > %s.%s:\n        return %s\n",
        "    for %s in %s.%s(%s):\n",
        "def %s(%s, %s=%s):\n",
        "    # %s %s %s %s\n",
        "    %s.%s[%s] += %s\n",
        "from %s.%s import %s, %s\n",
        "    raise ValueError('%s %s %s %s')\n",
    ),
    "log": (
        "INFO %s.%s: %s took %s ms\n",
        "DEBUG [%s] %s -> %s (%s)\n",
        "%s: %s %s %s\n",
        "WARN %s.%s retry=%s %s\n",
        "  %s=%s %s=%s\n",
    ),
    "test": (
        "tests/%s/test_%s.py::test_%s_%s PASSED\n",
        "%s/test_%s.py ....%s %s\n",
        "  %s %s: %s == %s ok\n",
        "tests/test_%s.py::Test%s::test_%s[%s] PASSED\n",
    ),
    "search": (
        "src/%s/%s.py: %s(%s)\n",
        "%s/%s.py:    return %s.%s\n",
        "lib/%s_%s.py: class %s_%s:\n",
    ),
    "record": (
        '{"%s": "%s", "%s": "%s"},\n',
        '{"%s_id": "%s", "items": ["%s", "%s"]},\n',
        '{"%s": {"%s": "%s", "at": "%s"}},\n',
    ),
}
"""Line templates by kind, four slots each; no template has five fixed words in a row."""

POOL_SIZE: Final = 256
_TASK_LINES: Final = 320
_SHARED_LINES: Final = 160
_NUM_FILES: Final = 2


def stream(seed: int, purpose: str, *ids: str | int) -> random.Random:
    """Return the generator of one purpose and id; streams of different purposes or ids are independent."""
    return random.Random(int(sha_hex(seed, purpose, *ids)[:32], 16))


def make_words(rng: random.Random, count: int) -> list[str]:
    """Return pronounceable words of two or three syllables."""
    raw = rng.randbytes(count * 4)
    words = []
    for at in range(0, count * 4, 4):
        tail = _SYLLABLES[raw[at + 2]] if raw[at + 3] & 1 else ""
        words.append(_SYLLABLES[raw[at]] + _SYLLABLES[raw[at + 1]] + tail)
    return words


def make_tokens(rng: random.Random, words: list[str], count: int) -> list[str]:
    """Return what fills line templates: half words, three in eight identifiers of two words, one in eight numbers."""
    first = rng.choices(words, k=count)
    second = rng.choices(words, k=count)
    tokens = []
    for at in range(count):
        kind = at & 7
        if kind < 4:
            tokens.append(first[at])
        elif kind < 7:
            tokens.append(f"{first[at]}_{second[at]}")
        else:
            tokens.append(str(rng.randrange(100_000)))
    return tokens


def make_lines(rng: random.Random, kind: str, *, tokens: list[str], count: int) -> list[str]:
    """Return lines of a kind of `LINE_KINDS`."""
    templates = LINE_KINDS[kind]
    num_templates = len(templates)
    fills = rng.choices(tokens, k=count * 4)
    return [templates[at % num_templates] % tuple(fills[at * 4 : at * 4 + 4]) for at in range(count)]


class TaskVocabulary(NamedTuple):
    """The text a task's rollouts are made of: words, names, the lines they draw from and the files they read."""

    words: list[str]
    tokens: list[str]
    paths: list[str]
    lines: Mapping[str, list[str]]
    files: list[str]


class LinePool(NamedTuple):
    """256 lines and their mean length in characters."""

    lines: list[str]
    mean_chars: float

    def text(self, rng: random.Random, num_chars: float) -> str:
        """Return about `num_chars` characters of whole lines, at least one."""
        count = max(1, round(num_chars / self.mean_chars))
        return "".join(map(self.lines.__getitem__, rng.randbytes(count)))


def task_vocabulary(seed: int, task_index: int, *, kinds: tuple[str, ...], file_chars: int) -> TaskVocabulary:
    """Draw the vocabulary of a task.

    Args:
        seed: The lake's seed.
        task_index: The task's number.
        kinds: Kinds of lines its environment shows.
        file_chars: Length of each of its two files, about.
    """
    rng = stream(seed, "vocabulary", task_index)
    words = make_words(rng, 320)
    tokens = make_tokens(rng, words, 512)
    paths = [f"src/{words[at]}/{words[at + 1]}_{words[at + 2]}.py" for at in range(0, 60, 3)]
    lines = {kind: make_lines(rng, kind, tokens=tokens, count=_TASK_LINES) for kind in kinds}
    source = lines[kinds[0]]
    per_file = max(4, file_chars * _TASK_LINES // sum(map(len, source)))
    files = ["".join(rng.choices(source, k=per_file)) for _ in range(_NUM_FILES)]
    return TaskVocabulary(words, tokens, paths, lines, files)


def rollout_pools(rng: random.Random, vocabulary: TaskVocabulary) -> dict[str, LinePool]:
    """Mix, for each kind, 160 lines of the task with 96 of words that only this rollout has."""
    own = make_tokens(rng, make_words(rng, 120), 192)
    pools = {}
    for kind, shared in vocabulary.lines.items():
        start = rng.randrange(_TASK_LINES - _SHARED_LINES)
        lines = shared[start : start + _SHARED_LINES] + make_lines(
            rng, kind, tokens=own, count=POOL_SIZE - _SHARED_LINES
        )
        pools[kind] = LinePool(lines, sum(map(len, lines)) / POOL_SIZE)
    return pools
