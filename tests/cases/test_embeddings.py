"""EMB-02, EMB-04, EMB-06, EMB-08, SCA-10 and DET-06: what is embedded, where, how often, and that bits stay."""

import threading
from pathlib import Path

import apache_beam as beam
import numpy as np
import orjson
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from pipelines.run import execute
from pipelines.runners.display import Display
from pipelines.settings_files import load_settings
from schemas.errors import SettingsError
from schemas.settings import EmbeddingSettings
from tests.whole_runs import Curate, chat_rollout, write_jsonl
from transforms.embedding.cache import absent_hashes, find_vectors
from transforms.embedding.choice import choose_encoder, hashed_choice
from transforms.embedding.encoding import EncodeTexts, TextFile
from transforms.similarity.rescoring import unit_rows
from transforms.store.files import Store

BLANK = ["", " \n\t", "\0", "\0 \x07\u200b"]


@pytest.mark.parametrize("encoder", ["hashed", "tiny"])
def test_emb_02_blank_texts_have_no_vector(encoder: str, tiny_model: Path) -> None:
    settings = EmbeddingSettings(encoder=str(tiny_model) if encoder == "tiny" else encoder, batch_size=8)
    opened = choose_encoder(settings, device="cpu", window_tokens=64).open()
    vectors = opened.encode([*BLANK, "git push", "abc"])
    assert not vectors[: len(BLANK)].any()
    assert vectors[len(BLANK) :].any(axis=1).all()
    cosines = unit_rows(vectors.astype(np.float16)) @ unit_rows(vectors.astype(np.float16)).T
    assert not cosines[: len(BLANK)].any()


def test_emb_02_runs_without_text_join_no_group(curate: Curate, tmp_path: Path) -> None:
    records = []
    for number, text in enumerate(BLANK):
        record = chat_rollout("task0", number, reward=1.0)
        record["messages"] = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
        records.append(record)
    records += [chat_rollout("task1", number, reward=float(number % 2)) for number in range(4)]
    curated = curate(write_jsonl(tmp_path / "lake" / "a.jsonl", records))
    clusters = curated.table("clusters").join(
        curated.table("trajectories").select("traj_id", "native_id"), on="traj_id"
    )
    blank = clusters.filter(clusters["native_id"].str.starts_with("task0"))
    assert blank["semantic_group"].n_unique() == blank.height


def test_emb_04_memory_does_not_grow_with_the_texts_of_a_file(tmp_path: Path) -> None:
    peaks = []
    for number, count in enumerate((20_000, 100_000)):
        path = tmp_path / f"texts-{count}.parquet"
        hashes = [f"{number}-{row:06}" for row in range(count)]
        pq.write_table(pa.table({"text_hash": hashes, "text": [f"word{row} end" for row in range(count)]}), path)
        store = Store(str(tmp_path / f"store-{count}"))
        file = TextFile("texts", path, "text_hash", ("text",), {each: each for each in hashes})
        with _PeakMemory() as peak, beam.Pipeline() as pipeline:
            _ = pipeline | beam.Create([file]) | EncodeTexts(hashed_choice(1024), store)
        peaks.append(peak.grown)
        assert absent_hashes(store, hashed_choice(1024).identity, hashes) == set()
        assert len(store.list("layers/windows")) == -(-count // 8192)
    # 100,000 float32 vectors of 1,024 dimensions are 410 MB; a chunk of them is 34 MB.
    assert peaks[1] < peaks[0] + 200e6


class _PeakMemory:
    """The resident memory by which a block grew the process at most, in bytes."""

    def __enter__(self) -> "_PeakMemory":
        self._process = psutil.Process()
        self._before = self._process.memory_info().rss
        self.grown = 0
        self._stop = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        self._sampler.start()
        return self

    def _sample(self) -> None:
        while not self._stop.wait(0.02):
            self.grown = max(self.grown, self._process.memory_info().rss - self._before)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._sampler.join()


def test_emb_06_an_absent_card_refuses_before_data_is_read(curate: Curate, chat_lake: Path, tmp_path: Path) -> None:
    _skip_with_a_card()
    with pytest.raises(SettingsError, match="torch sees no card"):
        curate(chat_lake, overrides=["execution.device=cuda"])
    assert not (tmp_path / "store" / "layers").exists()


def test_emb_06_auto_falls_back_and_says_so(chat_lake: Path, tmp_path: Path, tiny_model: Path) -> None:
    _skip_with_a_card()
    conf = tmp_path / "curate.yaml"
    conf.write_text(
        f"lake: {{root: {chat_lake}}}\nstore: {tmp_path / 'store'}\n"
        f"embedding: {{encoder: {tiny_model}, batch_size: 8, precision: float32}}\n"
    )
    with (tmp_path / "display.txt").open("w") as file:
        execute(load_settings([conf], []), display=Display("plain", console=Console(file=file, width=200)))
    shown = (tmp_path / "display.txt").read_text()
    assert "encoder model by torch in float32 on cpu (device: auto, and there is no card)" in shown
    assert " unique, " in shown


def _skip_with_a_card() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a card")


def test_emb_08_kept_vectors_serve_their_own_model_text_form_length_and_precision_only(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(str(tmp_path / "store"))
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"text_hash": ["h"], "text": ["abc def"]}), path)
    settings = EmbeddingSettings(encoder=str(tiny_model), batch_size=8, precision="float32")
    choice = choose_encoder(settings, device="cpu", window_tokens=32)
    with beam.Pipeline() as pipeline:
        _ = (
            pipeline
            | beam.Create([TextFile("t", path, "text_hash", ("text",), {"h": "h"})])
            | EncodeTexts(choice, store)
        )
    assert absent_hashes(store, choice.identity, ["h"]) == set()
    others = [
        choose_encoder(settings, device="cpu", window_tokens=64),
        choose_encoder(settings.model_copy(update={"precision": "bfloat16"}), device="cpu", window_tokens=32),
        choose_encoder(EmbeddingSettings(), device="cpu", window_tokens=32),
        choice._replace(identity=choice.identity._replace(revision="other weights")),
        choice._replace(identity=choice.identity._replace(device_class="cpu-openvino")),
    ]
    assert [absent_hashes(store, each.identity, ["h"]) for each in others] == [{"h"}] * len(others)
    monkeypatch.setattr("transforms.embedding.cache.RENDER_VERSION", "next")
    assert absent_hashes(store, choice.identity, ["h"]) == {"h"}


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param([], id="one"),
        pytest.param(
            ["--direct_running_mode=multi_processing", "--direct_num_workers=2"], id="workers", marks=pytest.mark.slow
        ),
    ],
)
def test_sca_10_a_process_loads_the_model_once(
    curate: Curate, chat_lake: Path, tiny_model: Path, flags: list[str]
) -> None:
    settings = {"embedding": {"encoder": str(tiny_model), "batch_size": 8}, "views": {"window_tokens": 16}}
    curated = curate(chat_lake, settings=settings, flags=flags)
    assert curated.result.run_file is not None
    record = orjson.loads(curated.store.read_bytes(curated.result.run_file))
    (counts,) = [stage["counts"] for stage in record["stages"] if stage["stage"] == "embed"]
    assert counts["model_loads"] == counts["model_processes"] >= 1
    assert counts["windows"] >= counts["unique_windows"] == counts["encoded_windows"] > 0
    assert counts["reuse_ratio"] == round(1 - counts["encoded_windows"] / counts["windows"], 4)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_det_06_the_make_up_of_batches_moves_no_bit(tiny_model: Path, precision: str) -> None:
    texts = [f"pair {number} of like words" for number in range(40)] + ["ab " * number for number in range(1, 9)]
    vectors = []
    for batch_size in (8, 16, 32):
        settings = EmbeddingSettings.model_validate(
            {"encoder": str(tiny_model), "batch_size": batch_size, "precision": precision}
        )
        encoder = choose_encoder(settings, device="cpu", window_tokens=64).open()
        vectors += [encoder.encode(texts), np.vstack([encoder.encode([text]) for text in texts])]
        vectors.append(encoder.encode(texts[::-1])[::-1])
    assert all(np.array_equal(each, vectors[0]) for each in vectors)


def test_det_06_kept_vectors_are_the_same_however_files_are_cut(tmp_path: Path, tiny_model: Path) -> None:
    choice = choose_encoder(EmbeddingSettings(encoder=str(tiny_model), batch_size=8), device="cpu", window_tokens=32)
    hashes = [f"h{row:02}" for row in range(30)]
    found = []
    for name, cuts in (("whole", [hashes]), ("cut", [hashes[:7], hashes[7:8], hashes[8:]])):
        store = Store(str(tmp_path / name))
        files = []
        for number, part in enumerate(cuts):
            path = tmp_path / f"{name}-{number}.parquet"
            pq.write_table(pa.table({"text_hash": part, "text": [f"text {each}" for each in part]}), path)
            files.append(TextFile(path.stem, path, "text_hash", ("text",), {each: each for each in part}))
        with beam.Pipeline() as pipeline:
            _ = pipeline | beam.Create(files) | EncodeTexts(choice, store)
        found.append(find_vectors(store, choice.identity, hashes).matrix)
    assert np.array_equal(found[0], found[1])
