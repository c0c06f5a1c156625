"""tau2-bench results: one `results.json` with all simulations, or `results.json` and `simulations/*.json` beside it.

In the second layout every simulation file is a unit of its own, joined with `results.json`, and `results.json` is a
unit that tells the simulations its index names but whose file is missing.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from schemas.reasons import EnvType, QuarantineReason
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.documents import list_records, load_document, read_sidecar, warned
from transforms.formats.endings import ending_of
from transforms.formats.fields import as_datetime, as_integer, as_number, as_object, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_components, convert_reward, unread_components
from transforms.formats.tau2_messages import tau2_messages
from transforms.formats.tools import tools_text
from transforms.reading.failures import RecordError
from transforms.reading.lake import Listing
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline
from transforms.reading.strict_json import Parsed

FOLDER: Final = "simulations"
RESULTS: Final = "results.json"
USER_FAULTS: Final = ("critical_user_error", "user_hallucination")
"""Warnings: a review found that the simulated user, not the agent, decided the outcome."""
_WATCHED: Final = frozenset({"id", "task_id", "trial", "reward", "messages", "simulations"})
_TAKEN: Final = frozenset(
    {
        "id", "task_id", "trial", "start_time", "end_time", "timestamp", "duration", "termination_reason",
        "agent_cost", "reward_info", "messages", "mode",
    }
)  # fmt: skip
_OF_RECORDS: Final = frozenset({"tasks", "simulations", "simulation_index"})
_TAKEN_OF_REWARD: Final = frozenset({"reward", "reward_breakdown", "db_check", "reward_basis"})


class _Context(NamedTuple):
    """What `results.json` says of all simulations; `rest` is what it says beside tasks and simulations."""

    info: dict[str, Any]
    tasks: dict[str, dict[str, Any]]
    rest: dict[str, Any]

    def sources(self, record: NativeRecord) -> tuple[Any, ...]:
        """Return what speaks of a simulation: it itself, the results around it and its own task."""
        task = self.tasks.get(as_text(record.value.get("task_id")) or "")
        return record.value, self.rest, {} if task is None else {"tasks": [task]}


class Tau2Adapter:
    """Reads tau2-bench results, both layouts."""

    name = "tau2"
    version = "4"
    carries = (
        "messages of both sides", "calls of agent and simulated user", "results with error flags", "reward",
        "reward parts", "termination", "agent cost", "tokens", "times", "task", "trial",
    )  # fmt: skip
    loses = (
        "policy text of the domain", "user simulator's model and cost", "evaluation criteria and single checks",
        "raw provider answers", "audio, ticks of voice runs", "texts of reviews",
    )  # fmt: skip

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        if outline.starts_as != "{" or len(outline.records) > 1:
            return False
        is_described = outline.has(0, "info") and outline.has(1, "user_info", "environment_info")
        is_results = is_described or outline.has(0, "simulations", "tasks") or outline.has(0, "simulations", "info")
        return is_results or outline.has(0, "task_id", "termination_reason", "start_time")

    def path_facts(self, uri: str) -> PathFacts:
        return ()

    def sidecars(self, uri: str, listing: Listing) -> tuple[str, ...]:
        """Return the results of a simulation file, or the simulation files of a results file."""
        folder, _, name = uri.rpartition("/")
        above, _, last = folder.rpartition("/")
        if last == FOLDER:
            results = f"{above}/{RESULTS}" if above else RESULTS
            return (results,) if results in listing.known else ()
        inside = f"{folder}/{FOLDER}/" if folder else f"{FOLDER}/"
        return tuple(found for found in listing.uris if found.startswith(inside)) if name == RESULTS else ()

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        document = load_document(unit, open_file, settings, watched=_WATCHED)
        if isinstance(document, BadRecord):
            yield document
            return
        value = as_object(document.value)
        is_results = "info" in value and "messages" not in value
        beside = next((uri for uri in unit.sidecars if uri.rpartition("/")[2] == RESULTS), None)
        head = Parsed(value) if is_results else read_sidecar(beside, open_file, settings)
        context = _context(head.value)
        records = _simulations(value, document, unit) if is_results else list_records(document)
        rollouts = build_rollouts(
            records,
            lambda record: _rollout(record, context, settings.reward_range),
            sources=context.sources,
        )
        yield from warned(rollouts, head)


def _simulations(value: dict[str, Any], document: Parsed, unit: SourceUnit) -> Iterator[NativeRecord | BadRecord]:
    simulations = value.get("simulations")
    if isinstance(simulations, list) and simulations:
        yield from list_records(document._replace(value=simulations))
        return
    if simulations is not None and not isinstance(simulations, list):
        yield BadRecord("document", QuarantineReason.INVALID_VALUE, "`simulations` is no list", 0, unit.size)
    elif simulations is None and "simulation_index" not in value:
        message = "the results hold neither `simulations` nor an index of them"
        yield BadRecord("document", QuarantineReason.MISSING_MESSAGES, message, 0, unit.size)
    present = {uri.rpartition("/")[2].partition(".json")[0] for uri in unit.sidecars}
    index = value.get("simulation_index")
    for number, entry in enumerate(index if isinstance(index, list) else []):
        name = as_text(as_object(entry).get("id"))
        if name is None or name not in present:
            message = "the index names a simulation whose file is missing"
            yield BadRecord(f"index:{number}", QuarantineReason.MISSING_MESSAGES, message)


def _context(head: dict[str, Any]) -> _Context:
    tasks = head.get("tasks")
    by_id = {as_text(task.get("id")): task for task in (tasks if isinstance(tasks, list) else []) if _is_object(task)}
    rest = {name: value for name, value in head.items() if name not in _OF_RECORDS}
    return _Context(
        as_object(head.get("info")), {name: task for name, task in by_id.items() if name is not None}, rest
    )


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _rollout(record: NativeRecord, context: _Context, reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    if not isinstance(native.get("messages"), list):
        kind = "it is a voice run of ticks" if native.get("ticks") else "the simulation has none"
        raise RecordError(QuarantineReason.MISSING_MESSAGES, f"`messages` is no list: {kind}")
    messages = tau2_messages(native["messages"])
    reward_info = as_object(native.get("reward_info"))
    name, raw_reward = _raw_reward(native.get("reward_info"))
    reward = convert_reward(raw_reward, reward_range)
    ending = ending_of(native.get("termination_reason"))
    faults = _user_faults(native)
    agent, environment = (as_object(context.info.get(name)) for name in ("agent_info", "environment_info"))
    domain, task_id = as_text(environment.get("domain_name")), as_text(native.get("task_id"))
    header = Header(
        source_format=Tau2Adapter.name,
        env_type=EnvType.DIALOG,
        env_name=domain,
        # A domain numbers its tasks from the start, so a task is told by both.
        task_id=f"{domain}/{task_id}" if domain and task_id else task_id,
        task_source="tau2-bench",
        task_text=_task_text(context.tasks.get(task_id or "", {}), messages),
        rollout_index=as_integer(native.get("trial"), bits=32),
        agent_name=as_text(agent.get("implementation")),
        model_name=as_text(agent.get("llm")),
        sampling_json=canonical_text(agent["llm_args"]) if as_object(agent.get("llm_args")) else None,
        tools_json=tools_text(environment.get("tool_defs")),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name=name,
        reward_components=convert_components(_parts(reward_info)),
        reward_valid=ending.reward_valid and not faults,
        termination=ending.termination,
        termination_raw=ending.raw,
        truncated=ending.is_truncated,
        cost_usd=as_number(native.get("agent_cost")),
        prompt_tokens=_sum_of_agent(messages, "prompt_tokens"),
        completion_tokens=_sum_of_agent(messages, "completion_tokens"),
        duration_s=as_number(native.get("duration")),
        started_at=as_datetime(native.get("start_time")),
        ended_at=as_datetime(native.get("end_time")),
    )
    return Rollout(
        header=header,
        messages=messages,
        native_id=as_text(native.get("id")),
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=_lost_fields(native, reward_info, context),
        parse_warnings=(*record.warnings, *reward.warnings, *faults),
    )


def _lost_fields(native: dict[str, Any], reward_info: dict[str, Any], context: _Context) -> tuple[str, ...]:
    raw = ("messages[].raw_data",) if any(as_object(item).get("raw_data") for item in native["messages"]) else ()
    named = untaken(reward_info, _TAKEN_OF_REWARD, prefix="reward_info.") | untaken(native, _TAKEN)
    task = context.tasks.get(as_text(native.get("task_id")) or "", {})
    around = (
        untaken(
            {"policy": as_object(context.info.get("environment_info")).get("policy")},
            (),
            prefix="info.environment_info.",
        )
        | untaken({"user_info": context.info.get("user_info")}, (), prefix="info.")
        | untaken({"evaluation_criteria": task.get("evaluation_criteria")}, (), prefix="tasks[].")
    )
    return (*raw, *sorted(around | named | unread_components(_parts(reward_info), prefix="reward_info")))


def _raw_reward(reward_info: Any) -> tuple[str | None, Any]:
    """Return the name and value of the reward: some writers give it in place of the object that holds it."""
    if isinstance(reward_info, dict):
        return ("reward" if reward_info else None), reward_info.get("reward", MISSING)
    return (None, MISSING) if reward_info is None else ("reward_info", reward_info)


def _user_faults(native: dict[str, Any]) -> tuple[str, ...]:
    reviews = [as_object(native.get(name)) for name in ("review", "user_only_review")]
    is_critical = any(review.get("critical_user_error") is True for review in reviews)
    is_invented = as_object(native.get("hallucination_check")).get("hallucination_found") is True
    return tuple(name for name, found in zip(USER_FAULTS, (is_critical, is_invented), strict=True) if found)


def _parts(reward_info: dict[str, Any]) -> dict[str, Any]:
    """Return the parts the reward rests on; a database check counts only where it is one of them.

    In a domain without a database the check compares nothing and always holds.
    """
    parts = dict(as_object(reward_info.get("reward_breakdown")))
    basis = reward_info.get("reward_basis")
    if "DB" in parts or (isinstance(basis, list) and "DB" in basis):
        parts["db_match"] = as_object(reward_info.get("db_check")).get("db_match")
    return {name.lower(): value for name, value in parts.items()}


def _task_text(task: dict[str, Any], messages: tuple[Message, ...]) -> str | None:
    """Return what the simulated user is told to want; without it, the user's first words."""
    told = as_object(task.get("user_scenario")).get("instructions")
    if isinstance(told, dict):
        parts = [told.get(name) for name in ("reason_for_call", "known_info", "task_instructions")]
        told = "\n".join(part for part in parts if isinstance(part, str) and part.strip())
    if isinstance(told, str) and told.strip():
        return told
    return next((message.content for message in messages if message.role == "user" and message.content), None)


def _sum_of_agent(messages: tuple[Message, ...], name: str) -> int | None:
    counts = [getattr(message, name) for message in messages if message.role == "assistant"]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
