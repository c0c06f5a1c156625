"""Settings of describing, views, near-duplicate search, embedding and families."""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from schemas.settings.section import Section

LOW_SIMILARITY: Final = 0.5
"""Below it a similarity joins what has little in common; who writes 0.07 means a distance."""


def refuse_low_similarity(similarity: float, *, is_allowed: bool, name: str = "min_similarity") -> None:
    """Raise ValueError for a least similarity, the setting `name`, that reads like a distance."""
    if similarity < LOW_SIMILARITY and not is_allowed:
        raise ValueError(
            f"{name} must be at least {LOW_SIMILARITY}, got {similarity}: it is a similarity, 1 is equal, no "
            f"distance (did you mean {round(1 - similarity, 6):g}?); set allow_low_similarity to insist"
        )


class DescribeSettings(Section):
    """Bounds of the horizon classes, in agent steps."""

    short_horizon_max_steps: int = Field(default=8, ge=1)
    """Rollouts up to this many agent steps are `short`."""
    medium_horizon_max_steps: int = Field(default=25, ge=2)
    """Rollouts up to this many agent steps are `medium`, the others `long`."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.medium_horizon_max_steps <= self.short_horizon_max_steps:
            raise ValueError("medium_horizon_max_steps must be above short_horizon_max_steps")
        return self


class LeakAlarmSettings(Section):
    """When vectors tell tasks apart no longer, because a text that all rollouts share escaped the boilerplate."""

    enabled: bool = True
    """Stop the run when that happens."""
    max_background_cosine: float = Field(default=0.9, gt=0, le=1)
    """Mean cosine of the bodies of rollouts of different task groups above which an environment stops the run."""
    max_cross_task_share: float = Field(default=0.1, ge=0, le=1)
    """… and the share of such pairs at or above `semantic.min_similarity`."""
    max_background_jaccard: float = Field(default=0.05, gt=0, le=1)
    """Mean word 5-gram Jaccard of such bodies above which the run warns and names the text they share. Bodies of real
    rollouts have .001 to .014, with a preamble of 75 words in front .08 to .38."""
    max_shared_jaccard: float = Field(default=0.1, gt=0, le=1)
    """… and above which it stops, where half of the tasks share one text: vectors may tell tasks apart still, as words
    that differ (dates, ids, numbers) stand around it, but much of what is compared is no rollout's own. Rollouts with
    their system prompts and demonstrations left in have .2."""
    min_task_groups: int = Field(default=20, ge=2)
    """Environments with fewer task groups stop no run, they warn only: a handful may well be one template with other
    numbers."""
    max_pairs: int = Field(default=2000, ge=1)
    """Pairs drawn per environment."""


class ViewsSettings(Section):
    """What of a trajectory is compared."""

    boilerplate_min_share: float = Field(default=0.2, gt=0, le=1)
    """A block in at least this share of an environment's task keys is boilerplate."""
    boilerplate_min_tasks: int = Field(default=3, ge=2)
    """… and in at least this many of them."""
    observation_edge_chars: int = Field(default=300, ge=0)
    """Characters kept from the start and from the end of an observation."""
    window_tokens: int = Field(default=128, ge=16)
    """Tokens of an embedding window."""
    max_windows: int = Field(default=8, ge=1)
    """Windows per trajectory, evenly spaced, first and last included."""
    leak_alarm: LeakAlarmSettings = LeakAlarmSettings()
    """When shared text that escaped the boilerplate stops the run."""


class TaskGroupSettings(Section):
    """When two tasks are one."""

    join_near_duplicates: bool = True
    """Join tasks of one environment whose texts are near-duplicates and differ in no number, path or quoted name;
    those with ids of their own only where the texts are equal but for dates and labels of runs, with a warning."""
    min_similarity: float = Field(default=0.8, gt=0, le=1)
    """Word 5-gram Jaccard at or above which two task texts are one task."""
    join_by_vectors: bool = False
    """Join tasks whose vectors agree, too; they still must differ in no number, path or quoted name. Off by default:
    sentence models call different requests of one shape equal."""
    vector_min_similarity: float = Field(default=0.95, gt=0, le=1)
    """Cosine of task vectors at or above which two tasks are one task."""
    allow_low_similarity: bool = False
    """Accept a `min_similarity` or `vector_min_similarity` under 0.5."""

    @model_validator(mode="after")
    def _plausible(self) -> Self:
        refuse_low_similarity(self.min_similarity, is_allowed=self.allow_low_similarity)
        refuse_low_similarity(
            self.vector_min_similarity, is_allowed=self.allow_low_similarity, name="vector_min_similarity"
        )
        return self


class LexicalSettings(Section):
    """Copies by MinHash."""

    engine: Literal["fast", "datasketch"] = "fast"
    """Signature engine: `fast` scans bytes, `datasketch` is the reference, about fifty times slower."""
    min_similarity: float = Field(default=0.8, gt=0, le=1)
    """Estimated word 5-gram Jaccard at or above which two rollouts are copies."""
    containment: bool = True
    """Look for cut runs: those that lie inside a longer run of the same task group and outcome class."""
    containment_min_share: float = Field(default=0.95, ge=0.5, le=1)
    """Share of a cut run's word 5-grams that the longer run holds, at least."""
    approach_min_similarity: float = Field(default=0.3, gt=0, le=1)
    """Word 5-gram Jaccard at or above which two rollouts of one task group and outcome class are of one approach: as
    estimated or, for texts of 20 to 512 words, as word noise leaves that changes as many words as they differ in."""
    allow_low_similarity: bool = False
    """Accept a `min_similarity` under 0.5."""

    @model_validator(mode="after")
    def _plausible(self) -> Self:
        refuse_low_similarity(self.min_similarity, is_allowed=self.allow_low_similarity)
        return self


class EmbeddingSettings(Section):
    """Vectors of trajectories and tasks."""

    encoder: str = "hashed"
    """`hashed`, `minilm` (the packaged all-MiniLM-L6-v2), or a path or hub name of a sentence-transformers model."""
    dimensions: int = Field(default=256, ge=16, le=4096)
    """Dimensions of the hashed encoder."""
    batch_size: int = Field(default=32, ge=8)
    """Texts per model batch; batches have one shape, so a vector depends on its text alone. When memory runs out it is
    halved, and the run says so."""
    backend: Literal["auto", "torch", "openvino"] = "auto"
    """What runs the model: `auto` is torch; `openvino` (extra `openvino`, CPU only) is a fifth faster in bfloat16."""
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Precision of the model; `auto` is float16 on a GPU, bfloat16 on a CPU with instructions for it (AMX,
    AVX-512-BF16: 1.9 times as fast as float32 at cosine .9999) and float32 on any other; float16 needs a GPU."""
    task_weight: float = Field(default=0.5, ge=0, le=1)
    """Share of the task's text in the squared length of the fused vector; the body has the rest."""


class SemanticSettings(Section):
    """Redundant rollouts by vector, inside one task group and outcome class."""

    enabled: bool = True
    """Search at all."""
    min_similarity: float = Field(default=0.95, gt=0, le=1)
    """Cosine of body vectors at or above which a rollout repeats its keeper."""
    neighbours: int = Field(default=20, ge=1, le=10_000)
    """Nearest neighbours looked up per rollout."""
    allow_low_similarity: bool = False
    """Accept a `min_similarity` under 0.5."""

    @model_validator(mode="after")
    def _plausible(self) -> Self:
        refuse_low_similarity(self.min_similarity, is_allowed=self.allow_low_similarity)
        return self


class FamiliesSettings(Section):
    """Behaviour families over representatives, per environment type."""

    engine: Literal["fast_hdbscan", "hdbscan"] = "fast_hdbscan"
    """`fast_hdbscan` (sets up to 2,000 go to hdbscan, which needs no compilation), or `hdbscan` throughout: exact,
    quadratic, at most 4,000 points."""
    min_cluster_size: int = Field(default=5, ge=2, le=10_000)
    """Smallest family; a representative counts for its copies."""
    min_samples: int = Field(default=2, ge=1, le=1000)
    """Neighbours that make a point dense. With 2 of them, not 5, real rollouts leave .45 noise, not .49 (airline), and
    .60, not .75 (InterCode), the largest airline family has a tenth of the runs, not three, and members are as like
    each other; planted families are found as well."""
    min_similarity: float = Field(default=0.7, ge=0, lt=0.95)
    """Cosine of skeleton and body below which runs are never of one family; else unrelated runs are families too. 200
    airline dialogues are one family from .6 downwards; the eight swe-agent-demos variants of one task (.78 to .95 to
    each other, .68 at most to any other run) stand alone from .65 to .75."""
    max_points: int = Field(default=50_000, ge=10)
    """Points clustered, each as often as it has copies (up to what makes a family); above it a sample is clustered and
    the others join the nearest family."""
