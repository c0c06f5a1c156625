from pathlib import Path

import pyarrow.parquet as pq
import pytest
from apache_beam import Create
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.records import SourceUnit
from tests.transforms.targets.conversation_samples import solved, step, trajectory
from transforms.store.files import Store
from transforms.store.packs import Pack, PackWriter, UnitCounts, plan_packs
from transforms.store.progress import ProgressFile
from transforms.store.tables import rows_to_table, write_table
from transforms.targets.assembling import read_texts
from transforms.targets.contract import Conversation, Refusal
from transforms.targets.encoding import encode_message
from transforms.targets.rendering import WANTED_SCHEMA, RenderConversations, outcome_row, render_trajectory


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    unit = SourceUnit("u", "a.jsonl", "openai_chat", "1", 1, "s")
    [pack] = plan_packs([unit], layer_key="k")
    with PackWriter(Store(str(tmp_path / "store")), pack, layer_key="k") as writer:
        writer.add(solved("good", "gold"), unit, {})
        writer.add(trajectory("idle", step("user", "hello")), unit, {})
        writer.add(solved("unwanted", "lead"), unit, {})
        writer.end_unit(UnitCounts("u", 3, 3, 0, 0))
    return pack


def test_wanted_conversations_are_written_to_their_buckets_and_refusals_say_why(tmp_path: Path, pack: Pack) -> None:
    wanted = [
        {"traj_id": "good", "dataset": "dpo", "bucket": "dpo-train-00000"},
        {"traj_id": "good", "dataset": "dpo", "bucket": "dpo-train-00001"},
        {"traj_id": "good", "dataset": "sft", "bucket": "sft-train-00000"},
        {"traj_id": "idle", "dataset": "kto", "bucket": "kto-train-00000"},
    ]
    work = Store(str(tmp_path / "work"))
    write_table(work, f"wanted/{pack.pack_id}.parquet", rows_to_table(wanted, WANTED_SCHEMA))
    progress = ProgressFile(tmp_path / "progress")
    other = Pack("other", ("v",))
    with TestPipeline() as pipeline:
        counts = (
            pipeline
            | Create([pack, other])
            | RenderConversations(Store(str(tmp_path / "store")), tmp_path / "work", progress)
        )
        assert_that(counts, equal_to([2, 0]))
    assert progress.done() == 2
    rendered = pq.read_table(tmp_path / "work" / "rendered" / f"{pack.pack_id}.parquet")
    assert rendered.select(["traj_id", "dataset", "reason"]).to_pylist() == [
        {"traj_id": "good", "dataset": "dpo", "reason": None},
        {"traj_id": "good", "dataset": "sft", "reason": None},
        {"traj_id": "idle", "dataset": "kto", "reason": "no_assistant_turn"},
    ]
    texts = {path.name: read_texts(path).to_pylist() for path in sorted((tmp_path / "work" / "texts").iterdir())}
    assert sorted(texts) == ["dpo-train-00000", "dpo-train-00001", "sft-train-00000"]
    [pair_text], [whole_text] = texts["dpo-train-00000"], texts["sft-train-00000"]
    assert whole_text["messages"] == pair_text["prompt"] + pair_text["completion"]
    assert (whole_text["prompt"], pair_text["messages"]) == (None, None)
    assert len(pair_text["hashes"]) == len(whole_text["messages"]) == 5


def test_rendering_leaves_demonstrations_out_of_sft_only() -> None:
    shown = trajectory(
        "t", step("user", "demo", is_demo=True), step("agent", "shown", is_demo=True), *solved("s", "gold").steps
    )
    dpo, sft = render_trajectory(shown, dataset="dpo"), render_trajectory(shown, dataset="sft")
    assert isinstance(dpo, Conversation)
    assert isinstance(sft, Conversation)
    assert [message["content"] for message in dpo.prompt] == ["demo", "shown", "Be brief.", "What lies there?"]
    assert [message["content"] for message in sft.prompt] == ["Be brief.", "What lies there?"]


def test_equal_completions_have_equal_hashes_whatever_led_to_them() -> None:
    answer = [encode_message("assistant", "a")]
    one = outcome_row("t", "dpo", Conversation([encode_message("user", "q")], answer, None))
    other = outcome_row("u", "dpo", Conversation([encode_message("user", "r")], answer, None))
    split = outcome_row("v", "dpo", Conversation([], [encode_message("assistant", "")], None))
    assert one["completion_hash"] == other["completion_hash"] != split["completion_hash"]
    refused = render_trajectory(trajectory("t"), dataset="dpo")
    assert isinstance(refused, Refusal)
    assert outcome_row("t", "dpo", refused)["detail"] == "there is no user message"
