from pathlib import Path

import pyarrow as pa

from transforms.querying.catalog import CATALOG_TABLES, MAX_TEXT_CHARS, build_catalog, open_surface
from transforms.querying.explain import open_catalog
from transforms.store.files import Store
from transforms.store.manifest import read_manifest


def _with(table: pa.Table, name: str, value: str) -> pa.Table:
    index = table.schema.get_field_index(name)
    return table.set_column(index, table.schema.field(name), [[value] * table.num_rows])


def test_build_catalog_of_nothing_has_every_table_and_view(tmp_path: Path) -> None:
    build_catalog(tmp_path / "catalog.duckdb", {})
    with open_catalog(tmp_path / "catalog.duckdb") as connection:
        names = {row[0] for row in connection.execute("SHOW TABLES").fetchall()}
        views = {"curated", "dropped", "pass_rates", "task_outcomes", "funnel", "dpo_pairs"}
        assert names == {*CATALOG_TABLES, *views}
        assert [connection.execute(f"SELECT count(*) FROM {view}").fetchall()[0] for view in sorted(views)] == [
            (0,), (0,), (0,), (5,), (0,), (0,),
        ]  # fmt: skip


def test_build_catalog_takes_a_repeated_trajectory_once_from_the_smallest_unit(
    small_tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    first = small_tables["trajectories"]
    tables = small_tables | {"trajectories": pa.concat_tables([first, _with(first, "unit_key", "u0")])}
    build_catalog(tmp_path / "catalog.duckdb", tables)
    with open_catalog(tmp_path / "catalog.duckdb") as connection:
        rows = connection.execute("SELECT traj_id, unit_key FROM trajectories").fetchall()
    assert rows == [(i, "u0") for i in ("aa01", "aa02", "aa03", "bb01", "bb02")]


def test_build_catalog_caps_long_texts(small_tables: dict[str, pa.Table], tmp_path: Path) -> None:
    long = _with(small_tables["trajectories"], "instruction", "é" * 5000)
    build_catalog(tmp_path / "catalog.duckdb", {"trajectories": long})
    with open_catalog(tmp_path / "catalog.duckdb") as connection:
        lengths = connection.execute("SELECT DISTINCT length(instruction) FROM trajectories").fetchall()
    assert lengths == [(MAX_TEXT_CHARS,)]


def test_open_surface_prefers_the_published_catalog(small_store: Store, tmp_path: Path) -> None:
    manifest = read_manifest(small_store, "s1")
    built = open_surface(small_store, manifest, work_dir=tmp_path)
    assert built.catalog == str(tmp_path / "catalog.duckdb")
    assert built.layers == {
        "steps": ("layers/steps/p1.parquet",),
        "tool_calls": ("layers/tool_calls/p1.parquet",),
    }
    small_store.write_atomic("snapshots/s1/catalog.duckdb", Path(built.catalog).read_bytes())
    published = open_surface(small_store, manifest, work_dir=tmp_path / "none")
    assert published.catalog == small_store.full_path("snapshots/s1/catalog.duckdb")
