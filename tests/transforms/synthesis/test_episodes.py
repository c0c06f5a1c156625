from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.reasons import EnvType
from transforms.synthesis.actions import LINE_KINDS_OF, Phase
from transforms.synthesis.chat_records import chat_messages
from transforms.synthesis.episodes import Episode, write_episode
from transforms.synthesis.planting import COPIES, LakeFormat, Planted, TaskPlan, plan_task
from transforms.synthesis.realism import REAL_LIMITS, Measure, measure_messages, measure_swe_agent
from transforms.synthesis.swe_agent_records import action_text
from transforms.synthesis.vocabulary import task_vocabulary


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 10**6), st.sampled_from([200.0, 4_000.0, 40_000.0]))
def test_every_rollout_lies_within_the_real_ones(seed: int, number: int, num_chars: float):
    task = plan_task(seed, number, num_rollouts=8)
    limits = REAL_LIMITS[task.env_type]
    for episode in _episodes(seed, task, num_chars).values():
        measure = _measure(task, episode)
        assert limits.num_steps.holds(measure.num_steps)
        assert all(limits.call_chars.holds(chars) for chars in measure.call_chars)
        assert limits.error_ratio.holds(measure.error_ratio)


def test_planted_kinds_look_as_they_should():
    seen = set()
    for number in range(48):
        task = plan_task(0, number, num_rollouts=8)
        for at, episode in _episodes(0, task, 3_000.0).items():
            plan = task.rollouts[at]
            seen.add(plan.kind)
            _check_kind(plan.kind, episode, is_success=plan.is_success)
            assert (episode.secret is not None) == (plan.secret_kind is not None)
            if episode.secret is not None:
                assert any(episode.secret.value in (turn.answer or "") for turn in episode.turns)
    assert seen == set(Planted) - set(COPIES)


def test_repository_work_reads_before_it_edits_and_tests_after():
    task = plan_task(0, 1, num_rollouts=8)
    assert task.env_type is EnvType.CODE_REPO
    phases = [turn.phase for turn in _episodes(0, task, 5_000.0)[0].turns]
    assert phases[0] is Phase.EXPLORE
    assert phases[-1] is Phase.FINISH
    assert phases.index(Phase.READ) < phases.index(Phase.EDIT) < phases.index(Phase.TEST)


def _check_kind(kind: Planted, episode: Episode, *, is_success: bool | None) -> None:
    unit, compiles, localized = episode.components
    if is_success:
        assert (unit, compiles, localized) == (1.0, 1.0, 1.0)
    if is_success is False:
        assert unit < 1.0
    if kind is Planted.NEAR_MISS:
        assert 0.7 <= unit < 1.0
        assert (compiles, localized) == (1.0, 1.0)
    if kind is Planted.LOOP:
        assert episode.loop is not None
        period, times = episode.loop
        block = episode.turns[2 : 2 + period]
        assert times >= 4
        assert episode.turns[2 : 2 + period * times] == block * times
    else:
        assert episode.loop is None
    if kind is Planted.INFRA:
        assert episode.turns[-1].phase is not Phase.FINISH


def _episodes(seed: int, task: TaskPlan, num_chars: float) -> dict[int, Episode]:
    vocabulary = task_vocabulary(seed, task.number, kinds=LINE_KINDS_OF[task.env_type], file_chars=500)
    return {
        plan.rollout_index: write_episode(seed, task, plan, vocabulary=vocabulary, num_chars=num_chars)
        for plan in task.rollouts
        if plan.kind not in COPIES
    }


def _measure(task: TaskPlan, episode: Episode) -> Measure:
    if task.lake_format is LakeFormat.SWE_AGENT:
        return measure_swe_agent([{"action": action_text(turn), "observation": turn.answer} for turn in episode.turns])
    return measure_messages(chat_messages(task.env_type, episode, call_prefix="c"))
