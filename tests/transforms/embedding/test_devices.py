import importlib.util

import pytest

from schemas.errors import SettingsError
from transforms.embedding.devices import (
    bfloat16_instructions,
    model_identity,
    resolve_backend,
    resolve_device,
    resolve_precision,
)
from transforms.embedding.sources import ModelSource


def test_cuda_without_a_card_is_refused():
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a card")
    with pytest.raises(SettingsError, match="torch sees no card"):
        resolve_device("cuda")
    assert resolve_device("auto") == "cpu"


@pytest.mark.parametrize(
    ("precision", "device", "expected"),
    [("auto", "cuda", "float16"), ("bfloat16", "cpu", "bfloat16"), ("float32", "cpu", "float32")],
)
def test_precision_follows_the_device(precision, device: str, expected: str):
    assert resolve_precision(precision, device) == expected


def test_a_cpu_works_in_bfloat16_where_it_has_instructions_for_it(monkeypatch: pytest.MonkeyPatch):
    import torch

    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True, "amx_bf16": False})
    assert bfloat16_instructions() == "avx512_bf16"
    assert resolve_precision("auto", "cpu") == "bfloat16"
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx2": True})
    assert bfloat16_instructions() == ""
    assert resolve_precision("auto", "cpu") == "float32"
    with pytest.raises(SettingsError, match="no bfloat16 instructions"):
        resolve_precision("bfloat16", "cpu", backend="openvino")


@pytest.mark.parametrize("backend", ["torch", "openvino"])
def test_float16_is_for_a_gpu(backend):
    with pytest.raises(SettingsError, match="float16 is for a GPU"):
        resolve_precision("float16", "cpu", backend=backend)
    assert resolve_precision("float16", "cuda") == "float16"


def test_openvino_refuses_what_it_cannot_do(monkeypatch: pytest.MonkeyPatch):
    assert resolve_backend("auto", "cpu") == resolve_backend("torch", "cuda") == "torch"
    with pytest.raises(SettingsError, match="openvino works on the CPU"):
        resolve_backend("openvino", "cuda")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"install trajsift\[openvino\]"):
        resolve_backend("openvino", "cpu")


def test_an_identity_names_all_that_moves_a_bit(monkeypatch: pytest.MonkeyPatch):
    import torch

    source = ModelSource("m", "/nowhere", "r1")
    plain = model_identity(source, device="cpu", precision="float32", max_tokens=128)
    assert plain == ("m", "r1", "float32", "cpu", 128)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True, "avx512_bf16": True})
    half = model_identity(source, device="cpu", precision="bfloat16", max_tokens=128)
    other = model_identity(source, device="cpu", precision="bfloat16", backend="openvino", max_tokens=128)
    assert (half.device_class, other.device_class) == ("cpu-amx_bf16", "cpu-amx_bf16-openvino")
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    assert model_identity(source, device="cpu", precision="bfloat16", max_tokens=64).device_class == "cpu-converted"
