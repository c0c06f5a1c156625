from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.settings import EmbeddingSettings
from transforms.embedding.cache import KeptVectors, find_vectors
from transforms.embedding.choice import choose_encoder, hashed_choice
from transforms.embedding.encoding import (
    CutTexts,
    EncodeTexts,
    TextFile,
    pooled_hash,
    pooled_vectors,
    share_out,
    wanted_texts,
)
from transforms.embedding.hashed import hashed_vector
from transforms.store.files import Store
from transforms.store.progress import ProgressFile
from transforms.views.windows import window_hash


@pytest.fixture
def bodies(tmp_path: Path) -> Path:
    path = tmp_path / "bodies.parquet"
    table = {
        "view_hash": ["v1", "v2", "v3", "v4"],
        "body": ["ab cd", " ", "ab cd", "ef"],
        "task": ["x", "y", "z", "w"],
    }
    pq.write_table(pa.table(table), path)
    return path


def text_file(path: Path, wanted: dict[str, str]) -> TextFile:
    return TextFile("bodies", path, "view_hash", ("body", "task"), wanted)


def test_the_first_column_with_text_counts_and_a_hash_is_given_once(bodies: Path):
    file = text_file(bodies, {"v1": "h1", "v2": "h2", "v3": "h1"})
    assert list(wanted_texts(file)) == [[("h1", "ab cd"), ("h2", "y")]]


def test_texts_are_shared_out_to_the_first_file_that_has_them(bodies: Path, tmp_path: Path):
    other = tmp_path / "more.parquet"
    pq.write_table(pa.table({"view_hash": ["v1", "v9"]}), other)
    shares = share_out([bodies, other], {"v1": "h1", "v9": "h9", "v0": "h0"}, id_column="view_hash")
    assert shares == [(bodies, {"v1": "h1"}), (other, {"v9": "h9"})]


def test_encoded_texts_are_kept_in_the_store(bodies: Path, tmp_path: Path):
    store = Store(str(tmp_path / "store"))
    choice = hashed_choice(32)
    progress = ProgressFile(tmp_path / "progress")
    with TestPipeline() as pipeline:
        kept = (
            pipeline
            | beam.Create([text_file(bodies, {"v1": "h1", "v4": "h4"})])
            | EncodeTexts(choice, store, progress)
        )
        assert_that(kept, equal_to([("bodies", 2)]))
    found = find_vectors(store, choice.identity, ["h1", "h4"])
    assert found.keys.tolist() == ["h1", "h4"]
    assert progress.done() == 2
    assert np.array_equal(found.matrix[0], hashed_vector("ab cd", 32).astype(np.float16))


def test_texts_are_cut_into_windows_of_the_models_tokens(bodies: Path, tmp_path: Path, tiny_model: Path):
    choice = choose_encoder(EmbeddingSettings(encoder=str(tiny_model)), device="cpu", window_tokens=4)
    with TestPipeline() as pipeline:
        paths = (
            pipeline
            | beam.Create([text_file(bodies, {"v1": "h1", "v4": "h4"})])
            | CutTexts(choice, 3, folder=tmp_path / "cut")
        )
        assert_that(paths, equal_to([tmp_path / "cut" / "bodies.parquet"]))
    assert pq.read_table(tmp_path / "cut" / "bodies.parquet").to_pylist() == [
        {"text_hash": text_hash, "window_hash": window_hash(window), "window": window}
        for text_hash, window in (("h1", "ab"), ("h1", "cd"), ("h4", "ef"))
    ]


def test_a_text_is_the_mean_of_its_windows():
    kept = KeptVectors(np.array(["w1", "w2"]), np.array([[1, 0], [0, 1]], dtype=np.float16))
    windows = pa.table({"text_hash": ["b", "a", "b"], "window_hash": ["w1", "w1", "w2"]})
    names, vectors = pooled_vectors(["a", "b", "none"], windows, kept=kept)
    half = np.float32(np.sqrt(0.5))
    assert names == ["a", "b", "none"]
    assert vectors.tolist() == [[1, 0], [half, half], [0, 0]]


def test_a_text_with_a_window_that_has_no_vector_has_none():
    kept = KeptVectors(np.array(["w1", "w2"]), np.array([[1, 0], [0, 0]], dtype=np.float16))
    windows = pa.table({"text_hash": ["a", "b", "b"], "window_hash": ["w1", "w1", "w2"]})
    assert pooled_vectors(["a", "b"], windows, kept=kept)[1].tolist() == [[1, 0], [0, 0]]


def test_how_a_text_was_cut_is_part_of_what_its_mean_is_kept_under(tiny_model: Path):
    hashed = hashed_choice(32)
    model = choose_encoder(EmbeddingSettings(encoder=str(tiny_model)), device="cpu", window_tokens=64)
    assert pooled_hash("h", hashed, max_windows=8) == "h"
    names = {
        pooled_hash("h", model, max_windows=8),
        pooled_hash("h", model, max_windows=4),
        pooled_hash("h", model._replace(max_tokens=32), max_windows=8),
    }
    assert len(names) == 3
