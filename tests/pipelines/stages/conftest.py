"""A stage's surroundings over packs that a test wrote."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from pipelines.runners.display import StageProgress
from pipelines.runners.execution import Execution
from pipelines.stages.context import StageContext
from schemas.records import SourceUnit, Trajectory
from schemas.settings import Settings
from transforms.embedding.choice import choose_encoder
from transforms.store.files import Store
from transforms.store.packs import Pack
from transforms.store.progress import ProgressFile

StageOver = Callable[..., StageContext]


@pytest.fixture
def stage_over(tmp_path: Path, write_pack: Callable[[Store, Sequence[Trajectory]], Pack]) -> StageOver:
    """Give the context of a run over trajectories, one list a pack: `stage_over([…], […], name=…, settings={…})`."""

    def make(
        *packs: Sequence[Trajectory], name: str = "run", store: str = "store", settings: dict[str, Any] | None = None
    ) -> StageContext:
        place = Store(str(tmp_path / store))
        written = sorted(((write_pack(place, pack), pack) for pack in packs), key=lambda pair: pair[0].pack_id)
        work_dir = tmp_path / f"work-{name}"
        work_dir.mkdir()
        resolved = Settings.model_validate({"lake": {"root": "."}, "store": store} | (settings or {}))
        encoder = choose_encoder(resolved.embedding, device="cpu", window_tokens=resolved.views.window_tokens)
        return StageContext(
            settings=resolved,
            encoder=encoder,
            store=place,
            execution=Execution(PipelineOptions([])),
            work_dir=work_dir,
            snapshot_id=name,
            parent=None,
            layer_key="layer",
            units=[_unit(key) for pack, _ in written for key in pack.unit_keys],
            progress=StageProgress(ProgressFile(work_dir / "progress"), name),
            packs=[pack for pack, _ in written],
            owned_ids={pack.pack_id: sorted(each.traj_id for each in members) for pack, members in written},
        )

    return make


def _unit(key: str) -> SourceUnit:
    return SourceUnit(unit_key=key, uri="lake.jsonl", adapter="openai_chat", adapter_version="1", size=1, sha256="")
