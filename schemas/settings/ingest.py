"""Settings of ingest: formats, identity fields, limits and redaction."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.settings.section import Section

FieldName = Annotated[str, Field(pattern=r"^[^.]+(\.[^.]+)*$")]
"""A name of a field of a record, or names joined by dots, none of them empty."""


class FieldMapSettings(Section):
    """Where OpenAI-chat rows keep what the format has no standard place for; the first present field is taken.

    A name with dots reaches into nested objects (`extra_info.task_id`).
    """

    native_id: list[FieldName] = Field(default=["trajectory_id", "traj_id", "rollout_id", "uuid", "id"])
    """Fields of a record's own id."""
    task_id: list[FieldName] = Field(default=["task_id", "instance_id", "problem_id", "question_id"])
    """Fields of the task id."""
    reward: list[FieldName] = Field(
        default=["reward", "score", "resolved", "target", "is_correct", "label", "quality_score"]
    )
    """Fields of the reward; converted by the one written table."""
    reward_components: list[FieldName] = Field(default=["reward_components"])
    """Fields of a map from component name to number."""
    messages: list[FieldName] = Field(default=["messages", "conversation", "trajectory", "messages_json"])
    """Fields of the message list; a JSON string of a list is read too."""
    tools: list[FieldName] = Field(default=["tools", "functions"])
    """Fields of the tool schemas."""
    task_text: list[FieldName] = Field(default=["instruction", "task", "problem_statement", "query"])
    """Fields of the task's text; absent, the first user message states the task."""
    env_type: list[FieldName] = Field(default=["env_type"])
    """Fields of the environment's kind."""
    env_name: list[FieldName] = Field(default=["environment", "env_name", "env", "data_source"])
    """Fields of the environment's name."""
    model_name: list[FieldName] = Field(default=["model_name", "model"])
    """Fields of the policy's model name."""
    policy_step: list[FieldName] = Field(default=["policy_step", "global_step", "checkpoint"])
    """Fields of the policy's training step."""
    agent_name: list[FieldName] = Field(default=["agent_name", "agent"])
    """Fields of the agent scaffold's name."""
    agent_version: list[FieldName] = Field(default=["agent_version"])
    """Fields of the agent scaffold's version."""
    rollout_index: list[FieldName] = Field(default=["rollout_index", "trial", "sample_index", "attempt"])
    """Fields of the rollout's index inside its group."""
    run_id: list[FieldName] = Field(default=["run_id", "job_id"])
    """Fields of the run's id."""
    group_id: list[FieldName] = Field(default=["group_id", "episode_group"])
    """Fields of the rollout group's id."""
    termination: list[FieldName] = Field(default=["exit_status", "termination", "stop_reason", "finish_reason"])
    """Fields that say how the rollout ended."""
    error: list[FieldName] = Field(default=["error", "error_type", "exception"])
    """Fields that name an error of the run."""
    started_at: list[FieldName] = Field(default=["started_at", "created_at", "timestamp"])
    """Fields of the start time."""
    repo: list[FieldName] = Field(default=["repo"])
    """Fields of the repository's name."""

    @model_validator(mode="after")
    def _lists_lie_apart(self) -> Self:
        kinds = {name: getattr(self, name) for name in type(self).model_fields}
        for structure in ("messages", "tools", "reward_components"):
            for other in kinds.keys() - {structure}:
                if shared := sorted(set(kinds[structure]) & set(kinds[other])):
                    raise ValueError(f"{shared[0]!r} is named by both {structure} and {other}; name it by one of them")
        return self


class RedactionSettings(Section):
    """Secrets are replaced before anything is stored."""

    enabled: bool = True
    """Off only for lakes that are known to be clean."""
    allow: list[Annotated[str, Field(pattern=r"\S")]] = Field(default=[])
    """Literal strings that are never redacted (documentation examples)."""
    personal_data: bool = False
    """Also replace e-mail addresses, phone numbers and IP addresses."""


class IngestSettings(Section):
    """How records are read."""

    format: Literal[
        "auto",
        "openai_chat",
        "tau_bench",
        "swe_agent",
        "intercode",
        "openai_responses",
        "sharegpt",
        "swe_smith",
        "swe_gym_openhands",
        "nebius_swe_agent",
        "swe_rebench_openhands",
        "terminus_rows",
        "adp",
        "tau2",
        "inspect",
        "otlp",
        "verifiers",
        "verifiers_traces",
        "verl",
        "skyrl",
        "atif",
        "harbor",
        "terminal_bench",
        "mini_swe_agent",
        "openhands",
        "openhands_events",
        "claude_code",
        "codex",
        "reflexion",
    ] = "auto"
    """`auto` detects the format of each file by its content."""
    fields: FieldMapSettings = FieldMapSettings()
    """The field map of OpenAI-chat rows."""
    redaction: RedactionSettings = RedactionSettings()
    """Secrets and personal data."""
    max_record_mb: int = Field(default=64, ge=1, le=1024)
    """Records over this size are quarantined, in MiB: lines, rows, archive members, items of a JSON document."""
    inline_files: Literal["keep", "summarise"] = "keep"
    """What becomes of pictures and other files that lie in messages as base64: kept as they are, or each replaced by
    its type, size and hash."""
    max_depth: int = Field(default=200, ge=8, le=900)
    """Records nested deeper than this are quarantined."""
    max_bad_ratio: float = Field(default=0.5, ge=0, le=1)
    """A run in which more than this share of the records is bad stops before it publishes."""
    reward_range: tuple[float, float] = (-1000.0, 1000.0)
    """Rewards outside this range (bounds included) are kept, flagged `reward_out_of_range` and not scored."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.reward_range
        if low >= high:
            raise ValueError(f"reward_range must rise, got [{low:g}, {high:g}]")
        return self


class IdentitySettings(Section):
    """Which rollouts belong together."""

    policy_fields: list[Literal["model_name", "policy_step", "agent_name", "agent_version", "run_id"]] = Field(
        default=["model_name", "policy_step", "agent_name", "agent_version"], min_length=1
    )
    """Columns whose join names the policy."""
    task_aliases: dict[str, str] = Field(default={})
    """Task id → the task id it stands for; followed to its end."""

    @model_validator(mode="after")
    def _aliases_end(self) -> Self:
        for task_id in self.task_aliases:
            follow_alias(task_id, self.task_aliases)
        return self


def follow_alias(task_id: str, aliases: Mapping[str, str]) -> str:
    """Return the task id that `task_id` stands for, following aliases to their end.

    Raises:
        ValueError: The aliases go round in a circle.
    """
    seen = {task_id}
    while task_id in aliases:
        task_id = aliases[task_id]
        if task_id in seen:
            raise ValueError(f"task_aliases: {task_id!r} is an alias of itself, by way of {sorted(seen)}")
        seen.add(task_id)
    return task_id


class OutcomeSettings(Section):
    """When a rollout counts as a success."""

    success_threshold: float = 1.0
    """The outcome component at or above which a rollout is a success."""
    by_environment: dict[str, float] = Field(default={})
    """Thresholds of single environments."""
    component: str | None = None
    """The reward component that decides; null takes the reward itself, or `unit_test_pass` where the reward is a sum
    with process rewards."""
