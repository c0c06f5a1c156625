"""Secrets in the names of things: no byte of what a run writes or says holds one, and records are found again."""

import io
import itertools
import os
import secrets
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pyarrow.parquet as pq
import pytest
import yaml
import zstandard

from pipelines.cli import main
from tests.transforms.formats.eval_archives import archive
from tests.whole_runs import Curate, chat_rollout, write_jsonl


class Planted:
    """Makes secrets of several forms, a new one for each place, and knows them all."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}
        self._numbers = itertools.count()

    def __call__(self, place: str) -> str:
        forms = (
            "gh" + "p_" + secrets.token_hex(18),
            "AK" + "IA" + secrets.token_hex(8).upper(),
            "sk-" + "ant-" + secrets.token_hex(20),
            "xo" + "xb-" + secrets.token_hex(16),
            "hf" + "_" + secrets.token_hex(17),
        )
        self.places[place] = forms[next(self._numbers) % len(forms)]
        return self.places[place]

    def left_in(self, content: bytes) -> set[str]:
        """Return the places whose secret stands in the content."""
        return {place for place, value in self.places.items() if value.encode() in content}


@pytest.fixture
def planted() -> Planted:
    return Planted()


@pytest.fixture
def conf(tmp_path: Path, planted: Planted) -> Path:
    lake = tmp_path / f"lake-{planted('root of the lake')}"
    _plant_files(lake, planted)
    tree = {
        "lake": {
            "root": str(lake),
            "include": ["**/*"],
            "exclude": [f"**/{planted('pattern')}.txt"],
        },
        "store": str(tmp_path / "store"),
        "seed_file": "seeds.jsonl",
        "identity": {"task_aliases": {"t0": planted("alias"), planted("aliased task"): "t1"}},
        "export": {"rl_data_source": planted("name of a data source")},
        "ingest": {"max_bad_ratio": 1.0, "fields": {"reward": ["reward", planted("field")]}},
    }
    seed = {"task_id": planted("seed"), "prompt": f"use {planted('seed prompt')}", "environment": "repo"}
    (tmp_path / "seeds.jsonl").write_bytes(orjson.dumps(seed | {"tests": {planted("check"): [planted("checked")]}}))
    path = tmp_path / "curate.yaml"
    path.write_text(yaml.safe_dump(tree))
    return path


def _plant_files(lake: Path, planted: Planted) -> None:
    good = [chat_rollout(f"t{task}", n, reward=float(n % 2)) for task in range(3) for n in range(3)]
    write_jsonl(lake / f"run-{planted('folder')}" / f"part-{planted('file')}.jsonl", good)
    tasks = [
        chat_rollout(f"OPENAI_API_KEY={planted('task id')}", 0, reward=1.0),
        chat_rollout(f"env/{planted('native id')}", 1, reward=0.0),
    ]
    bad = [chat_rollout("t0", 7, reward="splendid"), chat_rollout(planted("bad task"), 8, reward="superb")]
    write_jsonl(lake / f"token={planted('assignment')}" / "part.jsonl", tasks)
    for n, record in enumerate(bad):
        write_jsonl(lake / f"twins-{planted(f'twin {n}')}" / "x.jsonl", [record])
    for number, letters in enumerate(("'; DROP TABLE inputs; --", "<script>", "\n", "\x1b[31m")):
        write_jsonl(lake / f"{letters} {planted(f'hostile name {number}')}.jsonl", [good[0] | {"reward": "none"}])
    odd = os.fsencode(lake) + b"/\xff " + planted("name without text").encode() + b".jsonl"
    with open(odd, "wb") as file:
        file.write(b'{"messages": 1}\n{"cut')
    keyed = {planted("key of a record"): _attempts(0, actions=0), planted("other key"): _attempts(1, actions=["ls"])}
    (lake / f"{planted('document')}.json").write_bytes(orjson.dumps(keyed))
    (lake / f"{planted('broken link')}.jsonl").symlink_to(lake / planted("target of a link"))
    (lake / f"{planted('archive')}.eval").write_bytes(_inspect_archive(planted))
    (lake / f"{planted('broken archive')}.eval").write_bytes(_inspect_archive(planted)[:-40])
    walk = lake / planted("run of an agent") / planted("instance")
    walk.mkdir(parents=True)
    (walk / f"{planted('instance file')}.traj").write_bytes(
        orjson.dumps({"history": [{"role": "user", "content": "hi"}], "trajectory": [], "info": {}})
    )
    (walk.parent / "preds.json").write_text("{}")


def _attempts(number: int, *, actions: object) -> dict[str, Any]:
    return {"environment": "ic_bash", "query": f"ask {number}", "turn_history": {"actions": actions}}


def _inspect_archive(planted: Planted) -> bytes:
    sample = {"id": planted("sample id"), "epoch": 1, "input": "go", "messages": [], "scores": {}}
    header = {"status": "success", "eval": {"task": planted("eval task"), "model": "toy"}}
    return archive(
        [
            ("header.json", header),
            (f"samples/{planted('member')}_epoch_1.json", sample),
            (f"samples/{planted('broken member')}_epoch_1.json", b"{"),
            (f"samples/../../{planted('climbing member')}.json", b"[]"),
        ]
    )


def _contents(store: Path) -> list[tuple[str, bytes]]:
    """Return every file of a store, as it lies there and unpacked."""
    found = []
    for path in sorted(store.rglob("*")):
        name = str(path.relative_to(store))
        found.append((f"the name of {name}", name.encode()))
        if path.is_file():
            found.append((name, path.read_bytes()))
            found.append((f"{name} unpacked", _unpacked(path)))
    return found


def _unpacked(path: Path) -> bytes:
    if path.suffix == ".parquet":
        file = pq.ParquetFile(path)
        return repr(file.read().to_pylist()).encode() + repr(file.schema_arrow.metadata).encode()
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as catalog:
            names = [name for (name,) in catalog.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
            return repr([catalog.execute(f'SELECT * FROM "{name}"').fetchall() for name in names]).encode()
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(path.read_bytes())).read()
    return b""


def _said(capfd: pytest.CaptureFixture[str], *words: Any, status: int = 0) -> str:
    assert main([str(word) for word in words]) == status
    captured = capfd.readouterr()
    return captured.out + captured.err


def test_nothing_written_or_said_holds_a_secret_of_a_name(
    conf: Path, planted: Planted, capfd: pytest.CaptureFixture[str]
) -> None:
    said = [_said(capfd, "run", conf), _said(capfd, "run", conf, "export.targets=[sft]")]
    contents = _contents(conf.parent / "store")
    manifest = next(
        content for name, content in contents if name.startswith("snapshots") and name.endswith("manifest.json")
    )
    assert manifest.count(b"_1>") >= 12, manifest.decode()
    assert {name: left for name, content in contents if (left := planted.left_in(content))} == {}
    listed = _said(capfd, "quarantine", "list", "--conf", conf)
    names = [line.split("  ")[0].strip() for line in listed.splitlines() if line[12:13] == "/"]
    assert len(names) > 8
    said += [listed, _said(capfd, "quarantine", "replay", conf)]
    for name in names:
        main(["quarantine", "show", name, str(conf)])
        captured = capfd.readouterr()
        said.append(captured.out + captured.err)
    said.append(_said(capfd, "explain", "--conf", conf, "t1-r0"))
    said.append(_said(capfd, "run", conf, f"lake.include=[{planted('missing pattern')}]", status=3))
    said.append(_said(capfd, "run", conf, f"lake.root=/{planted('missing root')}", status=3))
    said.append(_said(capfd, "run", conf, f"ingest.format={planted('wrong value')}", status=2))
    assert [planted.left_in(text.encode()) for text in said] == [set()] * len(said)


def test_files_whose_names_differ_in_their_secrets_alone_are_told_apart_by_content(
    tmp_path: Path, curate: Curate, capfd: pytest.CaptureFixture[str]
) -> None:
    folders = ["gh" + "p_" + secrets.token_hex(18) for _ in range(3)]
    for n, folder in enumerate(folders):
        records = [chat_rollout("t", n, reward=1.0, words=f"number{n}"), chat_rollout("t", n + 3, reward=f"reward{n}")]
        write_jsonl(tmp_path / "lake" / folder / "x.jsonl", records)
    settings = {"ingest": {"max_bad_ratio": 1.0}}
    curated = curate(tmp_path / "lake", settings=settings)
    inputs = curated.table("inputs")
    assert inputs["uri"].to_list() == ["<GITHUB_TOKEN_1>/x.jsonl"] * 3
    assert inputs["unit_key"].n_unique() == 3
    assert curate(tmp_path / "lake", settings=settings).result.was_done
    conf = tmp_path / "curate.yaml"
    keys = inputs.sort("sha256")["unit_key"].to_list()
    shown = [_said(capfd, "quarantine", "show", f"{key}/line:2", conf) for key in keys]
    assert sorted(n for text in shown for n in range(3) if f"reward{n}" in text) == [0, 1, 2]
    fixed = _said(capfd, "quarantine", "replay", conf, "ingest.fields.reward=[score]")
    assert fixed.count(" accepted") == 3
    last = next(key for key, text in zip(keys, shown, strict=True) if "reward2" in text)
    (tmp_path / "lake" / folders[2] / "x.jsonl").write_text("{}")
    changed = _said(capfd, "quarantine", "show", f"{last}/line:2", conf, status=3)
    assert "the source does not hold this record any more (changed)" in changed
    for folder in folders:
        (tmp_path / "lake" / folder / "x.jsonl").rename(tmp_path / "lake" / folder / "y.jsonl")
    gone = _said(capfd, "quarantine", "show", f"{last}/line:2", conf, status=3)
    assert "the lake holds no file that is shown as <GITHUB_TOKEN_1>/x.jsonl" in gone
    assert not any(folder in text for folder in folders for text in (*shown, fixed, changed, gone))


def test_records_whose_names_in_their_document_differ_in_secrets_alone_are_shown_apart(
    tmp_path: Path, curate: Curate, capfd: pytest.CaptureFixture[str]
) -> None:
    bad = {"gh" + "p_" + secrets.token_hex(18): _attempts(n, actions=n) for n in range(2)}
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "runs.json").write_bytes(orjson.dumps(bad | {"good": _attempts(2, actions=["submit"])}))
    curated = curate(tmp_path / "lake", settings={"ingest": {"max_bad_ratio": 1.0}})
    rows = curated.table("quarantine").select("unit_key", "record_key").rows()
    assert [key for _, key in rows] == ["key:<GITHUB_TOKEN_1>", "key:<GITHUB_TOKEN_1>~2"]
    for n, (unit, key) in enumerate(rows):
        assert f"ask {n}" in _said(capfd, "quarantine", "show", f"{unit}/{key}", tmp_path / "curate.yaml")
    replayed = _said(capfd, "quarantine", "replay", tmp_path / "curate.yaml")
    assert replayed.count("missing_messages  still_bad  missing_messages") == 2
