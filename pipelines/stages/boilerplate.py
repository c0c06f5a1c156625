"""Stage boilerplate: the blocks that a large share of an environment's tasks carries.

Reads the blocks of every pack; writes the table `boilerplate`, ordered by environment and block hash.
"""

from typing import Final

import apache_beam as beam

from pipelines.stages.context import StageContext
from pipelines.stages.identities import write_identities
from pipelines.stages.parts import WriteParts, read_parts
from schemas.tables import SCHEMAS
from transforms.views.boilerplate import FindBoilerplate

READS: Final = ("trajectories", "blocks")
WRITES: Final = ("boilerplate",)


def run(context: StageContext) -> None:
    """Find the boilerplate of each environment."""
    folder = context.work_dir / "boilerplate"
    identities = write_identities(context, folder / "identities.parquet")
    views = context.settings.views
    with context.pipeline("boilerplate") as pipeline:
        _ = (
            pipeline
            | "Packs" >> beam.Create(context.packs)
            | "SpreadPacks" >> beam.Reshuffle()
            | "FindBoilerplate"
            >> FindBoilerplate(
                store=context.store,
                identities_path=identities.path,
                environments=identities.environments,
                min_share=views.boilerplate_min_share,
                min_tasks=views.boilerplate_min_tasks,
            )
            | "Write" >> WriteParts(folder / "parts", SCHEMAS["boilerplate"])
        )
    rows = read_parts(folder / "parts", SCHEMAS["boilerplate"])
    context.write("boilerplate", rows.sort_by([("environment", "ascending"), ("block_hash", "ascending")]))
