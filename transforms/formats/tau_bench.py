"""tau-bench results: a JSON list of {task_id, reward, info, traj, trial}; `traj` is an OpenAI chat conversation."""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.anthropic_parts import unfolded
from transforms.formats.chat_messages import chat_messages
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import document_records
from transforms.formats.endings import ending_of
from transforms.formats.fields import as_integer, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_components, convert_reward, unread_components
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

ENVIRONMENTS: Final = ("airline", "retail", "telecom", "mock")
STOP_WORD: Final = "###STOP###"
"""What the simulated user says when it is done."""
_WATCHED: Final = frozenset({"task_id", "reward", "trial", "traj"})


class TauBenchAdapter:
    """Reads tau-bench result files."""

    name = "tau_bench"
    version = "3"
    carries = ("messages with calls and results", "task, trial and environment", "reward and its parts", "model")
    loses = ("expected actions", "the user simulator's cost")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return outline.starts_as == "[" and outline.has(1, "task_id", "reward", "info")

    def path_facts(self, uri: str) -> PathFacts:
        """Return the model and the environment that the file name `<model>-<environment>.json` states."""
        stem = uri.rpartition("/")[2].partition(".json")[0]
        for environment in ENVIRONMENTS:
            if stem.endswith(f"-{environment}") or stem.endswith(f"_{environment}"):
                return (("environment", environment), ("model", stem[: -len(environment) - 1]))
        return (("model", stem),)

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        facts = dict(unit.path_facts)
        return build_rollouts(
            document_records(unit, open_file, settings, watched=_WATCHED),
            lambda record: _rollout(record, facts, settings.reward_range),
        )


def _rollout(record: NativeRecord, facts: dict[str, str], reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    if not isinstance(native.get("traj"), list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`traj` is no list of messages")
    messages = chat_messages(unfolded(native["traj"]))
    info = as_object(native.get("info"))
    reward = convert_reward(native.get("reward", MISSING), reward_range)
    ending = ending_of(None, error=info.get("error"))
    user_said = [message.content or "" for message in messages if message.role == "user"]
    is_stopped = ending.termination is Termination.UNKNOWN and bool(user_said) and STOP_WORD in user_said[-1]
    task = as_object(info.get("task"))
    parts = _parts(info.get("reward_info"))
    environment = facts.get("environment")
    header = Header(
        source_format=TauBenchAdapter.name,
        env_type=EnvType.DIALOG,
        env_name=environment,
        task_id=_task_id(native.get("task_id"), environment),
        task_source="tau-bench",
        task_text=as_text(task.get("instruction")) or next(iter(user_said), None),
        rollout_index=as_integer(native.get("trial"), bits=32),
        model_name=facts.get("model"),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="reward",
        reward_components=convert_components(parts),
        reward_valid=ending.reward_valid,
        termination=Termination.FINISHED if is_stopped else ending.termination,
        termination_raw=STOP_WORD if is_stopped else None,
        truncated=False if is_stopped else None,
        error_message=_error_text(info),
        error_type="error" if info.get("error") else None,
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        parse_warnings=(*record.warnings, *reward.warnings),
        lost_fields=tuple(sorted(_losses(info) | unread_components(parts, prefix="info.reward_info.info"))),
    )


def _losses(info: dict[str, Any]) -> set[str]:
    """Return the names of what an info says that no column takes."""
    return (
        untaken({"user_cost": info.get("user_cost")}, (), prefix="info.")
        | untaken({"actions": as_object(info.get("task")).get("actions")}, (), prefix="info.task.")
        | untaken({"actions": as_object(info.get("reward_info")).get("actions")}, (), prefix="info.reward_info.")
    )


def _task_id(raw: Any, environment: str | None) -> str | None:
    """Return the task's id; the numbers restart in every environment, so they are told apart by it."""
    task_id = as_text(raw)
    return task_id if task_id is None or environment is None else f"{environment}/{task_id}"


def _parts(reward_info: Any) -> dict[str, Any]:
    """Return the parts of a reward: each `r_…` of `reward_info.info`."""
    if not isinstance(reward_info, dict) or not isinstance(reward_info.get("info"), dict):
        return {}
    return {name: value for name, value in reward_info["info"].items() if name.startswith("r_")}


def _error_text(info: dict[str, Any]) -> str | None:
    error = info.get("error")
    return error if isinstance(error, str) else None
