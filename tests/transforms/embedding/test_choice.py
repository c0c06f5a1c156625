import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.errors import SettingsError
from schemas.settings import EmbeddingSettings
from transforms.embedding.choice import choose_encoder


def test_the_hashed_encoder_takes_whole_texts():
    choice = choose_encoder(EmbeddingSettings(dimensions=64), device="auto", window_tokens=128)
    encoder = pickle.loads(pickle.dumps(choice)).open()
    assert not choice.takes_windows
    assert encoder.identity == choice.identity
    assert encoder.encode(["git push"]).shape == (1, 64)


def test_a_model_takes_windows(tiny_model: Path):
    settings = EmbeddingSettings(encoder=str(tiny_model), batch_size=8)
    choice = choose_encoder(settings, device="cpu", window_tokens=32)
    encoder = pickle.loads(pickle.dumps(choice)).open()
    assert choice.takes_windows
    assert encoder.takes_windows
    assert encoder.identity == choice.identity
    assert encoder.dimensions == 16


def test_an_unknown_model_is_refused_before_anything_is_loaded(tmp_path: Path):
    with pytest.raises(SettingsError, match="there is no folder"):
        choose_encoder(EmbeddingSettings(encoder=f"{tmp_path}/none"), device="auto", window_tokens=128)


def test_the_hashed_encoder_refuses_what_runs_models():
    with pytest.raises(SettingsError, match="no model for openvino"):
        choose_encoder(EmbeddingSettings(backend="openvino"), device="cpu", window_tokens=256)


def test_the_hashed_encoder_imports_no_model_library():
    script = (
        "import sys; from schemas.settings import EmbeddingSettings; "
        "from transforms.embedding.choice import choose_encoder; "
        "choose_encoder(EmbeddingSettings(), device='auto', window_tokens=128).open().encode(['a b']); "
        "print({'torch', 'sentence_transformers', 'transformers', 'faiss', 'hdbscan'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
