"""The records that cross a stage: what an adapter yields, and a trajectory as the rest of the pipeline sees it.

An adapter turns one native record into a `Rollout`: header, messages and what was lost. `formats.assembly` turns a
redacted rollout into a `Trajectory`: steps with their calls paired with results. Everything downstream works on
trajectories. All values are plain text, numbers and tuples; variable-shaped values are JSON text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from schemas.quick_init import quick_init
from schemas.reasons import EnvType, QuarantineReason, Termination


@quick_init
@dataclass(frozen=True, slots=True)
class MessageCall:
    """A tool call as a message carries it.

    `arguments_json` is the call's argument object as compact JSON text with sorted keys, or None when the arguments
    are no object; `arguments_raw` is the text as written, kept when it is not the same thing.
    `arguments_state`: ok | unparsed | missing | null | double_encoded.
    """

    name: str
    arguments_json: str | None
    arguments_state: str = "ok"
    arguments_raw: str | None = None
    call_id: str | None = None
    requestor: str = "assistant"


@quick_init
@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation in the canonical form.

    `role` is system | user | assistant | tool; `role_raw` keeps the native word where it differs.
    `content_state`: text | null | missing | parts; for parts, `content` holds the text parts joined by newlines and
    `parts_json` the whole list.
    """

    role: str
    content: str | None
    content_state: str = "text"
    role_raw: str | None = None
    parts_json: str | None = None
    reasoning: str | None = None
    calls: tuple[MessageCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    exit_code: int | None = None
    actor: str | None = None
    requestor: str | None = None
    timestamp: datetime | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    step_reward: float | None = None
    is_demo: bool = False
    is_copied_context: bool = False
    sampled: bool | None = None
    llm_call_count: int | None = None
    extra_json: str | None = None


@quick_init
@dataclass(frozen=True, slots=True)
class Header:
    """What an adapter knows of a rollout beside its messages; names are the columns of `trajectories`.

    `reward` is already converted by `formats.rewards`; None means not scored. `task_text` is the text that states the
    task: the instruction where the format has one, else the first user message. `extra_json` is the object of the
    native fields that no column takes, as compact JSON text.
    """

    source_format: str
    env_type: EnvType = EnvType.OTHER
    task_id: str | None = None
    task_source: str | None = None
    task_text: str | None = None
    group_id: str | None = None
    rollout_index: int | None = None
    run_id: str | None = None
    policy_step: int | None = None
    parent_traj_id: str | None = None
    branch_index: int | None = None
    session_id: str | None = None
    license: str | None = None
    env_name: str | None = None
    repo: str | None = None
    base_commit: str | None = None
    language: str | None = None
    image: str | None = None
    task_checksum: str | None = None
    agent_name: str | None = None
    agent_version: str | None = None
    model_name: str | None = None
    model_provider: str | None = None
    sampling_json: str | None = None
    trainable: bool | None = None
    reward: float | None = None
    reward_raw: str | None = None
    reward_name: str | None = None
    success: bool | None = None
    reward_components: Mapping[str, float] = field(default_factory=dict)
    tests_passed: int | None = None
    tests_failed: int | None = None
    reward_valid: bool = True
    termination: Termination = Termination.UNKNOWN
    termination_raw: str | None = None
    truncated: bool | None = None
    error_type: str | None = None
    error_message: str | None = None
    answer: str | None = None
    submission: str | None = None
    cost_usd: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    duration_s: float | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    tools_json: str | None = None
    extra_json: str | None = None


@quick_init
@dataclass(frozen=True, slots=True)
class Rollout:
    """One native record, read whole: the answer of an adapter.

    `native_id` is the record's own id as text (None when missing or blank). `canonical_sha256` is the hash of the
    native record in canonical JSON, computed on the raw record, so that it is the same wherever the record lies.
    `parent_key` is the record key of the rollout this one is a part of (a subagent, a branch, an earlier context); the
    parent comes right before its parts. `is_header_only` says that the record tells an outcome and, by its format, no
    steps: that it has none says nothing of what the agent did. `subagents` holds the native ids of calls that ran one,
    each with the record key of its rollout, which is a part of this one.
    """

    header: Header
    messages: tuple[Message, ...]
    native_id: str | None
    canonical_sha256: str
    record_key: str
    record_offset: int | None = None
    lost_fields: tuple[str, ...] = ()
    parse_warnings: tuple[str, ...] = ()
    parent_key: str | None = None
    is_header_only: bool = False
    subagents: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that cannot be used. `message` and `excerpt` are redacted before they are stored."""

    record_key: str
    reason: QuarantineReason
    message: str
    byte_offset: int | None = None
    byte_length: int | None = None
    sha256: str | None = None
    stage: str = "ingest"
    excerpt: str | None = None


class Call(NamedTuple):
    """A tool call of a step, paired with its result; names are the columns of `tool_calls`.

    A tuple, as a step is: a table's columns are then taken from all of them at once.
    """

    call_index: int
    call_id: str
    tool_name: str
    tool_kind: str
    arguments_json: str | None
    arguments_state: str
    args_hash: str
    call_id_raw: str | None = None
    id_generated: bool = False
    arguments_raw: str | None = None
    result_text: str | None = None
    result_state: str = "missing"
    is_error: bool | None = None
    exit_code: int | None = None
    paired_by: str | None = None
    requestor: str = "assistant"


class Step(NamedTuple):
    """One step: a message and, for an agent step, its calls and what came back; names are the columns of `steps`.

    `source` is system | user | agent | environment. `obs_text` is the result of the step's only call, or the results
    of several joined by newlines; each stands in its call's `result_text` too.
    """

    step_id: int
    source: str
    message: str | None
    message_state: str
    calls: tuple[Call, ...] = ()
    role_raw: str | None = None
    actor: str | None = None
    timestamp: datetime | None = None
    parts_json: str | None = None
    reasoning: str | None = None
    command: str | None = None
    obs_text: str | None = None
    is_error: bool | None = None
    error_kind: str | None = None
    exit_code: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    step_reward: float | None = None
    is_copied_context: bool = False
    is_demo: bool = False
    sampled: bool | None = None
    llm_call_count: int | None = None
    extra_json: str | None = None


@quick_init
@dataclass(frozen=True, slots=True)
class Trajectory:
    """One rollout as the pipeline sees it: identity, header, steps.

    `subagents` holds the calls that ran a subagent: step id, place among the step's calls, the subagent's `traj_id`.
    """

    traj_id: str
    header: Header
    steps: tuple[Step, ...]
    native_id: str | None
    record_key: str
    record_offset: int | None
    task_hash: str
    system_prompt_hash: str | None
    lost_fields: tuple[str, ...] = ()
    parse_warnings: tuple[str, ...] = ()
    secrets_redacted: Mapping[str, int] = field(default_factory=dict)
    subagents: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """What is read, kept and counted as one: a file, or a fixed range of a line file.

    `unit_key` hashes the content, the sidecars' content, the path facts, the adapter and the ingest settings that
    change data; it says nothing of where the file lies. `uri` is relative to the lake root. `byte_start` and
    `byte_end` bound a line file's range (a line belongs to the range in which it starts); `path_facts` are what the
    adapter reads from the path (a model's folder, a run's file name, a task's id).
    """

    unit_key: str
    uri: str
    adapter: str
    adapter_version: str
    size: int
    sha256: str
    byte_start: int = 0
    byte_end: int | None = None
    sidecars: tuple[str, ...] = ()
    path_facts: tuple[tuple[str, str], ...] = ()
