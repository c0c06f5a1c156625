"""What an agent does in a phase of its work: thought, tool call and form of the answer, per environment."""

import random
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from schemas.reasons import EnvType
from transforms.synthesis.vocabulary import LinePool, TaskVocabulary


class Phase(StrEnum):
    """A kind of turn."""

    ASK = "ask"
    EXPLORE = "explore"
    READ = "read"
    LOCATE = "locate"
    EDIT = "edit"
    TEST = "test"
    FINISH = "finish"


LINE_KINDS_OF: Final[Mapping[EnvType, tuple[str, ...]]] = {
    EnvType.TERMINAL: ("code", "log", "test"),
    EnvType.CODE_REPO: ("code", "search", "test"),
    EnvType.CROSS_TOOL: ("record", "log"),
}
"""Kinds of lines an environment shows; its files are made of the first."""

PHASE_WEIGHTS: Final[Mapping[Phase, float]] = {
    Phase.ASK: 0.0,
    Phase.EXPLORE: 1.5,
    Phase.READ: 4.0,
    Phase.LOCATE: 2.5,
    Phase.EDIT: 0.6,
    Phase.TEST: 3.0,
    Phase.FINISH: 0.0,
}
"""Shares of a rollout's observation text by phase."""

_THOUGHTS: Final[Mapping[Phase, tuple[str, ...]]] = {
    Phase.ASK: ("Could you tell me %s and the %s, please?", "Is this about %s or rather %s?"),
    Phase.EXPLORE: ("Start with %s to see what %s holds.", "A look around: %s, then %s."),
    Phase.READ: ("Open %s, since %s is set there.", "%s calls %s, so I read on.", "What does %s do with %s?"),
    Phase.LOCATE: ("Where is %s used besides %s?", "Searching %s for the use of %s."),
    Phase.EDIT: ("%s must become %s here.", "Change %s so that %s holds.", "I rewrite %s in terms of %s."),
    Phase.TEST: ("Check %s against %s.", "Does %s pass with the new %s?", "Run %s, watching %s."),
    Phase.FINISH: ("%s and %s are done.", "Changed %s; %s stays as it was."),
}

_READ_FAILURES: Final[Mapping[EnvType, str]] = {
    EnvType.TERMINAL: "cat: %s: No such file or directory\n",
    EnvType.CODE_REPO: "open %s: No such file or directory\n",
    EnvType.CROSS_TOOL: "Error: record %s unknown\n",
}


def write_thought(rng: random.Random, phase: Phase, *, tokens: list[str]) -> str:
    """Return what the agent says before the call."""
    templates = _THOUGHTS[phase]
    return templates[rng.randrange(len(templates))] % (rng.choice(tokens), rng.choice(tokens))


def write_call(
    rng: random.Random, env_type: EnvType, phase: Phase, *, vocabulary: TaskVocabulary
) -> tuple[str, dict[str, str]]:
    """Return the tool's name and arguments."""
    if env_type is EnvType.TERMINAL:
        return "bash", {"command": _command(rng, phase, vocabulary=vocabulary)}
    if env_type is EnvType.CODE_REPO:
        return _repository_call(rng, phase, vocabulary=vocabulary)
    return _record_call(rng, phase, vocabulary=vocabulary)


def write_answer(
    rng: random.Random,
    env_type: EnvType,
    phase: Phase,
    *,
    vocabulary: TaskVocabulary,
    pools: Mapping[str, LinePool],
    num_chars: float,
) -> str:
    """Return the answer to a call that works, of about `num_chars` characters; reading shows text of the task."""
    kinds = LINE_KINDS_OF[env_type]
    if phase is Phase.READ:
        shown = rng.choice(vocabulary.files)[: int(num_chars * 0.9)]
        return shown + pools[kinds[0]].text(rng, num_chars - len(shown))
    if phase is Phase.EDIT:
        return f"{rng.choice(vocabulary.paths)} changed\n" + pools[kinds[0]].text(rng, num_chars)
    return pools[kinds[1]].text(rng, num_chars)


def write_read_failure(rng: random.Random, env_type: EnvType, *, vocabulary: TaskVocabulary) -> str:
    """Return the answer to a call that names what does not exist."""
    return _READ_FAILURES[env_type] % rng.choice(vocabulary.paths)


def write_check(
    rng: random.Random,
    env_type: EnvType,
    *,
    tokens: list[str],
    pool: LinePool,
    num_chars: float,
    passed: int,
    failed: int,
) -> str:
    """Return the output of a test run; it reads as an error when tests fail."""
    body = pool.text(rng, num_chars)
    if env_type is EnvType.CROSS_TOOL:
        if failed:
            return f"Error: {rng.choice(tokens)} violates {rng.choice(tokens)} ({failed} of {failed + passed})\n{body}"
        return f"{body}{passed} hold for {rng.choice(tokens)}\n"
    if failed:
        names = rng.choices(tokens, k=2 * min(failed, 4))
        body += "".join(
            f"FAILED tests/test_{left}.py::test_{right} - {right} != {left}\n"
            for left, right in zip(names[::2], names[1::2], strict=True)
        )
        return f"{body}{failed} failed, {passed} passed in {rng.randrange(100, 9000) / 100}s\n"
    return f"{body}{passed} passed in {rng.randrange(100, 9000) / 100}s\n"


def _command(rng: random.Random, phase: Phase, *, vocabulary: TaskVocabulary) -> str:
    path = rng.choice(vocabulary.paths)
    left, right = rng.choices(vocabulary.tokens, k=2)
    if phase is Phase.EXPLORE:
        return f"ls -la {path.rsplit('/', 1)[0]}"
    if phase is Phase.READ:
        start = rng.randrange(1, 400)
        return f"sed -n '{start},{start + 80}p' {path}"
    if phase is Phase.LOCATE:
        return f"tail -n 200 logs/{left}.log | grep {right}"
    if phase is Phase.EDIT:
        body = "".join(rng.choices(vocabulary.lines["code"], k=rng.randrange(1, 4)))
        return f"cat >> {path} <<'END'\n{body}END"
    return f"python -m pytest -q tests/test_{left}.py -k {right}"


def _repository_call(rng: random.Random, phase: Phase, *, vocabulary: TaskVocabulary) -> tuple[str, dict[str, str]]:
    path = rng.choice(vocabulary.paths)
    line = rng.randrange(1, 900)
    if phase is Phase.EXPLORE:
        return "list_files", {"path": path.rsplit("/", 1)[0]}
    if phase is Phase.READ:
        return "open_file", {"path": path, "line": str(line)}
    if phase is Phase.LOCATE:
        return "search_code", {"text": rng.choice(vocabulary.tokens), "path": path.rsplit("/", 1)[0]}
    if phase is Phase.EDIT:
        body = "".join(rng.choices(vocabulary.lines["code"], k=rng.randrange(1, 6)))
        return "edit_file", {"path": path, "lines": f"{line}:{line + 6}", "text": body}
    if phase is Phase.TEST:
        return "run_tests", {"target": f"tests/test_{rng.choice(vocabulary.tokens)}.py"}
    return "submit", {"summary": " ".join(rng.choices(vocabulary.tokens, k=6))}


def _record_call(rng: random.Random, phase: Phase, *, vocabulary: TaskVocabulary) -> tuple[str, dict[str, str]]:
    left, right, value = rng.choices(vocabulary.tokens, k=3)
    record_id = f"{vocabulary.words[rng.randrange(12)]}-{left}-{rng.randrange(10**5, 10**6)}"
    if phase is Phase.EXPLORE:
        return "list_records", {"customer_id": record_id, "kind": right}
    if phase is Phase.READ:
        return "get_record", {"record_id": record_id}
    if phase is Phase.LOCATE:
        return "find_records", {"field": f"{left}_{right}", "value": value}
    if phase is Phase.EDIT:
        return "update_record", {"record_id": record_id, "changes": f"{right}={value}", "reason": f"{value} {left}"}
    return "check_state", {"record_id": record_id, "policy": f"{left} {right}"}
