"""Rollouts before they have a format: read, locate, edit, test, retry, with the planted fault in place."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from schemas.reasons import EnvType
from transforms.synthesis.actions import (
    LINE_KINDS_OF,
    PHASE_WEIGHTS,
    Phase,
    write_answer,
    write_call,
    write_check,
    write_read_failure,
    write_thought,
)
from transforms.synthesis.credentials import Secret, draw_secret
from transforms.synthesis.planting import Planted, RolloutPlan, TaskPlan
from transforms.synthesis.realism import REAL_LIMITS
from transforms.synthesis.vocabulary import LinePool, TaskVocabulary, rollout_pools, stream

_Item = TypeVar("_Item")


class Turn(NamedTuple):
    """One agent turn: thought, call and answer; without a tool, `answer` is the user's reply or None at the end."""

    phase: Phase
    thought: str
    tool: str | None
    arguments: dict[str, str]
    answer: str | None


class Loop(NamedTuple):
    """A planted loop: turns in its period and how often the period stands in a row."""

    period: int
    times: int


class Episode(NamedTuple):
    """A rollout: its turns, the tests it passed and what was planted in its text.

    `components` are unit_test_pass, compile_success and file_localization in 0..1.
    """

    task_text: str
    turns: tuple[Turn, ...]
    tests_passed: int
    tests_total: int
    components: tuple[float, float, float]
    loop: Loop | None
    secret: Secret | None


_NUM_STEPS: Final = {EnvType.TERMINAL: (4, 12), EnvType.CODE_REPO: (6, 30), EnvType.CROSS_TOOL: (5, 26)}
"""Agent steps of whole rollouts; inside the real bounds, so that every rollout can hold a call of each kind."""
_INFRA_STEPS: Final = {EnvType.TERMINAL: (2, 4), EnvType.CODE_REPO: (4, 8), EnvType.CROSS_TOOL: (3, 6)}
_LOOP_BASE: Final = {EnvType.TERMINAL: 5, EnvType.CODE_REPO: 9, EnvType.CROSS_TOOL: 8}
_REPLY: Final = "It is %s, for %s since %s."
_INFRA_ANSWERS: Final = {
    "timeout": "sandbox of %s gave no answer for 600 s\n",
    "http_5xx": "upstream %s answered HTTP 503\n",
    "install_failure": "setup of %s failed: no matching distribution\n",
}


def write_task_text(seed: int, task: TaskPlan, *, vocabulary: TaskVocabulary) -> str:
    """Return the statement of a task."""
    rng = stream(seed, "statement", task.number)
    left, right, third, fourth, fifth, sixth = rng.choices(vocabulary.tokens, k=6)
    path, other = rng.sample(vocabulary.paths, k=2)
    quoted = "".join(rng.choices(vocabulary.lines[LINE_KINDS_OF[task.env_type][0]], k=4))
    return (
        f"{left}: {right} is wrong for {third}\n\nWith {fourth} set, `{path}` gives {fifth}, not {sixth}:\n\n"
        f"{quoted}\nExpected: {sixth} in `{other}`; {left} unchanged. [{task.task_id}]"
    )


def write_episode(
    seed: int, task: TaskPlan, plan: RolloutPlan, *, vocabulary: TaskVocabulary, num_chars: float
) -> Episode:
    """Write a rollout that is no copy.

    Args:
        seed: The lake's seed.
        task: The task.
        plan: The rollout.
        vocabulary: The task's vocabulary.
        num_chars: Characters of all answers together, about.
    """
    rng = stream(seed, "episode", task.number, plan.rollout_index)
    total = stream(seed, "tests", task.number).randrange(8, 41)
    components, passed = _judge(rng, plan, total=total)
    phases, loop = _draw_phases(rng, task.env_type, kind=plan.kind)
    num_answers = sum(_has_call(task.env_type, phase) for phase in phases)
    max_errors = int(REAL_LIMITS[task.env_type].error_ratio.high * num_answers)
    failing = _failing_turns(rng, phases, plan=plan, max_errors=max_errors)
    weight = sum(PHASE_WEIGHTS[phase] for phase in _unrolled(phases, loop))
    pools = rollout_pools(rng, vocabulary)
    writer = _TurnWriter(rng, task.env_type, vocabulary, pools, num_chars / max(1.0, weight))
    last_test = max((at for at, phase in enumerate(phases) if phase is Phase.TEST), default=-1)
    turns = []
    for at, phase in enumerate(phases):
        is_last = at == last_test and at in failing
        failed = total - passed if is_last else rng.randrange(1, max(2, total // 2))
        turns.append(writer.write(phase, failed=failed if at in failing else 0, total=total))
    turns = _unrolled(turns, loop)
    if plan.infra_cause is not None:
        fault = _INFRA_ANSWERS[plan.infra_cause] % rng.choice(vocabulary.tokens)
        turns[-1] = turns[-1]._replace(answer=fault)
    secret = draw_secret(rng, plan.secret_kind) if plan.secret_kind is not None else None
    if secret is not None:
        _plant(turns, secret)
    text = write_task_text(seed, task, vocabulary=vocabulary)
    return Episode(text, tuple(turns), passed, total, components, loop, secret)


@dataclass(slots=True)
class _TurnWriter:
    rng: random.Random
    env_type: EnvType
    vocabulary: TaskVocabulary
    pools: Mapping[str, LinePool]
    chars_per_weight: float

    def write(self, phase: Phase, *, failed: int, total: int) -> Turn:
        tokens = self.vocabulary.tokens
        thought = write_thought(self.rng, phase, tokens=tokens)
        if phase is Phase.ASK:
            return Turn(phase, thought, None, {}, _REPLY % tuple(self.rng.choices(tokens, k=3)))
        if not _has_call(self.env_type, phase):
            return Turn(phase, thought, None, {}, None)
        tool, arguments = write_call(self.rng, self.env_type, phase, vocabulary=self.vocabulary)
        return Turn(phase, thought, tool, arguments, self._answer(phase, failed=failed, total=total))

    def _answer(self, phase: Phase, *, failed: int, total: int) -> str:
        num_chars = self.chars_per_weight * PHASE_WEIGHTS[phase]
        if phase is Phase.TEST:
            pool = self.pools[LINE_KINDS_OF[self.env_type][-1]]
            return write_check(
                self.rng,
                self.env_type,
                tokens=self.vocabulary.tokens,
                pool=pool,
                num_chars=num_chars,
                passed=total - failed,
                failed=failed,
            )
        if phase is Phase.READ and failed:
            return write_read_failure(self.rng, self.env_type, vocabulary=self.vocabulary)
        if phase is Phase.FINISH:
            return "submitted"
        return write_answer(
            self.rng, self.env_type, phase, vocabulary=self.vocabulary, pools=self.pools, num_chars=num_chars
        )


def _has_call(env_type: EnvType, phase: Phase) -> bool:
    return phase is not Phase.ASK and (phase is not Phase.FINISH or env_type is EnvType.CODE_REPO)


def _judge(rng: random.Random, plan: RolloutPlan, *, total: int) -> tuple[tuple[float, float, float], int]:
    if plan.is_success:
        return (1.0, 1.0, 1.0), total
    if plan.kind is Planted.NEAR_MISS:
        passed = rng.randrange(-(-total * 7 // 10), total)
        return (round(passed / total, 4), 1.0, 1.0), passed
    compiles = rng.random() < 0.75
    passed = rng.randrange(0, total * 6 // 10) if compiles else 0
    return (round(passed / total, 4), float(compiles), float(rng.random() < 0.5)), passed


def _draw_phases(rng: random.Random, env_type: EnvType, *, kind: Planted) -> tuple[list[Phase], Loop | None]:
    if kind is Planted.INFRA:
        return _arrange(env_type, rng.randint(*_INFRA_STEPS[env_type]), num_leading=2, ends=False), None
    if kind is Planted.LOOP:
        period = rng.randint(1, 2)
        loop = Loop(period, rng.randint(4, 7) if period == 1 else 4)
        return _arrange(env_type, _LOOP_BASE[env_type], num_leading=4, ends=True), loop
    low, high = _NUM_STEPS[env_type]
    num_steps = round(rng.triangular(low, high, low + (high - low) * 0.3))
    return _arrange(env_type, num_steps, num_leading=max(2, num_steps * 2 // 5), ends=True), None


def _arrange(env_type: EnvType, num_steps: int, *, num_leading: int, ends: bool) -> list[Phase]:
    phases = [Phase.ASK, Phase.EXPLORE] if env_type is EnvType.CROSS_TOOL else [Phase.EXPLORE]
    while len(phases) < num_leading:
        phases.append(Phase.LOCATE if phases[-1] is Phase.READ else Phase.READ)
    rest = num_steps - len(phases) - ends
    phases.extend((Phase.EDIT, Phase.TEST, Phase.READ)[at % 3] for at in range(rest))
    if ends:
        if phases[-1] is Phase.READ and rest > 0:
            phases[-1] = Phase.TEST
        phases.append(Phase.FINISH)
    return phases


def _failing_turns(
    rng: random.Random, phases: Sequence[Phase], *, plan: RolloutPlan, max_errors: int
) -> frozenset[int]:
    tests = [at for at, phase in enumerate(phases) if phase is Phase.TEST]
    late, early = tests[max(0, len(tests) - max_errors) :], tests[:-1][:max_errors]
    failing = late if plan.is_success is False else early
    for at, phase in enumerate(phases):
        has_room = len(failing) < max_errors and plan.kind is not Planted.LOOP
        if phase is Phase.READ and has_room and rng.random() < 0.15:
            failing.append(at)
    return frozenset(failing)


def _unrolled(items: list[_Item], loop: Loop | None) -> list[_Item]:
    if loop is None:
        return items
    return items[:2] + items[2 : 2 + loop.period] * loop.times + items[2 + loop.period :]


def _plant(turns: list[Turn], secret: Secret) -> None:
    at = next(at for at, turn in enumerate(turns) if turn.phase is Phase.EXPLORE)
    turns[at] = turns[at]._replace(answer=f"{turns[at].answer}{secret.line}")
