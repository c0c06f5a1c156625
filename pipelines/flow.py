"""The stages of a run in their order, and how they work one after the other."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from pipelines.clean_settings import clean_seed_tasks, clean_settings
from pipelines.plan import Plan, Sources, software_versions
from pipelines.runners.display import Display, StageProgress
from pipelines.runners.execution import Execution
from pipelines.runners.measure import Measures
from pipelines.runners.options import parse_beam_flags
from pipelines.settings_files import LoadedSettings
from pipelines.stages import (
    boilerplate,
    copies,
    embed,
    export,
    families,
    ingest,
    publish,
    references,
    report,
    selection,
    sign,
    similar,
    tasks,
)
from pipelines.stages.context import StageContext
from schemas.versions import STAGE_VERSIONS
from transforms.redaction.engine import Redactor
from transforms.store.files import Store
from transforms.store.manifest import Manifest
from transforms.store.progress import ProgressFile

STAGES: Final[dict[str, ModuleType]] = {
    "ingest": ingest,
    "boilerplate": boilerplate,
    "sign": sign,
    "copies": copies,
    "embed": embed,
    "similar": similar,
    "families": families,
    "references": references,
    "tasks": tasks,
    "select": selection,
    "export": export,
    "report": report,
}
"""The stages before `publish`, in flow order."""


def work(
    loaded: LoadedSettings,
    plan: Plan,
    *,
    sources: Sources,
    store: Store,
    work_dir: Path,
    flags: Sequence[str],
    until: str | None,
    display: Display,
    measures: Measures,
) -> Manifest | None:
    """Work the stages and publish; return the manifest, None where the run is to stop after the stage `until`."""
    context = StageContext(
        settings=clean_settings(loaded.settings),
        store=store,
        execution=Execution(parse_beam_flags(flags)),
        work_dir=work_dir,
        snapshot_id=plan.snapshot_id,
        parent=plan.parent,
        layer_key=plan.layer_key,
        encoder=sources.encoder,
        units=sources.units,
        progress=StageProgress(ProgressFile(work_dir / "progress"), ""),
        seed_tasks=clean_seed_tasks(sources.seed_tasks, Redactor.of(loaded.settings.ingest.redaction)),
        references=sources.references,
        packs=sorted([*plan.kept, *plan.new], key=lambda pack: pack.pack_id),
    )
    count = len(STAGE_VERSIONS)
    for number, (name, stage) in enumerate(STAGES.items(), start=1):
        with (
            measures.stage(name) as cost,
            display.stage(name, number=number, count=count, folder=context.work_dir) as context.progress,
        ):
            stage.run(context)
            cost.counts = context.progress.counts
            measures.warnings.extend(context.progress.warnings)
        if name == until:
            return None
    with (
        measures.stage("publish"),
        display.stage("publish", number=count, count=count, folder=context.work_dir) as context.progress,
    ):
        return publish.run(
            context,
            run_key=plan.run_key,
            data_tree=loaded.data_tree,
            versions=software_versions(context.encoder),
        )
