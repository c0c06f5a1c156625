"""Settings of judging, selection, seeds and balance."""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.reasons import Difficulty, OutcomeClass
from schemas.settings.section import Section

KeeperRule = Literal[
    "best_reward", "no_audit_flag", "verified", "fewest_steps", "fewest_tokens", "most_steps", "smallest_id"
]


class JudgingSettings(Section):
    """The Beta posterior of a task's pass rate and what follows from it."""

    prior: Literal["cross_policy", "jeffreys"] = "cross_policy"
    """`cross_policy`: strength `prior_strength` at the other policies' rate; `jeffreys`: Beta(.5, .5)."""
    prior_strength: float = Field(default=1.0, gt=0)
    """Pseudo-rollouts of the cross-policy prior."""
    hard_max_pass_rate: float = Field(default=0.25, gt=0, lt=1)
    """Posterior mean at or below which a task is hard."""
    easy_min_pass_rate: float = Field(default=0.75, gt=0, lt=1)
    """Posterior mean above which a task is easy."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.easy_min_pass_rate <= self.hard_max_pass_rate:
            raise ValueError("easy_min_pass_rate must be above hard_max_pass_rate")
        return self


class FailureSettings(Section):
    """Weights of informative failures."""

    min_weight: float = Field(default=0.25, gt=0)
    """Smallest weight of a failure."""
    max_weight: float = Field(default=4.0, gt=0)
    """Largest weight of a failure."""
    near_miss_min_auc: float = Field(default=0.55, ge=0, le=1)
    """An environment's partial rewards count as near-misses only if they predict a sibling's success this well."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min_weight > self.max_weight:
            raise ValueError(f"min_weight must not be above max_weight={self.max_weight}")
        return self


class SeedSettings(Section):
    """Hard tasks injected into the RL dataset."""

    share: float = Field(default=0.1, ge=0, le=0.5)
    """Share of hard seeds among the RL dataset's rows."""
    unsolved_share: float = Field(default=0.02, ge=0, le=0.2)
    """Largest share of tasks that no policy has solved."""


class BalanceSettings(Section):
    """Shares of environment × outcome × difficulty."""

    alpha: float = Field(default=0.5, ge=0, le=1)
    """Target share of a stratum ∝ n^alpha: 1 keeps the lake's shares, 0 makes them equal."""
    targets: dict[str, float] = Field(default={})
    """Explicit target shares by stratum name `environment/outcome/difficulty`; `*` stands for any value."""
    max_factor: float = Field(default=4.0, ge=1)
    """Largest factor, and its inverse the smallest, by which balance changes a weight."""

    @model_validator(mode="after")
    def _well_named_shares(self) -> Self:
        for name, share in self.targets.items():
            _, *parts = name.rsplit("/", 2)
            known = [{"*", *OutcomeClass}, {"*", *Difficulty}]
            if len(parts) != 2 or any(part not in words for part, words in zip(parts, known, strict=True)):
                raise ValueError(
                    f"{name!r} is no stratum; write environment/outcome/difficulty with an outcome of "
                    f"{', '.join(OutcomeClass)} and a difficulty of {', '.join(Difficulty)}, or * for any"
                )
            if not 0 <= share <= 1:
                raise ValueError(f"the share of {name!r} must lie between 0 and 1")
        if sum(self.targets.values()) > 1 + 1e-9:
            raise ValueError(f"the shares sum up to {sum(self.targets.values()):g}, which is above 1")
        return self


class SelectionSettings(Section):
    """Which trajectories stay in the pool."""

    keeper_order: list[KeeperRule] = Field(
        default=["best_reward", "no_audit_flag", "verified", "fewest_steps", "smallest_id"], min_length=1
    )
    """The rules by which a redundant group chooses its keeper, first decides first; ties end at the smallest id.
    `verified`: tests or reward components stand behind the reward."""
    max_per_task: int = Field(default=16, ge=1)
    """Kept rollouts per task group, outcome class and policy at most."""
    max_per_approach: int | None = Field(default=None, ge=1)
    """Kept rollouts per approach group and policy at most; null sets no limit."""
    budget: int | None = Field(default=None, ge=1, le=2**40)
    """Trajectories kept at most over the whole pool; null keeps all that the other rules keep."""
    spread: Literal["coverage", "turns"] = "coverage"
    """How a budget is spent inside its quotas: `coverage` takes the rows that other rows resemble most and no row
    taken resembles yet, `turns` lets tasks take turns by weight alone."""
    family_alpha: float = Field(default=0.5, ge=0, le=1)
    """A family's share of its stratum's budget ∝ n^alpha: 1 keeps the lake's shares, 0 makes them equal."""
    keep_groups: bool = False
    """Keep or drop the rollouts of one task and policy together, as group-relative RL needs them: a group goes as
    redundant if each member has a copy in another group that stays, there is no cap, and a budget is spent on whole
    groups. A cap would tear groups: `max_per_task` and `max_per_approach` cannot be set beside it."""
    failures: FailureSettings = FailureSettings()
    """Weights of informative failures."""
    seeds: SeedSettings = SeedSettings()
    """Hard tasks."""
    balance: BalanceSettings = BalanceSettings()
    """Target shares."""
    validation_share: float = Field(default=0.0, ge=0, le=0.5)
    """Share of task groups in the validation split, drawn by hash of (seed, task group)."""
    max_drop_ratio: float = Field(default=1.0, gt=0, le=1)
    """A selection that drops more than this share of the pool fails the run."""

    @model_validator(mode="after")
    def _each_rule_once(self) -> Self:
        if len(set(self.keeper_order)) != len(self.keeper_order):
            raise ValueError("keeper_order names a rule twice")
        return self

    @model_validator(mode="after")
    def _no_cap_on_whole_groups(self) -> Self:
        # The default is let through: the resolved settings of a run, which name every setting, are settings again.
        default = type(self).model_fields["max_per_task"].default
        set_caps = {
            "max_per_task": None if self.max_per_task == default else self.max_per_task,
            "max_per_approach": self.max_per_approach,
        }
        for name, value in set_caps.items():
            if self.keep_groups and value is not None:
                raise ValueError(
                    f"{name}={value} would tear the groups that keep_groups=true keeps whole: leave it out, or set "
                    "keep_groups=false"
                )
        return self
