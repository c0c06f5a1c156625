"""Everything that can go wrong around a run: one clear message, its own exit code, CURRENT as it was."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pipelines.cli import main
from tests.whole_runs import Curate, chat_rollout, write_jsonl
from transforms.store.manifest import current_id

WORKERS = ["--", "--direct_running_mode=multi_processing", "--direct_num_workers=2"]


@pytest.fixture
def conf(chat_lake: Path, tmp_path: Path) -> Path:
    path = tmp_path / "curate.yaml"
    path.write_text("lake:\n  root: lake\nstore: store\nexecution:\n  progress: quiet\n")
    return path


def _complaint(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err.strip()


def test_a_misspelt_setting_exits_2(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(conf), "lexical.min_similarty=0.9"]) == 2
    complaint = _complaint(capsys)
    assert complaint.startswith("error: command line (lexical.min_similarty=0.9): lexical.min_similarty: unknown key")
    assert complaint.endswith("did you mean 'min_similarity'?")
    assert not (conf.parent / "store").exists()


def test_an_unknown_beam_flag_exits_2(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(conf), "--", "--direct_num_worker=2"]) == 2
    assert "unknown Beam flag, did you mean --direct_num_workers?" in _complaint(capsys)


def test_an_unknown_stage_exits_2(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(conf), "--until", "dedup"]) == 2
    assert "unknown stage; stages: ingest," in _complaint(capsys)


def test_a_missing_lake_exits_3(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(conf), "lake.root=nowhere"]) == 3
    assert "nowhere" in _complaint(capsys)


def test_an_empty_lake_exits_3(conf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["run", str(conf), f"lake.root={tmp_path / 'empty'}"]) == 3
    (tmp_path / "empty" / "a.jsonl").touch()
    assert main(["run", str(conf), f"lake.root={tmp_path / 'empty'}"]) == 3
    assert not (tmp_path / "store" / "CURRENT").exists()


def test_a_missing_seed_file_exits_3(conf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(conf), "seed_file=nothing.jsonl"]) == 3
    assert "seed_file: there is no file" in _complaint(capsys)


def test_a_mostly_bad_lake_exits_9(conf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lake" / "bad.jsonl").write_bytes(b'{"messages": 1}\n' * 100)
    assert main(["run", str(conf)]) == 9
    assert "100 of 120 records are bad" in _complaint(capsys)
    assert not (tmp_path / "store" / "CURRENT").exists()


def test_an_unreadable_file_is_quarantined_and_the_run_goes_on(chat_lake: Path, curate: Curate) -> None:
    (chat_lake / "broken.parquet").write_bytes(b"PAR1" + b"\0" * 40 + b"PAR1")
    curated = curate(chat_lake)
    assert curated.manifest.funnel["trajectories"] == 20
    rows = curated.table("quarantine")
    assert rows["reason"].to_list() == ["unreadable"]


def test_names_and_things_that_are_no_files_are_told(chat_lake: Path, curate: Curate) -> None:
    content = (chat_lake / "a" / "part-0.jsonl").read_bytes()
    (chat_lake / "a" / "part-0.jsonl").unlink()
    Path(os.fsdecode(os.fsencode(chat_lake) + b"/o'brien [\xff].jsonl")).write_bytes(content)
    (chat_lake / "dead.jsonl").symlink_to(chat_lake / "nowhere")
    os.mkfifo(chat_lake / "pipe.jsonl")
    curated = curate(chat_lake)
    assert curated.manifest.funnel["trajectories"] == 20
    assert curated.table("quarantine")["reason"].to_list() == ["unreadable", "unreadable"]
    assert "o'brien [\\udcff].jsonl" in curated.table("inputs")["uri"].to_list()


def test_a_cut_first_line_costs_only_itself(tmp_path: Path, curate: Curate) -> None:
    lake = write_jsonl(tmp_path / "cut" / "a.jsonl", [chat_rollout("t", n, reward=1.0) for n in range(10)])
    whole = (lake / "a.jsonl").read_bytes()
    (lake / "a.jsonl").write_bytes(b'{"task_id": "t0", "mess\n' + whole)
    funnel = curate(lake).manifest.funnel
    assert (funnel["read"], funnel["trajectories"], funnel["quarantined"]) == (11, 10, 1)


def test_a_store_inside_the_lake_is_no_input(chat_lake: Path, curate: Curate) -> None:
    first = curate(chat_lake, store="lake/store")
    assert first.manifest.funnel["read"] == 20
    assert curate(chat_lake, store="lake/store").result.was_done


def test_a_store_that_is_a_file_exits_4(conf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "store").write_text("")
    assert main(["run", str(conf)]) == 4
    assert "nothing can be written in" in _complaint(capsys)


def test_a_defect_is_one_line_without_secrets(
    conf: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.stages import tasks

    secret = "gh" + "p_" + "a1B2" * 9

    def fail(context: object) -> None:
        raise ValueError(f"no such thing as {secret}")

    monkeypatch.setattr(tasks, "run", fail)
    assert main(["run", str(conf)]) == 1
    complaint = _complaint(capsys)
    assert complaint.startswith("error: this is a defect of trajsift: ValueError in fail, line ")
    assert secret not in complaint


def test_a_store_that_is_held_exits_5(conf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from transforms.store.files import Store
    from transforms.store.lock import exclusive

    with exclusive(Store(str(tmp_path / "store"))):
        assert main(["run", str(conf)]) == 5
    assert f"held by process {os.getpid()}" in _complaint(capsys)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting a tmpfs is not allowed here")
    yield folder
    gc.collect()  # a pipeline is a cycle of objects: until it is collected its mapped arrays keep the disk busy
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("flags", [[], WORKERS], ids=["in memory", "two workers"])
def test_a_full_disk_exits_6_and_leaves_what_was_published(
    conf: Path, tiny_disk: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(conf), f"store={tiny_disk}", *flags]) in {0, 6}
    published = (tiny_disk / "CURRENT").read_text() if (tiny_disk / "CURRENT").exists() else None
    big = [chat_rollout(f"big{n}", 0, reward=1.0, words=os.urandom(3000).hex()) for n in range(200)]
    write_jsonl(conf.parent / "lake" / "big.jsonl", big)
    assert main(["run", str(conf), f"store={tiny_disk}", *flags]) == 6
    assert "error: no space left" in _complaint(capsys).splitlines()[-1]
    after = (tiny_disk / "CURRENT").read_text() if (tiny_disk / "CURRENT").exists() else None
    assert after == published


def _start(conf: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from pipelines.cli import run_command; run_command()", "run", str(conf), *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_killed_worker_exits_7_and_the_next_run_publishes(conf: Path, curate: Curate, chat_lake: Path) -> None:
    process = _start(conf, *WORKERS)
    deadline = time.monotonic() + 120
    workers: list[psutil.Process] = []
    while not workers and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
        workers = [child for child in children if "pipelines.runners.worker" in " ".join(child.cmdline())]
    os.kill(workers[-1].pid, signal.SIGKILL)
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.count("error: a worker process died")) == (7, 1)
    assert not (conf.parent / "store" / "CURRENT").exists()
    assert curate(chat_lake).tree() == curate(chat_lake, store="undisturbed").tree()


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["ingest", "copies", "export", "publish"])
def test_a_killed_run_leaves_no_trace_in_the_next(conf: Path, curate: Curate, chat_lake: Path, stage: str) -> None:
    first = curate(chat_lake)
    write_jsonl(chat_lake / "c.jsonl", [chat_rollout("task9", n, reward=float(n % 2)) for n in range(4)])
    code = (
        "import os, sys\nfrom pipelines import flow\nfrom pipelines.cli import run_command\n"
        f"module = flow.publish if {stage!r} == 'publish' else flow.STAGES[{stage!r}]\n"
        "work = module.run\n"
        "def work_and_die(*a, **k):\n"
        "    if module is not flow.publish: work(*a, **k)\n"
        "    os.kill(os.getpid(), 9)\n"
        "module.run = work_and_die\nrun_command()\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, "run", str(conf)], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    assert current_id(first.store) == first.manifest.snapshot_id
    resumed = curate(chat_lake)
    fresh = curate(chat_lake, store="fresh-parent")
    assert resumed.manifest.parent_id == first.manifest.snapshot_id
    assert resumed.manifest.funnel == fresh.manifest.funnel
    assert not (conf.parent / "store" / "work").exists()


def test_vectors_that_tell_no_tasks_apart_exit_9(
    conf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [chat_rollout(f"task{n}", 0, reward=1.0) for n in range(20)]
    preamble = " ".join(f"rule {n} of the house has to be kept by everyone at all times" for n in range(30))
    for record in records:
        messages = record["messages"][:2]
        for turn in range(3):
            messages += [{"role": "assistant", "content": f"turn {turn}"}, {"role": "user", "content": preamble}]
        record["messages"] = messages
    write_jsonl(tmp_path / "leaking" / "a.jsonl", records)
    words = ["run", str(conf), f"lake.root={tmp_path / 'leaking'}"]
    assert main([*words, "views.boilerplate_min_tasks=50"]) == 9
    complaint = _complaint(capsys)
    assert complaint.startswith("error: environment 'repo': hashed-256 vectors tell tasks apart no longer")
    assert "'rule 0 of the house has to be kept by everyone" in complaint
    assert not (tmp_path / "store" / "CURRENT").exists()
    assert main([*words, "views.boilerplate_min_tasks=50", "views.leak_alarm.enabled=false"]) == 0
