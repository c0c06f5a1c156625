import hashlib
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from schemas.errors import QueryError
from transforms.querying.catalog import build_catalog, open_surface
from transforms.querying.child import open_locked, table_macros
from transforms.querying.statement import check_statement
from transforms.querying.surface import Limits, Surface, run_query
from transforms.store.files import Store
from transforms.store.manifest import read_manifest
from transforms.store.tables import write_table


@pytest.fixture
def surface(small_store: Store, tmp_path: Path) -> Surface:
    return open_surface(small_store, read_manifest(small_store, "s1"), work_dir=tmp_path)


def _tree_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path).encode())
        digest.update(path.read_bytes() if path.is_file() else b"folder")
    return digest.hexdigest()


def test_run_query_reads_slim_and_wide_tables(surface: Surface) -> None:
    sql = "SELECT s.message FROM steps s JOIN curated USING (traj_id) WHERE step_id = 2 ORDER BY 1"
    assert run_query(surface, sql).to_pydict() == {"message": ["aa01:2", "aa03:2", "bb01:2", "bb02:2"]}
    assert run_query(surface, "SELECT count(*) AS n FROM tool_calls").to_pydict() == {"n": [5]}


def test_run_query_answers_the_views_and_macros(surface: Surface) -> None:
    assert run_query(surface, "FROM funnel").to_pylist() == [
        {"step": "read", "num_rows": 6},
        {"step": "quarantined", "num_rows": 1},
        {"step": "repeats", "num_rows": 0},
        {"step": "trajectories", "num_rows": 5},
        {"step": "dropped: semantic_duplicate", "num_rows": 1},
        {"step": "kept", "num_rows": 4},
        {"step": "rows of dpo", "num_rows": 1},
    ]
    assert run_query(surface, "SELECT task_group, kind FROM task_outcomes").to_pylist() == [
        {"task_group": "id:a", "kind": "mixed"},
        {"task_group": "id:b", "kind": "all_fail"},
    ]
    pass_rates = {"environment": "air", "num_tasks": 2, "num_rollouts": 5, "num_scored": 5, "num_success": 2}
    assert run_query(surface, "FROM pass_rates").to_pylist() == [pass_rates | {"pass_rate": 0.4}]
    assert run_query(surface, "SELECT chosen_id, rejected_id, instruction FROM dpo_pairs").to_pylist() == [
        {"chosen_id": "aa01", "rejected_id": "aa03", "instruction": "task a"}
    ]
    assert run_query(surface, "SELECT traj_id FROM copies_of('aa02')").to_pydict() == {"traj_id": ["aa01", "aa02"]}
    assert run_query(surface, "SELECT traj_id FROM rollouts_of('b')").to_pydict() == {"traj_id": ["bb01", "bb02"]}
    assert run_query(surface, "SELECT reason FROM dropped").to_pydict() == {"reason": ["semantic_duplicate"]}


def test_wide_tables_hold_each_row_of_a_known_trajectory_once(
    small_store: Store, small_tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    inputs = small_tables["inputs"]
    index = inputs.schema.get_field_index("num_repeats")
    small_tables["trajectories"] = small_tables["trajectories"].slice(0, 4)
    small_tables["inputs"] = inputs.set_column(index, inputs.schema.field(index), [[1]])
    write_table(small_store, "layers/steps/p2.parquet", small_tables["steps"].slice(0, 2))
    build_catalog(tmp_path / "c.duckdb", small_tables)
    layers = {"steps": ("layers/steps/p1.parquet", "layers/steps/p2.parquet")}
    surface = Surface(str(tmp_path / "c.duckdb"), root=small_store.root, layers=layers)
    counts = run_query(surface, "SELECT traj_id, count(*) AS n FROM steps GROUP BY 1 ORDER BY 1").to_pydict()
    assert counts == {"traj_id": ["aa01", "aa02", "aa03", "bb01"], "n": [2, 2, 2, 2]}


ATTACKS = [
    "COPY trajectories TO '{out}'",
    "COPY (SELECT 1) TO '{out}' (FORMAT parquet)",
    "COPY trajectories FROM '{secret}'",
    "WITH x AS (COPY trajectories TO '{out}') SELECT 1",
    "WITH x AS (INSERT INTO decisions SELECT * FROM decisions RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM decisions RETURNING *) SELECT * FROM x",
    "WITH x AS (UPDATE decisions SET weight = 9 RETURNING *) SELECT * FROM x",
    "WITH x AS MATERIALIZED (SELECT 1), y AS (DELETE FROM uses RETURNING *) SELECT * FROM x, y",
    "SELECT * FROM (WITH x AS (DELETE FROM uses RETURNING *) SELECT * FROM x)",
    "INSERT INTO decisions SELECT * FROM decisions",
    "UPDATE decisions SET weight = 9",
    "DELETE FROM decisions",
    "TRUNCATE decisions",
    "MERGE INTO decisions d USING uses u ON d.traj_id = u.traj_id WHEN MATCHED THEN DELETE",
    "DROP TABLE decisions",
    "DROP VIEW curated",
    "ALTER TABLE decisions ADD COLUMN x INTEGER",
    "CREATE TABLE x AS SELECT 1",
    "CREATE TABLE memory.x AS SELECT 1",
    "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE OR REPLACE VIEW curated AS SELECT 1",
    "CREATE MACRO f(x) AS x",
    "CREATE SEQUENCE q",
    "CREATE SECRET (TYPE s3)",
    "CREATE INDEX i ON decisions (traj_id)",
    "CREATE TYPE mood AS ENUM ('a')",
    "CREATE SCHEMA s",
    "SELECT 1 INTO x",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE decisions",
    "SELECT 1; COPY trajectories TO '{out}'",
    "",
    "   ;;  ",
    "-- nothing",
    "SELECT",
    "SELEC 1",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "CHECKPOINT",
    "FORCE CHECKPOINT",
    "VACUUM",
    "ANALYZE",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "SET memory_limit = '100GB'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET enable_external_access",
    "SET VARIABLE x = 1",
    "PRAGMA enable_profiling",
    "PRAGMA database_list",
    "PRAGMA add_parquet_key('a', 'b')",
    "CALL force_checkpoint()",
    "CALL enable_logging()",
    "ATTACH '{out}' AS x",
    "ATTACH '{secret}' AS x (READ_ONLY)",
    "DETACH snapshot",
    "USE memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "UPDATE EXTENSIONS",
    "EXPORT DATABASE '{out}'",
    "IMPORT DATABASE '{out}'",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM READ_TEXT('{secret}')",
    "SELECT * FROM \"read_text\"('{secret}')",
    "SELECT * FROM main.read_text('{secret}')",
    "SELECT * FROM system.main.read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_csv_auto('{secret}')",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM read_json_objects('{secret}')",
    "SELECT * FROM read_ndjson('{secret}')",
    "SELECT * FROM read_parquet('{store}/layers/steps/p1.parquet')",
    "SELECT * FROM parquet_scan('{store}/layers/steps/p1.parquet')",
    "SELECT * FROM parquet_metadata('{store}/layers/steps/p1.parquet')",
    "SELECT * FROM parquet_schema('{store}/layers/steps/p1.parquet')",
    "SELECT * FROM parquet_kv_metadata('{store}/layers/steps/p1.parquet')",
    "SELECT * FROM read_duckdb('{catalog}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT (SELECT count(*) FROM glob('/etc/*'))",
    "SELECT * FROM decisions WHERE EXISTS (FROM read_text('{secret}'))",
    "SELECT * FROM decisions, LATERAL (SELECT * FROM read_text('{secret}'))",
    "SELECT 1 UNION ALL SELECT size FROM read_text('{secret}')",
    "DESCRIBE SELECT * FROM read_csv('{secret}')",
    "SUMMARIZE SELECT * FROM read_csv('{secret}')",
    "DESCRIBE '{secret}'",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM '{store}/layers/steps/p1.parquet'",
    "FROM 'https://example.com/x.parquet'",
    "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "SELECT getenv('HOME')",
    "SELECT * FROM query('SELECT * FROM read_text(''{secret}'')')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('{secret}')",
    "SELECT json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT * FROM enable_logging(storage = 'file', storage_config = {{'path': '{out}'}})",
    "SELECT * FROM enable_profiling()",
    "SELECT * FROM force_checkpoint('snapshot')",
    "SELECT * FROM checkpoint()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_databases()",
    "SELECT * FROM duckdb_extensions()",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM pandas_scan(1)",
    "SELECT * FROM python_map_function(1)",
    "SELECT * FROM create_external_resource('a', 'b')",
    "SELECT * FROM add_grammar_extension('a')",
    "SELECT * FROM no_such_table",
    "SELECT write_log('x')",
    "SELECT sleep_ms(100000)",
    "SELECT nextval('q')",
    "SELECT \ud800",
    "SELECT 'a\x00b'; DROP TABLE decisions",
]


def test_every_attack_is_refused_and_no_file_changes(surface: Surface, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("canary\n1\n")
    before = _tree_hash(tmp_path)
    accepted, messages = [], []
    with open_locked(surface.catalog, root=surface.root, layers=surface.layers, memory_mb=256) as connection:
        macros = table_macros(connection)
        for attack in ATTACKS:
            sql = attack.format(out=tmp_path / "out", secret=secret, store=surface.root, catalog=surface.catalog)
            try:
                check_statement(connection, sql, macros=macros)
                connection.execute(sql).fetchall()
            except (QueryError, duckdb.Error) as error:
                messages.append(str(error))
            else:
                accepted.append(attack)
            assert _tree_hash(tmp_path) == before, attack
    assert accepted == []
    assert not [message for message in messages if "canary" in message]


UNCHECKED = [
    "COPY (SELECT 1) TO '{out}'",
    "SELECT * FROM read_text('{secret}')",
    "CREATE TABLE x AS SELECT 1",
    "ATTACH '{out}' AS x",
    "INSTALL httpfs",
    "SELECT * FROM '{secret}'",
    "SET lock_configuration = false",
    "DELETE FROM decisions",
    "WITH x AS (COPY decisions TO '{out}') SELECT 1",
]


def test_locked_connection_holds_without_the_statement_check(surface: Surface, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary")
    before = _tree_hash(tmp_path)
    with open_locked(surface.catalog, root=surface.root, layers=surface.layers, memory_mb=256) as connection:
        for sql in UNCHECKED:
            with pytest.raises(duckdb.Error, match=r"(?i)disabled|locked|read-only|not exist"):
                connection.execute(sql.format(out=tmp_path / "out", secret=tmp_path / "secret"))
    assert _tree_hash(tmp_path) == before


def test_child_process_refuses_an_attack_and_can_write_no_file(surface: Surface, tmp_path: Path) -> None:
    before = _tree_hash(tmp_path)
    with pytest.raises(QueryError, match="COPY is not allowed"):
        run_query(surface, f"WITH x AS (COPY decisions TO '{tmp_path}/out') SELECT 1")
    assert _tree_hash(tmp_path) == before


def test_query_over_its_time_is_stopped(surface: Surface) -> None:
    sql = "SELECT sum(hash(a) % 7) FROM range(1000000000000000) t(a)"
    with pytest.raises(QueryError, match=r"ran over its limit of 2 s"):
        run_query(surface, sql, limits=Limits(timeout_s=2))


def test_query_over_its_memory_is_stopped(surface: Surface) -> None:
    with pytest.raises(QueryError, match="the query ran over its memory of 64 MB"):
        run_query(surface, "SELECT list(a) FROM range(100000000) t(a)", limits=Limits(memory_mb=64))


def test_result_over_its_size_is_stopped(surface: Surface) -> None:
    with pytest.raises(QueryError, match="the result is over 1 MB"):
        run_query(surface, "SELECT a FROM range(1000000) t(a)", limits=Limits(max_result_mb=1))


def test_data_in_an_error_cannot_steer_the_terminal(surface: Surface) -> None:
    with pytest.raises(QueryError, match=r"book\\x1b\[31m"):
        run_query(surface, "SELECT instruction::INTEGER FROM trajectories")
