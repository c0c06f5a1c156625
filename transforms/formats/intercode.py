"""InterCode results: a map of records, bare or under `logs`; each record is the turns of one agent on one query."""

from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import EnvType, QuarantineReason, Termination
from schemas.records import BadRecord, Header, Message, MessageCall, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text, message_call
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import load_document, map_records
from transforms.formats.fields import as_integer, as_items, as_object
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import (
    MISSING,
    Reward,
    convert_components,
    convert_reward,
    number_said,
    unread_components,
)
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

_WATCHED: Final = frozenset({"task_id", "query", "turn_history", "summary", "max_reward", "rewards"})
_TOOLS: Final = {"ic_bash": "bash", "ic_sql": "sql", "ic_python": "python", "ic_ctf": "bash"}
_FIELDS: Final = frozenset({"environment", "dataset", "query", "turn_history", "summary", "info"})
_TURN_COLUMNS: Final = frozenset({"actions", "observations", "rewards", "valid_action"})
_EXECUTE: Final = "execute["
BLOCKED: Final = "blocked"
"""Stands in place of an answer that the provider's safety filter withheld; nothing was run."""
SUBMIT: Final = "submit"


class InterCodeAdapter:
    """Reads InterCode result files.

    `task_id` restarts in every query set, so the query's text is the task.
    """

    name = "intercode"
    version = "3"
    carries = (
        "query, thoughts, actions and observations of every turn",
        "best reward and its parts, reward per turn",
        "ending and turn limit",
        "model and run from the path",
    )
    loses = ("task number (it restarts in every query set)", "reference solution and states", "unknown fields")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        level = 2 if outline.has(0, "logs") else 1
        return outline.starts_as == "{" and (
            outline.has(level, "query", "turn_history") or outline.has(1, "query", "turn_history")
        )

    def path_facts(self, uri: str) -> PathFacts:
        """Return the model (folder) and the run (file name)."""
        *_, folder, name = ("", *uri.split("/"))
        return (("model", folder), ("run", name.partition(".json")[0]))

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        return ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        facts = dict(unit.path_facts)
        document = load_document(unit, open_file, settings, watched=_WATCHED)
        if isinstance(document, BadRecord):
            return iter((document,))
        logs, around = _logs(document.value)
        return build_rollouts(
            map_records(document._replace(value=logs)),
            lambda record: _rollout(record, facts, settings.reward_range),
            sources=lambda record: (record.value, around),
        )


def _logs(native: Any) -> tuple[Any, dict[str, Any]]:
    """Return the map of runs, and what a file that keeps it under `logs` says beside it."""
    if isinstance(native, dict) and isinstance(native.get("logs"), dict) and "turn_history" not in native["logs"]:
        return native["logs"], {name: value for name, value in native.items() if name != "logs"}
    return native, {}


def _rollout(record: NativeRecord, facts: dict[str, str], reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    query, turns = native.get("query"), native.get("turn_history")
    if not isinstance(query, str):
        raise RecordError(QuarantineReason.INVALID_VALUE, "`query` is no text")
    if not isinstance(turns, dict) or not isinstance(turns.get("actions"), list):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`turn_history.actions` is no list")
    summary = as_object(native.get("summary"))
    info = as_object(native.get("info"))
    reward = _reward(summary, turns, reward_range)
    environment = native.get("environment") if isinstance(native.get("environment"), str) else None
    messages = (Message("user", query), *_turn_messages(turns, _TOOLS.get(environment or "", "bash")))
    termination, word = _ending(turns["actions"], summary, reward)
    header = Header(
        source_format=InterCodeAdapter.name,
        env_type=EnvType.TERMINAL,
        env_name=environment,
        task_source=native.get("dataset") if isinstance(native.get("dataset"), str) else None,
        task_text=query,
        run_id=facts.get("run"),
        model_name=facts.get("model") or None,
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="max_reward",
        reward_components=convert_components(info.get("reward")),
        termination=termination,
        termination_raw=word,
        truncated=None if termination is Termination.UNKNOWN else termination is Termination.MAX_STEPS,
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        lost_fields=tuple(
            sorted(
                _losses(native, turns, summary)
                | untaken(info, {"reward"}, prefix="info.")
                | unread_components(info.get("reward"), prefix="info.reward")
            )
        ),
        parse_warnings=(*record.warnings, *reward.warnings),
    )


def _losses(native: dict[str, Any], turns: dict[str, Any], summary: dict[str, Any]) -> set[str]:
    thoughts = {"thoughts"} if _column(turns, "thoughts") else {"steps"}
    return (
        untaken(native, _FIELDS)
        | untaken(turns, _TURN_COLUMNS | thoughts, prefix="turn_history.")
        | untaken(summary, {"max_reward", "turns_max", "turns_taken"}, prefix="summary.")
        | _overhang(turns, thoughts)
        | _unread_rewards(turns)
    )


def _unread_rewards(turns: dict[str, Any]) -> set[str]:
    """Return the places of the turns' rewards that the conversion table has no rule for."""
    rewards = turns.get("rewards")
    parts = dict(enumerate(rewards)) if isinstance(rewards, list) else rewards
    return unread_components(parts, prefix="turn_history.rewards")


def _overhang(turns: dict[str, Any], thoughts: set[str]) -> set[str]:
    """Return the columns that hold more turns than there are actions: what is beyond the last action has no place."""
    count = len(turns["actions"])
    return {
        f"turn_history.{name}[{count}:]"
        for name in sorted(_TURN_COLUMNS | thoughts)
        if len(_column(turns, name)) > count
    }


def _reward(summary: dict[str, Any], turns: dict[str, Any], reward_range: tuple[float, float]) -> Reward:
    """Return the summary's best reward; without one, the best of the turns."""
    if summary.get("max_reward") is not None:
        return convert_reward(summary["max_reward"], reward_range)
    scored = [number for item in _column(turns, "rewards") if (number := number_said(item)) is not None]
    return convert_reward(max(scored) if scored else MISSING, reward_range)


def _ending(actions: list[Any], summary: dict[str, Any], reward: Reward) -> tuple[Termination, str | None]:
    last = actions[-1] if actions else None
    if last == SUBMIT:
        return Termination.SUBMITTED, SUBMIT
    if last == BLOCKED:
        return Termination.GAVE_UP, BLOCKED
    if reward.value is not None and reward.value >= 1.0:
        return Termination.FINISHED, None
    limit = as_integer(summary.get("turns_max"))
    if limit is not None and len(actions) >= limit:
        return Termination.MAX_STEPS, "turns_max"
    return Termination.UNKNOWN, None


def _turn_messages(turns: dict[str, Any], tool: str) -> Iterator[Message]:
    """Yield the agent's message and the shell's answer of every turn."""
    thoughts = _column(turns, "thoughts") or _column(turns, "steps")
    observations, rewards, valid = (_column(turns, name) for name in ("observations", "rewards", "valid_action"))
    for index, action in enumerate(turns["actions"]):
        if not isinstance(action, str):
            kind = type(action).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"action {index} is no text but {kind}")
        thought, scored, is_valid = (
            column[index] if index < len(column) else None for column in (thoughts, rewards, valid)
        )
        is_blocked = action == BLOCKED and index >= len(observations)
        reward = None if scored is None else number_said(scored)
        said: dict[str, Any] = {"blocked": True} if is_blocked else {}
        said |= {} if isinstance(thought, str | None) else {"thought": thought}
        said |= {"reward": scored} if reward is None and scored is not None else {}
        said |= {} if isinstance(is_valid, bool | None) else {"valid_action": is_valid}
        yield Message(
            "assistant",
            thought if isinstance(thought, str) else None,
            "text" if isinstance(thought, str) else "missing",
            calls=() if is_blocked else (_call(action, tool),),
            step_reward=reward,
            sampled=True,
            extra_json=canonical_text(said) if said else None,
        )
        if index < len(observations):
            observation = observations[index]
            yield Message(
                "tool",
                observation if isinstance(observation, str | None) else canonical_text(observation),
                "null" if observation is None else "text",
                is_error=not is_valid if isinstance(is_valid, bool) else None,
            )


def _column(turns: dict[str, Any], name: str) -> list[Any]:
    return as_items(turns.get(name))


def _call(action: str, tool: str) -> MessageCall:
    """Return the call of an action: `submit`, `execute[…]` or the command itself."""
    if action == SUBMIT:
        return message_call(SUBMIT, {})
    if action.startswith(_EXECUTE) and action.endswith("]"):
        return message_call(tool, {"command": action[len(_EXECUTE) : -1]})
    return message_call(tool, {"command": action})
