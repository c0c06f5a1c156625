"""SEC: ids, paths and files of a hostile lake reach nothing outside the store and cost no more than themselves."""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from pipelines.cli import main
from schemas.errors import QueryError
from tests.whole_runs import Curate, chat_rollout, write_jsonl
from transforms.querying.catalog import open_surface
from transforms.querying.surface import run_query
from transforms.synthesis.credentials import SECRET_KINDS, draw_secret


def test_sec_01_planted_secrets_are_in_no_file_of_the_store(
    tmp_path: Path, curate: Curate, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(11)
    secrets = [draw_secret(rng, kind) for kind in (*SECRET_KINDS, *SECRET_KINDS[:2])]
    control = (
        "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432, uuid 123e4567-e89b-12d3-a456-426614174000, ~/.aws/config"
    )
    rollout = chat_rollout("t", 0, reward=1.0)
    for n, secret in enumerate(secrets):
        call = {
            "id": f"s{n}",
            "function": {"name": "bash", "arguments": json.dumps({"command": f"echo {secret.line}"})},
        }
        rollout["messages"] += [
            {"role": "assistant", "content": "I print it", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"s{n}", "content": f"{control}\n{secret.line}"},
        ]
    rollout["environment_dump"] = "".join(secret.line for secret in secrets)
    broken = json.dumps(chat_rollout("u", 0, reward=0.0) | {"note": secrets[0].line + secrets[2].line})[:-1]
    wrong = chat_rollout("u", 1, reward=f"no rule for {secrets[2].value}")
    lake = write_jsonl(tmp_path / "lake" / "a.jsonl", [rollout, wrong])
    with (lake / "a.jsonl").open("a") as file:
        file.write(broken)
    curated = curate(lake, settings={"ingest": {"max_bad_ratio": 1.0}})
    assert curated.manifest.funnel["quarantined"] == 2
    printed = capfd.readouterr()
    told = [printed.out, printed.err, *map(str, curated.table("quarantine").rows())]
    for name in curated.manifest.tables:
        told.extend(map(str, curated.table(name).rows()))
    for path in Path(curated.store.root).rglob("*"):
        if path.is_file():
            told.append(path.read_bytes().decode("latin-1"))
            if path.suffix == ".parquet":
                told.extend(map(str, pl.read_parquet(path).rows()))
    left = {secret.kind for secret in secrets for text in told if secret.value in text}
    assert left == set()
    assert any(control in text for text in told)


def test_sec_04_hostile_ids_reach_no_path(shared_dir: Path, tmp_path: Path, curate: Curate) -> None:
    lake = shared_dir / "cases" / "inputs" / "SEC-04" / "data"
    before = {path for path in tmp_path.rglob("*")}
    curated = curate(lake)
    records = [json.loads(line) for line in (lake / "part-0.jsonl").read_text().splitlines()]
    made = {path for path in tmp_path.rglob("*")} - before
    store = Path(curated.store.root)
    assert all(path in (store, tmp_path / "curate.yaml") or store in path.parents for path in made)
    names = {part for path in made for part in path.relative_to(tmp_path).parts}
    assert not {str(record["task_id"]) for record in records} & names
    rows = curated.table("trajectories")
    assert sorted(rows["native_id"]) == sorted(record["trajectory_id"].strip() for record in records)
    assert rows["traj_id"].n_unique() == 15
    assert rows["traj_id"].str.contains(r"^[0-9a-f]{32}$").all()


def test_sec_06_ids_are_values_and_folder_names_are_paths(shared_dir: Path, tmp_path: Path, curate: Curate) -> None:
    curated = curate(shared_dir / "cases" / "inputs" / "SEC-06" / "data")
    assert curated.table("inputs")["uri"].to_list() == ["o'brien data [v1]/part-0.jsonl"]
    native = curated.table("trajectories")["native_id"].to_list()
    assert len(native) == 8
    surface = open_surface(curated.store, curated.manifest, work_dir=tmp_path)
    for wanted in native:
        quoted = wanted.replace("'", "''")
        found = run_query(surface, f"SELECT native_id FROM trajectories WHERE native_id = '{quoted}'")
        assert found.to_pydict() == {"native_id": [wanted]}
        assert main(["explain", wanted, "--store", curated.store.root]) == 0
    for statement in ("ATTACH '/tmp/evil.db' AS e", "SELECT * FROM read_csv('/etc/hostname')"):
        with pytest.raises(QueryError):
            run_query(surface, statement)
    assert not Path("/tmp/evil.db").exists()


_MEASURED = (
    "import resource, sys\n"
    "from pipelines.cli import main\n"
    "from transforms.reading.supervision import POOL\n"
    "status = main(sys.argv[1:])\n"
    "POOL.end_all()\n"
    "lines = open('/proc/self/status').read().splitlines()\n"
    "own = next(line.split()[1] for line in lines if line.startswith('VmHWM'))\n"
    "print('\\npeak_kb', own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    "sys.exit(status)\n"
)


def test_sec_08_bombs_are_told_and_the_run_goes_on_in_bounded_memory(shared_dir: Path, tmp_path: Path) -> None:
    tree = {
        "lake": {"root": str(shared_dir / "cases" / "inputs" / "SEC-08" / "data")},
        "store": str(tmp_path / "store"),
        "ingest": {"max_bad_ratio": 1.0},
        "execution": {"progress": "quiet"},
    }
    (tmp_path / "curate.yaml").write_text(yaml.safe_dump(tree))
    command = [sys.executable, "-c", _MEASURED, "run", str(tmp_path / "curate.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peaks = [int(kb) for kb in done.stdout.split("peak_kb")[1].split()]
    print(f"peak memory: run {peaks[0] // 1024} MiB, reading process {peaks[1] // 1024} MiB")
    assert sum(peaks) < 1200 * 1024
    (quarantine,) = (tmp_path / "store" / "snapshots").glob("*/tables/quarantine.parquet")
    rows = pl.read_parquet(quarantine)
    files = rows.filter(pl.col("record_key") == "file")
    assert files["reason"].to_list() == ["too_large", "too_large"]
    assert sorted(files["message"]) == [
        "Parquet file ended after row 256: decodes to more than 268435456 characters",
        "inflates to more than 268435456 bytes",
    ]
    (trajectories,) = (tmp_path / "store" / "snapshots").glob("*/tables/trajectories.parquet")
    assert pl.read_parquet(trajectories)["native_id"].to_list() == ["p0"]


def test_sec_09_brackets_in_a_file_name_are_no_glob(tmp_path: Path, curate: Curate) -> None:
    for number, name in enumerate(("a[1].parquet", "a1.parquet", "a*.parquet")):
        (tmp_path / "lake").mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist([chat_rollout("t", number, reward=1.0)]), tmp_path / "lake" / name)
    for name, expected in (("a[1].parquet", "t-r0"), ("a1.parquet", "t-r1"), ("a*.parquet", "t-r2")):
        store = tempfile.mkdtemp(dir=tmp_path)
        curated = curate(tmp_path / "lake", store=Path(store).name, include=[name])
        assert curated.table("trajectories")["native_id"].to_list() == [expected]
