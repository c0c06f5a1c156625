"""Harbor trial folders: `result.json` tells task and outcome, `agent/trajectory*.json` (ATIF) what the agent did."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.accounting import mapped_names
from transforms.formats.atif import SUBAGENT, WATCHED, atif_rollout, subagent_calls, with_subagents, without_subagents
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import document_records, load_sidecar
from transforms.formats.endings import Ending, ending_of
from transforms.formats.fields import as_count, as_datetime, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, Reward, convert_components, convert_reward, unread_components
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

NO_TRAJECTORY: Final = "no_trajectory"
"""Warning: the trial has no ATIF file, so that its outcome is all there is."""
NO_TOTAL_REWARD: Final = "no_total_reward"
"""Warning: the verifier gave several rewards and none named `reward`: which one counts would be a guess."""
Value = TypeVar("Value")
CONTEXT: Final = "/context:"
"""Stands in a record's key before the number of an earlier context of the same run."""
_WATCHED: Final = frozenset({"task_name", "trial_name", "rewards", "reward"})
_MAIN: Final = "trajectory.json"
_FIELDS: Final = frozenset(
    {
        "id", "task_name", "trial_name", "task_id", "task_checksum", "source", "agent_info", "agent_result",
        "verifier_result", "exception_info", "reward_valid", "started_at", "finished_at", "agent_execution",
    }
)  # fmt: skip
_AGENT_RESULT: Final = frozenset({"n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"})
_EXCEPTION: Final = frozenset({"exception_type", "exception_message"})


class HarborAdapter:
    """Reads Harbor trials; the k trials of a task share its `task_name`.

    A run whose context was cut and continued in another file is scored once, in its last context; the earlier ones,
    and subagents, are unscored parts of it.
    """

    name = "harbor"
    version = "3"
    carries = (
        "everything of the ATIF trajectory, its continuations and subagents",
        "task name, checksum and data set",
        "the verifier's rewards by name",
        "exceptions and whether the reward counts",
        "agent, model, tokens, cost and times",
    )
    loses = (
        "configuration",
        "results of single steps of multi-step trials",
        "rollout details (token ids)",
        "traceback",
        "timings of set-up and verification",
    )

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        return outline.shape != "parquet" and outline.has(0, "task_name", "trial_name")

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        folder = "/".join((*uri.split("/")[:-1], "agent"))
        return tuple(
            path
            for path in listing.by_folder.get(folder, ())
            if (name := path.rpartition("/")[2]).startswith("trajectory") and name.endswith(".json")
        )

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        for record in document_records(unit, open_file, settings, watched=_WATCHED):
            if isinstance(record, BadRecord):
                yield record
            else:
                record = record._replace(offset=0, length=unit.size)
                yield from _trial(record, _trajectories(unit, open_file, settings), settings)


def _trajectories(
    unit: SourceUnit, open_file: OpenFile, settings: IngestSettings
) -> dict[str, NativeRecord | BadRecord]:
    """Return the trial's trajectories by file name."""
    found: dict[str, NativeRecord | BadRecord] = {}
    for uri in unit.sidecars:
        name = uri.rpartition("/")[2]
        key = f"file:{name}"
        try:
            parsed = load_sidecar(uri, open_file, settings, watched=WATCHED)
        except RecordError as error:
            found[name] = BadRecord(key, error.reason, f"{name}: {error}")
        except (UnreadableError, OSError) as error:
            found[name] = BadRecord(key, QuarantineReason.UNREADABLE, f"{name}: {error}")
        else:
            is_object = isinstance(parsed.value, dict)
            found[name] = (
                NativeRecord(key, parsed.value, warnings=parsed.warnings)
                if is_object
                else BadRecord(key, QuarantineReason.NOT_AN_OBJECT, f"{name} is no object")
            )
    return found


def _trial(
    record: NativeRecord, files: dict[str, NativeRecord | BadRecord], settings: IngestSettings
) -> Iterator[Rollout | BadRecord]:
    """Yield the trial's scored rollout, then its earlier contexts and its subagents.

    A trial whose scored trajectory cannot be read is told by that file's bad record.
    """
    contexts = _contexts(files)
    last = files[contexts[-1]] if contexts else None
    if isinstance(last, BadRecord):
        yield last
        inner: list[NativeRecord | BadRecord] = []
    else:
        task_text = _task_text(files[contexts[0]]) if contexts else None
        yield from build_rollouts(
            [record],
            lambda result: _scored(result, last, task_text=task_text, settings=settings),
            sources=lambda result: (result.value, *(() if last is None else without_subagents(last))),
            known=mapped_names(settings.fields),
        )
        inner = [] if last is None else list(with_subagents([last._replace(key=record.key)]))[1:]
    earlier = [_keyed(files[name], f"{record.key}{CONTEXT}{n}") for n, name in enumerate(contexts[:-1])]
    names = sorted(name for name in files if name not in contexts)
    others = [_keyed(files[name], f"{record.key}{SUBAGENT}{name}") for name in names]
    parts = [*with_subagents([*earlier, *others]), *inner]
    yield from build_rollouts(
        parts,
        lambda part: _part(part, record.value, settings),
        sources=without_subagents,
        known=mapped_names(settings.fields),
    )


def _part(part: NativeRecord, result: dict[str, Any], settings: IngestSettings) -> Rollout:
    """Return the unscored rollout of an earlier context or a subagent of a trial."""
    rollout = atif_rollout(part, settings.fields)
    header = replace(rollout.header, source_format=HarborAdapter.name, env_type=EnvType.TERMINAL)
    parent = part.key.rpartition(SUBAGENT)[0] or part.key.rpartition(CONTEXT)[0]
    if SUBAGENT not in part.key:
        number = int(part.key.rpartition(CONTEXT)[2])
        header = replace(header, branch_index=number, task_id=as_text(result.get("task_name")))
    trial_id = _native_id(result)
    native_id = rollout.native_id or (f"{trial_id}{part.key}" if trial_id else None)
    return replace(rollout, header=header, parent_key=parent, native_id=native_id)


def _scored(
    record: NativeRecord, trajectory: NativeRecord | None, *, task_text: str | None, settings: IngestSettings
) -> Rollout:
    """Return the rollout that carries the trial's outcome; without a trajectory it has no messages."""
    native = record.value
    ran = None if trajectory is None else atif_rollout(trajectory, settings.fields)
    base = Header(HarborAdapter.name) if ran is None else ran.header
    header, warnings = _header(
        native, replace(base, task_text=task_text or base.task_text), reward_range=settings.reward_range
    )
    losses = set() if ran is None else set(ran.lost_fields)
    return Rollout(
        header=header,
        messages=() if ran is None else ran.messages,
        native_id=_native_id(native),
        canonical_sha256=canonical_hash([native, None if trajectory is None else trajectory.value]),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(losses | _losses(native))),
        parse_warnings=(*record.warnings, *warnings, *((NO_TRAJECTORY,) if ran is None else ran.parse_warnings)),
        is_header_only=ran is None,
        subagents=() if trajectory is None else tuple(subagent_calls(trajectory.value, record.key)),
    )


def _keyed(item: NativeRecord | BadRecord, key: str) -> NativeRecord | BadRecord:
    return item._replace(key=key) if isinstance(item, NativeRecord) else item


def _contexts(files: dict[str, NativeRecord | BadRecord]) -> list[str]:
    """Return the names of the files a run went through, first to last: each names the one that continues it."""
    names: list[str] = []
    name: str | None = _MAIN
    while name in files and name not in names:
        names.append(name)
        item = files[name]
        reference = item.value.get("continued_trajectory_ref") if isinstance(item, NativeRecord) else None
        name = reference.rpartition("/")[2] if isinstance(reference, str) else None
    return names


def _task_text(first: NativeRecord | BadRecord | None) -> str | None:
    steps = first.value.get("steps") if isinstance(first, NativeRecord) else None
    said = (step.get("message") for step in steps or () if isinstance(step, dict) and step.get("source") == "user")
    return next((text for text in said if isinstance(text, str) and text), None)


def _native_id(native: dict[str, Any]) -> str | None:
    return as_text(native.get("id")) or as_text(native.get("trial_name"))


def _header(
    native: dict[str, Any], base: Header, *, reward_range: tuple[float, float]
) -> tuple[Header, tuple[str, ...]]:
    """Return the header of a trial and the warnings its rewards gave; `base` is the trajectory's header."""
    agent = as_object(native.get("agent_info"))
    model = as_object(agent.get("model_info"))
    spent = as_object(native.get("agent_result"))
    fault = as_object(native.get("exception_info"))
    ending = _ending(fault)
    rewards = as_object(native.get("verifier_result")).get("rewards")
    name, reward, warnings = _reward(native.get("verifier_result"), reward_range)
    timing = as_object(native.get("agent_execution"))
    started = as_datetime(timing.get("started_at", native.get("started_at")))
    ended = as_datetime(timing.get("finished_at", native.get("finished_at")))
    header = replace(
        base,
        source_format=HarborAdapter.name,
        env_type=EnvType.TERMINAL,
        task_id=as_text(native.get("task_name")),
        task_source=as_text(native.get("source")),
        task_checksum=as_text(native.get("task_checksum")),
        run_id=as_text(as_object(native.get("config")).get("job_id")),
        agent_name=as_text(agent.get("name")) or base.agent_name,
        agent_version=as_text(agent.get("version")) or base.agent_version,
        model_name=as_text(model.get("name")) or base.model_name,
        model_provider=as_text(model.get("provider")),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name=name,
        reward_components=convert_components(rewards),
        reward_valid=ending.reward_valid and native.get("reward_valid") is not False,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        error_type=as_text(fault.get("exception_type")),
        error_message=as_text(fault.get("exception_message")),
        prompt_tokens=_or(as_count(spent.get("n_input_tokens")), base.prompt_tokens),
        completion_tokens=_or(as_count(spent.get("n_output_tokens")), base.completion_tokens),
        cached_tokens=_or(as_count(spent.get("n_cache_tokens")), base.cached_tokens),
        cost_usd=_or(as_number(spent.get("cost_usd")), base.cost_usd),
        started_at=started or base.started_at,
        ended_at=ended or base.ended_at,
        duration_s=None if started is None or ended is None else (ended - started).total_seconds(),
    )
    return header, (*reward.warnings, *warnings)


def _or(stated: Value | None, other: Value | None) -> Value | None:
    return other if stated is None else stated


def _ending(fault: dict[str, Any]) -> Ending:
    error = {"type": fault.get("exception_type"), "message": fault.get("exception_message")}
    return ending_of(fault.get("exception_type"), error=error if fault else None)


def _reward(result: Any, reward_range: tuple[float, float]) -> tuple[str | None, Reward, tuple[str, ...]]:
    """Return the name and value of the reward that counts: `reward`, or the only one; none where nothing is scored.

    What stands in place of the map of rewards, or of the object that holds it, is the reward itself.
    """
    if result is not None and not isinstance(result, dict):
        return "verifier_result", convert_reward(result, reward_range), ()
    rewards = as_object(result).get("rewards")
    if rewards is not None and not isinstance(rewards, dict):
        return "rewards", convert_reward(rewards, reward_range), ()
    if not rewards:
        return None, Reward(None, None), ()
    name = "reward" if "reward" in rewards else next(iter(rewards))
    if name != "reward" and len(rewards) > 1:
        return None, Reward(None, None), (NO_TOTAL_REWARD,)
    return name, convert_reward(rewards.get(name, MISSING), reward_range), ()


def _losses(native: dict[str, Any]) -> set[str]:
    return (
        untaken(native, _FIELDS)
        | untaken(as_object(native.get("agent_result")), _AGENT_RESULT, prefix="agent_result.")
        | untaken(as_object(native.get("exception_info")), _EXCEPTION, prefix="exception_info.")
        | untaken(as_object(native.get("verifier_result")), {"rewards"}, prefix="verifier_result.")
        | unread_components(
            as_object(as_object(native.get("verifier_result")).get("rewards")), prefix="verifier_result.rewards"
        )
    )
