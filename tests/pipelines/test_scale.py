"""10,000 trajectories of 20 KB within two gigabytes."""

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from pipelines.cli import main
from transforms.store.files import Store
from transforms.store.manifest import current_id, read_manifest

pytestmark = pytest.mark.slow


def test_ten_thousand_trajectories_stay_under_two_gigabytes(tmp_path: Path) -> None:
    sample = tmp_path / "sample"
    assert main(["sample-lake", str(sample), "--tasks", "1250", "--rollouts", "8", "--size-kb", "20"]) == 0
    command = [sys.executable, "-c", "from pipelines.cli import run_command; run_command()"]
    subprocess.run([*command, "run", str(sample / "curate.yaml"), f"store={tmp_path / 'store'}"], check=True)
    store = Store(str(tmp_path / "store"))
    funnel = read_manifest(store, current_id(store) or "").funnel
    assert funnel["read"] == 10_000
    (run_file,) = store.list("runs")
    stages = orjson.loads(store.read_bytes(run_file))["stages"]
    for stage in stages:
        costs = f"{stage['wall_s']:>8.1f} s {stage['cpu_s']:>8.1f} CPU-s {stage['peak_rss_mb']:>8.0f} MB"
        print(f"{stage['stage']:<12}{costs}")
    peak_mb = max(stage["peak_rss_mb"] for stage in stages)
    print(f"peak resident memory, reading processes included: {peak_mb:,.0f} MB")
    assert peak_mb * 2**20 < 2e9
