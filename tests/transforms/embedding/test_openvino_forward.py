import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from schemas.errors import SettingsError
from schemas.settings import EmbeddingSettings
from transforms.embedding.choice import choose_encoder
from transforms.embedding.contract import Encoder
from transforms.embedding.devices import bfloat16_instructions
from transforms.embedding.openvino_forward import OpenVinoForward

pytest.importorskip("openvino")

TEXTS = ["abc def", "abc def ghi " * 20, "", "zz9", "the quick brown fox jumps over the lazy dog", "abc"]


def open_model(folder: Path, *, precision: str = "float32", batch_size: int = 8) -> Encoder:
    settings = EmbeddingSettings.model_validate(
        {"encoder": str(folder), "backend": "openvino", "precision": precision, "batch_size": batch_size}
    )
    return choose_encoder(settings, device="auto", window_tokens=64).open()


def with_pooling(folder: Path, target: Path, mode: str) -> Path:
    shutil.copytree(folder, target)
    config = target / "1_Pooling" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"pooling_mode": mode}))
    return target


@pytest.mark.parametrize("mode", ["mean", "cls", "max", "lasttoken"])
def test_every_pooling_is_that_of_sentence_transformers(tiny_model: Path, tmp_path: Path, mode: str):
    from sentence_transformers import SentenceTransformer

    folder = with_pooling(tiny_model, tmp_path / "model", mode)
    vectors = open_model(folder).encode(TEXTS)
    assert not vectors[2].any()
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    assert np.delete(vectors, 2, axis=0) == pytest.approx(np.delete(expected, 2, axis=0), abs=1e-5)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_vector_depends_on_its_text_alone(tiny_model: Path, precision: str):
    if precision == "bfloat16" and not bfloat16_instructions():
        pytest.skip("this CPU has no bfloat16 instructions")
    encoder = open_model(tiny_model, precision=precision)
    vectors = encoder.encode(TEXTS)
    assert np.array_equal(encoder.encode(TEXTS[::-1])[::-1], vectors)
    assert np.array_equal(np.vstack([encoder.encode([text]) for text in TEXTS]), vectors)
    assert np.array_equal(open_model(tiny_model, precision=precision, batch_size=16).encode(TEXTS), vectors)


def test_a_module_that_needs_more_than_token_vectors_is_refused_by_name(tiny_model: Path, tmp_path: Path):
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    modules = folder / "modules.json"
    modules.write_text(modules.read_text().replace("Pooling", "WordWeights"))
    with pytest.raises(SettingsError, match="module WordWeights is not among Transformer"):
        open_model(folder)


def test_a_conversion_that_gives_other_vectors_is_refused(tiny_model: Path, monkeypatch: pytest.MonkeyPatch):
    encoder = open_model(tiny_model)
    forward = encoder._forward
    assert isinstance(forward, OpenVinoForward)
    forward._expected = -forward._expected
    with pytest.raises(SettingsError, match="vectors of cosine -1.0000 to torch's at 8 × 32 tokens"):
        encoder.encode(["abc"])


_CONVERT = """
import sys
from schemas.settings import EmbeddingSettings
from transforms.embedding.choice import choose_encoder
settings = EmbeddingSettings(encoder=sys.argv[1], backend="openvino", batch_size=8)
choose_encoder(settings, device="cpu", window_tokens=64).open().encode(["abc"])
print([name for name, module in sys.modules.items() if name.startswith("openvino_telemetry") and module])
"""


def test_nothing_is_reported_to_the_makers_of_openvino(tiny_model: Path):
    result = subprocess.run(
        [sys.executable, "-c", _CONVERT, str(tiny_model)], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
