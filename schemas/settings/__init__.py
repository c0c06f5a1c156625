"""The settings of a run, one section a file.

Two trees: the sections that change data enter the run's key and the snapshot's `config.yaml`; the sections named in
`PLACE_SECTIONS` say where things lie and how the work is carried out and are written to `runs/<run_id>.json` only.
"""

from typing import Annotated, Final

from pydantic import Field

from schemas.settings.export import ExportSettings, PairSettings
from schemas.settings.ingest import (
    FieldMapSettings,
    IdentitySettings,
    IngestSettings,
    OutcomeSettings,
    RedactionSettings,
)
from schemas.settings.places import ExecutionSettings, LakeSettings
from schemas.settings.references import ReferenceSettings
from schemas.settings.section import Section
from schemas.settings.selection import (
    BalanceSettings,
    FailureSettings,
    JudgingSettings,
    SeedSettings,
    SelectionSettings,
)
from schemas.settings.similarity import (
    DescribeSettings,
    EmbeddingSettings,
    FamiliesSettings,
    LexicalSettings,
    SemanticSettings,
    TaskGroupSettings,
    ViewsSettings,
)

PLACE_SECTIONS: Final = frozenset({"lake", "store", "seed_file", "reference_sets", "execution"})


class Settings(Section):
    """All settings of a run."""

    lake: LakeSettings
    """The rollout logs to read."""
    store: str = Field(pattern=r"^[^?]+$")
    """Folder or fsspec URL of the store; relative paths are resolved against the first settings file. It holds no `?`,
    which DuckDB takes for the start of parameters."""
    seed_file: str | None = None
    """JSONL file of hard seed tasks (task_id, prompt, environment, verifier fields); its content enters the key."""
    reference_sets: list[Annotated[str, Field(pattern=r"\S")]] = Field(default=[])
    """What was curated before: stores (`STORE` or `STORE@SNAPSHOT`) or Parquet files of signatures; their content
    enters the key."""
    execution: ExecutionSettings = ExecutionSettings()
    """Progress and devices."""
    seed: int = Field(default=0, ge=0, le=2**63 - 1)
    """Seed of every random draw."""
    ingest: IngestSettings = IngestSettings()
    """How records are read."""
    identity: IdentitySettings = IdentitySettings()
    """Which rollouts belong together."""
    outcome: OutcomeSettings = OutcomeSettings()
    """When a rollout counts as a success."""
    describe: DescribeSettings = DescribeSettings()
    """Horizon classes."""
    views: ViewsSettings = ViewsSettings()
    """What of a trajectory is compared."""
    task_groups: TaskGroupSettings = TaskGroupSettings()
    """When two tasks are one."""
    lexical: LexicalSettings = LexicalSettings()
    """Copies by MinHash."""
    embedding: EmbeddingSettings = EmbeddingSettings()
    """Vectors of trajectories and tasks."""
    semantic: SemanticSettings = SemanticSettings()
    """Redundant rollouts by vector."""
    families: FamiliesSettings = FamiliesSettings()
    """Behaviour families."""
    references: ReferenceSettings = ReferenceSettings()
    """What happens to rollouts that a reference set holds already."""
    judging: JudgingSettings = JudgingSettings()
    """Pass-rate posterior and attribution."""
    selection: SelectionSettings = SelectionSettings()
    """Which trajectories stay in the pool."""
    export: ExportSettings = ExportSettings()
    """What is written for the trainers."""


__all__ = [
    "PLACE_SECTIONS",
    "BalanceSettings",
    "DescribeSettings",
    "EmbeddingSettings",
    "ExecutionSettings",
    "ExportSettings",
    "FailureSettings",
    "FamiliesSettings",
    "FieldMapSettings",
    "IdentitySettings",
    "IngestSettings",
    "JudgingSettings",
    "LakeSettings",
    "LexicalSettings",
    "OutcomeSettings",
    "PairSettings",
    "RedactionSettings",
    "ReferenceSettings",
    "SeedSettings",
    "SelectionSettings",
    "SemanticSettings",
    "Settings",
    "TaskGroupSettings",
    "ViewsSettings",
]
