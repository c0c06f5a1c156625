from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import EnvType
from transforms.synthesis.planting import COPIES, Category, LakeFormat, Planted, plan_task, worlds


@given(st.integers(0, 2**40), st.integers(0, 10**6), st.integers(1, 40), st.sampled_from([None, *LakeFormat]))
def test_plans_keep_their_promises(seed: int, number: int, num_rollouts: int, only: LakeFormat | None):
    task = plan_task(seed, number, num_rollouts=num_rollouts, only=only)
    plans = task.rollouts
    assert [plan.rollout_index for plan in plans] == list(range(num_rollouts))
    assert plans[0].kind is Planted.PLAIN
    assert sum(plan.kind is not Planted.PLAIN for plan in plans) == num_rollouts * 3 // 8
    for plan in plans:
        assert plan.model_name in task.pass_rates
        assert (plan.original is not None) == (plan.kind in COPIES)
        assert (plan.noise_ratio is not None) == (plan.kind is Planted.NEAR_COPY)
        assert (plan.infra_cause is not None) == (plan.kind is Planted.INFRA)
        assert (plan.is_success is None) == (plan.kind in (Planted.INFRA, Planted.UNSCORED))
        if plan.original is not None:
            source = plans[plan.original]
            assert plan.original < plan.rollout_index
            assert source.kind in (Planted.PLAIN, Planted.NEAR_MISS)
            assert (source.model_name, source.is_success) == (plan.model_name, plan.is_success)
        if task.lake_format is LakeFormat.SWE_AGENT:
            assert plan.kind is not Planted.REPEAT
        if task.category is Category.MASTERED:
            assert plan.is_success is not False
        if task.category is Category.NEVER_SOLVED:
            assert plan.is_success is not True


def test_sixteen_tasks_hold_every_kind_category_and_world():
    tasks = [plan_task(0, number, num_rollouts=8) for number in range(16)]
    assert {plan.kind for task in tasks for plan in task.rollouts} == set(Planted)
    assert {task.category for task in tasks} == set(Category)
    assert {(task.env_type, task.lake_format) for task in tasks} == set(worlds(None))
    assert all(2 <= len(task.pass_rates) <= 3 for task in tasks)


def test_luck_follows_the_true_pass_rate():
    # 3,000 draws of unstable tasks: mean rate .5, four standard errors of the mean are .037.
    tasks = [plan_task(1, number, num_rollouts=8) for number in range(2000)]
    unstable = [task for task in tasks if task.category is Category.UNSTABLE]
    lucky = Counter(plan.is_success for task in unstable for plan in task.rollouts if plan.kind is Planted.PLAIN)
    assert abs(lucky[True] / lucky.total() - 0.5) < 0.04


def test_one_format_keeps_the_environments_it_can_hold():
    assert worlds(LakeFormat.SWE_AGENT) == ((EnvType.CODE_REPO, LakeFormat.SWE_AGENT),)
    assert {env_type for env_type, _ in worlds(LakeFormat.CHAT_PARQUET)} == {
        EnvType.TERMINAL,
        EnvType.CODE_REPO,
        EnvType.CROSS_TOOL,
    }
