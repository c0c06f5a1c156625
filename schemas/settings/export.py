"""Settings of the exported datasets."""

from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.settings.section import Section


class PairSettings(Section):
    """Trajectory pairs for DPO."""

    max_per_task: int = Field(default=2, ge=1)
    """Pairs per task group at most."""
    max_uses_per_trajectory: int = Field(default=2, ge=1)
    """Pairs that one trajectory may stand in."""
    min_margin: float = Field(default=0.2, ge=0)
    """Smallest difference of the rewards."""
    max_length_ratio: float = Field(default=2.0, ge=1)
    """Token-length ratio sought inside a task; a task without such a pair still gives one."""


class ExportSettings(Section):
    """What is written for the trainers."""

    targets: list[Literal["dpo", "kto", "sft", "rl"]] = Field(default=["dpo", "kto", "sft", "rl"], min_length=1)
    """Datasets to write."""
    pairs: PairSettings = PairSettings()
    """Trajectory pairs."""
    materialise_weights: bool = False
    """Write a row as often as its weight says (seeded stochastic rounding, copies spread apart)."""
    shard_mb: int = Field(default=256, ge=1, le=1024)
    """Size of an export shard before compression, in MB, about."""
    rl_data_source: str | None = None
    """`data_source` of the RL rows; null takes the environment's name."""

    @model_validator(mode="after")
    def _each_target_once(self) -> Self:
        if len(set(self.targets)) != len(self.targets):
            raise ValueError("targets names a dataset twice")
        return self
