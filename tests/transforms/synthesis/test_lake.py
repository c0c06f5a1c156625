import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipelines.settings_files import load_settings
from schemas.reasons import EnvType
from transforms.synthesis.lake import LakeRequest, LakeSummary, write_lake
from transforms.synthesis.near_copies import jaccard, word_shingles
from transforms.synthesis.planting import LakeFormat, Planted, plan_task
from transforms.synthesis.realism import REAL_LIMITS, measure_messages, measure_swe_agent

REQUEST = LakeRequest(seed=7, num_tasks=24, num_rollouts=8, size_kb=8.0, num_files=8)
Row = dict[str, Any]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, LakeSummary]:
    target = tmp_path_factory.mktemp("sample")
    return target, write_lake(target, REQUEST)


@pytest.fixture(scope="module")
def truth(written: tuple[Path, LakeSummary]) -> list[Row]:
    return _lines(written[0] / "truth" / "rollouts.jsonl")


@pytest.fixture(scope="module")
def records(written: tuple[Path, LakeSummary]) -> dict[tuple[str, int], Row]:
    return _records(written[0] / "lake")


def test_equal_arguments_give_equal_bytes_whatever_the_hash_seed(tmp_path: Path):
    code = (
        "import sys; from pathlib import Path; from transforms.synthesis.lake import LakeRequest, write_lake;"
        "write_lake(Path(sys.argv[1]), LakeRequest(3, 8, 8, 4.0, 8))"
    )
    digests = []
    for hash_seed in ("1", "2"):
        target = tmp_path / hash_seed
        target.mkdir()
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        subprocess.run(
            [sys.executable, "-c", code, target], check=True, env=environment, cwd=Path(__file__).parents[3]
        )
        digests.append(_digests(target))
    assert digests[0] == digests[1]
    other = tmp_path / "other"
    other.mkdir()
    write_lake(other, LakeRequest(4, 8, 8, 4.0, 8))
    assert _digests(other)["curate.yaml"] != digests[0]["curate.yaml"]


def test_every_record_has_one_truth_row(truth: list[Row], records: dict[tuple[str, int], Row]):
    assert len(truth) == REQUEST.num_tasks * REQUEST.num_rollouts
    assert {(row["uri"], row["record"]) for row in truth} == set(records)
    for row in truth:
        record = records[row["uri"], row["record"]]
        assert record.get("trajectory_id") == row["native_id"]
        assert (row["native_id"] is None) == (row["format"] == LakeFormat.SWE_AGENT)


def test_what_was_planned_is_what_truth_and_summary_count(written: tuple[Path, LakeSummary], truth: list[Row]):
    planned = Counter(
        plan.kind.value
        for number in range(REQUEST.num_tasks)
        for plan in plan_task(REQUEST.seed, number, num_rollouts=REQUEST.num_rollouts).rollouts
    )
    assert Counter(row["kind"] for row in truth) == planned == written[1].kinds
    assert set(planned) == set(Planted)
    tasks = _lines(written[0] / "truth" / "tasks.jsonl")
    assert sum(task["num_records"] for task in tasks) == len(truth)
    assert sum(task["num_repeats"] for task in tasks) == planned[Planted.REPEAT]


def test_copies_are_what_truth_says(truth: list[Row], records: dict[tuple[str, int], Row]):
    for row in truth:
        if row["original_uri"] is None:
            assert row["similarity"] is None
            continue
        record = records[row["uri"], row["record"]]
        original = records[row["original_uri"], row["original_record"]]
        if row["kind"] == Planted.REPEAT:
            assert record == original
        elif row["kind"] == Planted.EXACT_COPY:
            assert row["similarity"] == 1.0
            assert _messages(record) == _messages(original)
            assert row["native_id"] is None or row["native_id"] != row["original_native_id"]
        else:
            # Truth measures thoughts, calls and answers; here they are read from what was written.
            measured = jaccard(word_shingles(_body(record)), word_shingles(_body(original)))
            assert measured == pytest.approx(row["similarity"], abs=0.02)


def test_rewards_and_outcomes_agree(truth: list[Row], records: dict[tuple[str, int], Row]):
    for row in truth:
        record = records[row["uri"], row["record"]]
        if row["format"] != LakeFormat.SWE_AGENT:
            assert record["reward"] == row["reward"]
        if row["outcome"] == "success":
            assert row["unit_test_pass"] == 1.0
            assert row["reward"] >= 1.0
        if row["outcome"] == "failure":
            assert row["unit_test_pass"] < 1.0
        if row["outcome"] == "unscored":
            assert row["reward"] is None
        if row["kind"] == Planted.INFRA:
            assert (row["outcome"], row["reward"] or 0.0) == ("invalid", 0.0)


def test_secrets_stand_where_truth_says(written: tuple[Path, LakeSummary], records: dict[tuple[str, int], Row]):
    secrets = _lines(written[0] / "truth" / "secrets.jsonl")
    assert len(secrets) == written[1].num_secrets > 0
    assert len({secret["kind"] for secret in secrets}) > 5
    for secret in secrets:
        assert secret["value"] in "\n".join(_texts(records[secret["uri"], secret["record"]]))


def test_written_rollouts_lie_within_the_real_ones(truth: list[Row], records: dict[tuple[str, int], Row]):
    for row in truth:
        record = records[row["uri"], row["record"]]
        is_chat = row["format"] != LakeFormat.SWE_AGENT
        measure = measure_messages(record["messages"]) if is_chat else measure_swe_agent(record["trajectory"])
        limits = REAL_LIMITS[EnvType(row["env_type"])]
        assert measure.num_steps == row["num_steps"]
        assert limits.num_steps.holds(measure.num_steps)
        assert all(map(limits.call_chars.holds, measure.call_chars))
        assert limits.error_ratio.holds(measure.error_ratio)


def test_different_tasks_share_little_text(written: tuple[Path, LakeSummary]):
    assert 0.0 < written[1].mean_sharing < 0.02


def test_the_settings_file_reads_the_lake_with_the_hashed_encoder(written: tuple[Path, LakeSummary]):
    target = written[0]
    settings = load_settings([target / "curate.yaml"]).settings
    assert settings.lake.root == str(target / "lake")
    assert settings.lake.include == ["**/*.jsonl", "**/*.parquet", "**/*.traj"]
    assert (settings.store, settings.seed_file) == (str(target / "store"), str(target / "seeds.jsonl"))
    assert (settings.seed, settings.embedding.encoder) == (7, "hashed")
    seeds = _lines(target / "seeds.jsonl")
    assert list(seeds[0]) == ["task_id", "prompt", "environment", "data_source", "style", "ground_truth"]
    assert len({seed["task_id"] for seed in seeds}) == len(seeds) == 6


def test_files_share_the_records_and_never_stand_empty(tmp_path: Path, written: tuple[Path, LakeSummary]):
    chat = sorted(path.parent.name for path in (written[0] / "lake").glob("*/part-*"))
    assert chat == ["chat"] * 4 + ["tables"] * 4
    write_lake(tmp_path, LakeRequest(0, 1, 3, 4.0, 8))
    assert {uri: len(rows) for uri, rows in _by_file(tmp_path / "lake").items()} == {
        f"chat/part-000{number}.jsonl": 1 for number in range(3)
    }


def test_one_format_alone(tmp_path: Path):
    for only, suffix in ((LakeFormat.CHAT_PARQUET, ".parquet"), (LakeFormat.SWE_AGENT, ".traj")):
        target = tmp_path / only.value
        target.mkdir()
        write_lake(target, LakeRequest(0, 3, 4, 4.0, 2, only))
        suffixes = {path.suffix for path in (target / "lake").rglob("*") if path.is_file()}
        assert suffixes - {".json"} == {suffix}
        assert len(_records(target / "lake")) == 12


def _records(lake: Path) -> dict[tuple[str, int], Row]:
    return {(uri, at): row for uri, rows in _by_file(lake).items() for at, row in enumerate(rows)}


def _by_file(lake: Path) -> dict[str, list[Row]]:
    files: dict[str, list[Row]] = {}
    for path in sorted(lake.rglob("*")):
        uri = path.relative_to(lake).as_posix()
        if path.suffix == ".jsonl":
            files[uri] = _lines(path)
        elif path.suffix == ".parquet":
            files[uri] = pq.read_table(path).to_pylist()
        elif path.suffix == ".traj":
            files[uri] = [json.loads(path.read_bytes())]
    return files


def _lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _messages(record: Row) -> list[Row]:
    messages: list[Row] = record["messages"] if "messages" in record else record["history"]
    return messages


def _body(record: Row) -> str:
    """Return thoughts, calls and answers in the order of `body_text`."""
    if "trajectory" in record:
        calls = [message["tool_calls"][0]["function"] for message in record["history"] if "tool_calls" in message]
        return "\n".join(
            f"{entry['thought']}\n{call['name']}\n{call['arguments']}\n{entry['observation']}"
            for entry, call in zip(record["trajectory"], calls, strict=True)
        )
    parts = []
    for message in record["messages"][2:]:
        parts.append(message["content"])
        for call in message.get("tool_calls") or ():
            parts.extend((call["function"]["name"], call["function"]["arguments"]))
    return "\n".join(parts)


def _texts(record: Row) -> list[str]:
    if "trajectory" in record:
        return [entry["observation"] for entry in record["trajectory"]]
    return [message["content"] for message in record["messages"]]


def _digests(target: Path) -> dict[str, str]:
    return {
        path.relative_to(target).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(target.rglob("*"))
        if path.is_file()
    }
