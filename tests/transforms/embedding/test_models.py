import hashlib
import importlib.util
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from schemas.errors import SettingsError
from transforms.embedding.devices import Precision
from transforms.embedding.models import ModelEncoder
from transforms.embedding.sources import MINILM_PACKAGE, locate_model, verified_minilm

TEXTS = ["abc def", "abc def ghi " * 20, "", "zz9", "the quick brown fox jumps over the lazy dog", "abc"] + [
    f"file {number} " * (number % 7 + 1) for number in range(20)
]


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> ModelEncoder:
    return open_model(tiny_model)


@pytest.fixture(scope="session")
def minilm_folder() -> Path:
    package = importlib.util.find_spec(MINILM_PACKAGE)
    if package is None or package.origin is None:
        pytest.skip("the extra minilm is not installed")
    return Path(package.origin).parent / "model"


def open_model(folder: Path, *, batch_size: int = 8, precision: Precision = "float32") -> ModelEncoder:
    source = locate_model(str(folder))
    return ModelEncoder(source, device="cpu", precision=precision, batch_size=batch_size, max_tokens=64)


def test_model_vectors_have_unit_length_and_empty_texts_give_zeros(tiny: ModelEncoder):
    vectors = tiny.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 16)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert lengths == pytest.approx([0.0 if not text else 1.0 for text in TEXTS], abs=1e-6)


def test_model_vectors_do_not_depend_on_the_other_texts(tiny: ModelEncoder, tiny_model: Path):
    vectors = tiny.encode(TEXTS)
    order = list(range(len(TEXTS)))
    random.Random(1).shuffle(order)
    assert np.array_equal(tiny.encode([TEXTS[row] for row in order]), vectors[order])
    assert np.array_equal(np.vstack([tiny.encode([text]) for text in TEXTS]), vectors)
    assert np.array_equal(open_model(tiny_model, batch_size=32).encode(TEXTS), vectors)


def test_bfloat16_vectors_do_not_depend_on_the_other_texts(tiny_model: Path):
    encoder = open_model(tiny_model, precision="bfloat16")
    vectors = encoder.encode(TEXTS)
    assert np.array_equal(encoder.encode(TEXTS[::-1])[::-1], vectors)
    assert np.array_equal(open_model(tiny_model, precision="bfloat16", batch_size=32).encode(TEXTS), vectors)
    cosines = (vectors * open_model(tiny_model).encode(TEXTS)).sum(axis=1)
    assert [round(float(each), 2) for each in cosines] == [1.0 if text else 0.0 for text in TEXTS]


def break_transformer(monkeypatch: pytest.MonkeyPatch, broken: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Let the transformer's output pass through `broken`, or raise from it."""
    from transformers import BertModel

    forward = BertModel.forward

    def spoiled(self, *inputs, **named):
        outputs = forward(self, *inputs, **named)
        outputs["last_hidden_state"] = broken(outputs["last_hidden_state"])
        return outputs

    monkeypatch.setattr(BertModel, "forward", spoiled)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("no memory left"), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_a_batch_that_does_not_fit_is_halved_to_the_same_bits(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, error: RuntimeError
):
    expected = open_model(tiny_model, batch_size=16).encode(TEXTS)

    def full(hidden: torch.Tensor) -> torch.Tensor:
        if len(hidden) > 5:
            raise error
        return hidden

    break_transformer(monkeypatch, full)
    encoder = open_model(tiny_model, batch_size=16)
    assert np.array_equal(encoder.encode(TEXTS), expected)
    assert encoder.batch_size == 4


def test_a_text_that_fits_no_memory_ends_the_run(tiny_model: Path, monkeypatch: pytest.MonkeyPatch):
    def full(hidden: torch.Tensor) -> torch.Tensor:
        raise torch.OutOfMemoryError("no memory left")

    break_transformer(monkeypatch, full)
    with pytest.raises(SettingsError, match="not even one text of 32 tokens fits the memory"):
        open_model(tiny_model).encode(["abc"])


def test_other_errors_of_the_model_are_raised(tiny_model: Path, monkeypatch: pytest.MonkeyPatch):
    def wrong(hidden: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("shapes do not match")

    break_transformer(monkeypatch, wrong)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        open_model(tiny_model).encode(["abc"])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_vectors_that_are_not_finite_become_zeros(
    tiny_model: Path, tiny: ModelEncoder, monkeypatch: pytest.MonkeyPatch, value: float
):
    expected = tiny.encode(["abc", "zz9"])

    def spoil_second(hidden: torch.Tensor) -> torch.Tensor:
        hidden[1, 0, 0] = value
        return hidden

    break_transformer(monkeypatch, spoil_second)
    vectors = open_model(tiny_model).encode(["abc", "zz9"])
    assert np.array_equal(vectors[0], expected[0])
    assert not vectors[1].any()


def test_token_spans_cover_the_text(tiny: ModelEncoder):
    text = "ab c"
    assert [text[start:end] for start, end in tiny.token_spans(text)] == ["a", "b", "c"]
    assert tiny.window_tokens == 62


def test_a_local_model_is_named_by_its_files(tiny_model: Path, tmp_path: Path):
    source = locate_model(str(tiny_model))
    copied = tmp_path / "model"
    shutil.copytree(tiny_model, copied)
    assert locate_model(str(copied)).revision == source.revision
    config = copied / "config_sentence_transformers.json"
    config.write_text(config.read_text() + " ")
    assert locate_model(str(copied)).revision != source.revision


def test_a_model_that_changed_is_not_loaded(tiny_model: Path, tmp_path: Path):
    copied = tmp_path / "model"
    shutil.copytree(tiny_model, copied)
    source = locate_model(str(copied))
    (copied / "modules.json").write_text("[]")
    with pytest.raises(SettingsError, match="changed since the run began"):
        ModelEncoder(source, device="cpu", precision="float32", batch_size=8, max_tokens=64)


def test_a_folder_without_safetensors_is_refused(tmp_path: Path):
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(SettingsError, match=r"holds no \.safetensors weights"):
        locate_model(str(tmp_path))


def test_a_model_with_code_of_its_own_is_refused(tiny_model: Path, tmp_path: Path):
    copied = tmp_path / "model"
    shutil.copytree(tiny_model, copied)
    modules = copied / "modules.json"
    modules.write_text(modules.read_text().replace('"type": "', '"type": "own_code.', 1))
    (copied / "own_code.py").write_text("raise SystemExit('own code ran')\n")
    with pytest.raises(SettingsError, match="no model loads from"):
        open_model(copied)


def test_a_missing_folder_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="there is no folder"):
        locate_model(str(tmp_path / "nowhere"))


def test_tampered_minilm_weights_are_refused(minilm_folder: Path, tmp_path: Path):
    copied = tmp_path / "model"
    shutil.copytree(minilm_folder, copied)
    weights = copied / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    found = hashlib.sha256(weights.read_bytes()).hexdigest()
    with pytest.raises(SettingsError, match=f"has sha256 {found}, expected 53aa51172d14"):
        verified_minilm(copied)


def test_minilm_without_its_weights_names_the_extra(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"trajsift\[minilm\]"):
        verified_minilm(tmp_path)


def test_minilm_without_its_package_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("transforms.embedding.sources.MINILM_PACKAGE", "no_such_package_of_minilm")
    with pytest.raises(SettingsError, match=r"install trajsift\[minilm\]"):
        locate_model("minilm")


_PRINT_VECTORS = """
import hashlib
from transforms.embedding.models import ModelEncoder
from transforms.embedding.sources import locate_model
encoder = ModelEncoder(locate_model("minilm"), device="cpu", precision="{precision}", batch_size=8, max_tokens=64)
print(hashlib.sha256(encoder.encode(["open the file", "tests failed " * 30, "git push"]).tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_minilm_tells_like_from_unlike_on_any_number_of_threads(minilm_folder: Path, precision: Precision):
    encoder = ModelEncoder(locate_model("minilm"), device="cpu", precision=precision, batch_size=8, max_tokens=64)
    like = [("fix the failing unit test", "repair the broken test case"), ("book a flight", "reserve a plane ticket")]
    first = encoder.encode([left for left, _ in like])
    second = encoder.encode([right for _, right in like])
    cosines = first @ second.T
    assert min(cosines[0, 0], cosines[1, 1]) > max(cosines[0, 1], cosines[1, 0]) + 0.3
    vectors = encoder.encode(["open the file", "tests failed " * 30, "git push"])
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    result = subprocess.run(
        [sys.executable, "-c", _PRINT_VECTORS.replace("{precision}", precision)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert result.stdout.split()[-1] == hashlib.sha256(vectors.tobytes()).hexdigest()
