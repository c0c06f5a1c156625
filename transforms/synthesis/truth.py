"""What the sample lake says of itself: one truth row per record, per task and per planted secret."""

from collections.abc import Mapping

from transforms.synthesis.chat_records import Record
from transforms.synthesis.episodes import Episode
from transforms.synthesis.near_copies import body_text, jaccard, word_shingles
from transforms.synthesis.planting import COPIES, Planted, RolloutPlan, TaskPlan
from transforms.synthesis.shards import Place


def rollout_truth(
    task: TaskPlan,
    plan: RolloutPlan,
    *,
    reward: float | None,
    episodes: Mapping[int, Episode],
    places: Mapping[int, tuple[Place, str | None]],
) -> Record:
    """Return what is true of one record.

    Args:
        task: Its task.
        plan: Its plan.
        reward: The reward as written, None when there is none.
        episodes: The task's episodes so far by rollout index, its own among them.
        places: Place and native id (None where the format has none) of the task's records so far, its own among them.
    """
    episode = episodes[plan.rollout_index]
    place, native_id = places[plan.rollout_index]
    original = places[plan.original] if plan.original is not None else None
    group = plan.original if plan.original is not None else plan.rollout_index
    return {
        "native_id": native_id,
        "uri": place.uri,
        "record": place.record,
        "task_id": task.task_id,
        "rollout_index": plan.rollout_index,
        "env_type": task.env_type.value,
        "format": task.lake_format.value,
        "model_name": plan.model_name,
        "category": task.category.value,
        "true_pass_rate": task.pass_rates[plan.model_name],
        "kind": plan.kind.value,
        "group": f"{task.task_id}/{group}",
        "original_native_id": original[1] if original is not None else None,
        "original_uri": original[0].uri if original is not None else None,
        "original_record": original[0].record if original is not None else None,
        "noise_ratio": plan.noise_ratio,
        "similarity": _similarity(plan, episodes),
        "outcome": _outcome(plan),
        "reward": reward,
        "unit_test_pass": episode.components[0] if plan.is_success is not None else None,
        "loop_period": episode.loop.period if episode.loop is not None else None,
        "loop_times": episode.loop.times if episode.loop is not None else None,
        "infra_cause": plan.infra_cause,
        "num_steps": len(episode.turns),
        "num_secrets": int(episode.secret is not None),
    }


def task_truth(task: TaskPlan) -> Record:
    """Return what is true of a task: its category and each policy's pass rate."""
    return {
        "task_id": task.task_id,
        "env_type": task.env_type.value,
        "format": task.lake_format.value,
        "category": task.category.value,
        "num_records": len(task.rollouts),
        "num_repeats": sum(plan.kind is Planted.REPEAT for plan in task.rollouts),
        "pass_rates": dict(task.pass_rates),
    }


def secret_truth(episode: Episode, *, place: Place, native_id: str | None) -> Record | None:
    """Return the secret planted in a record, None when there is none."""
    if episode.secret is None:
        return None
    secret = episode.secret
    return {
        "native_id": native_id,
        "uri": place.uri,
        "record": place.record,
        "kind": secret.kind,
        "value": secret.value,
    }


def _similarity(plan: RolloutPlan, episodes: Mapping[int, Episode]) -> float | None:
    if plan.kind not in COPIES or plan.original is None:
        return None
    if plan.kind is not Planted.NEAR_COPY:
        return 1.0
    left, right = (word_shingles(body_text(episodes[at])) for at in (plan.original, plan.rollout_index))
    return round(jaccard(left, right), 4)


def _outcome(plan: RolloutPlan) -> str:
    if plan.kind is Planted.INFRA:
        return "invalid"
    if plan.is_success is None:
        return "unscored"
    return "success" if plan.is_success else "failure"
