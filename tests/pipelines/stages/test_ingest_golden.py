"""What ingest writes for a lake of all sample formats: when it changes, so must the stage's version."""

from pathlib import Path

import fsspec
import orjson
import pyarrow.parquet as pq

from pipelines.stages.ingest import MakePack, PackJob
from schemas.settings import DescribeSettings, IngestSettings
from schemas.tables import UNIT_TABLES
from schemas.versions import STAGE_VERSIONS
from transforms.formats.units import list_lake, plan_units
from transforms.store.files import Store
from transforms.store.keys import short_id
from transforms.store.packs import plan_packs
from transforms.store.progress import ProgressFile
from transforms.synthesis.lake import LakeRequest, write_lake

GOLDEN = {11: "879a74a28f5ee7d25054f6c64af93dd9"}
"""Stage version → hash of all rows. Adapters' versions stand in the rows too: raise theirs when only they changed."""


def test_rows_change_only_with_the_version_of_the_stage(tmp_path: Path) -> None:
    write_lake(tmp_path, LakeRequest(seed=5, num_tasks=12, num_rollouts=8, size_kb=8, num_files=4))
    assert short_id(*_rows(tmp_path)) == GOLDEN[STAGE_VERSIONS["ingest"]]


def _rows(folder: Path) -> list[bytes]:
    lake, store = folder / "lake", Store(str(folder / "store"))
    filesystem, root = fsspec.core.url_to_fs(str(lake))
    settings = IngestSettings()
    units = plan_units(filesystem, root, list_lake(filesystem, root, ["**/*"]), settings)
    maker = MakePack(
        store=store,
        lake_root=str(lake),
        ingest=settings,
        describing=DescribeSettings(),
        layer_key="golden",
        progress=ProgressFile(folder / "progress"),
    )
    maker.setup()
    (pack,) = plan_packs(units, layer_key="golden")
    by_key = {unit.unit_key: unit for unit in units}
    list(maker.process(PackJob(pack, tuple(by_key[key] for key in pack.unit_keys))))
    rows = []
    for table in UNIT_TABLES:
        rows.append(table.encode())
        rows += [orjson.dumps(row) for row in pq.read_table(f"{store.root}/{pack.path(table)}").to_pylist()]
    return rows
