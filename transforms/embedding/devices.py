"""What a model runs on: the device, the backend and the precision, resolved before data is read.

Measured on a CPU with AVX-512-BF16 and without AMX, all-MiniLM-L6-v2 at 128 tokens, texts per CPU-second and least
cosine to float32: torch float32 26, torch bfloat16 50 (.99995), OpenVINO float32 33, OpenVINO bfloat16 61 (.99998).
Each of them gives the same bits for 1 to 32 rows a batch and for 1 and 2 threads. A CPU without such instructions
computes bfloat16 by conversion and wins nothing.
"""

import importlib.util
import os
from typing import Any, Final, Literal

from schemas.errors import SettingsError
from transforms.embedding.contract import EncoderIdentity
from transforms.embedding.sources import ModelSource

Precision = Literal["float32", "bfloat16", "float16"]
Backend = Literal["torch", "openvino"]

_BFLOAT16_INSTRUCTIONS: Final = ("amx_bf16", "avx512_bf16")
"""CPU features that multiply in bfloat16, the wider first."""


def import_torch() -> Any:
    """Return torch, imported so that its vectors do not depend on the number of threads."""
    # MKL splits small products by the number of threads, which moves last bits (measured at 128 rows); its strict mode
    # does not. It is read once, when torch is first imported.
    os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")
    import torch

    return torch


def resolve_device(device: Literal["auto", "cpu", "cuda"]) -> Literal["cpu", "cuda"]:
    """Return the device to work on.

    Raises:
        SettingsError: `cuda` was asked for and there is no card.
    """
    if device == "cpu":
        return "cpu"
    if import_torch().cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise SettingsError("execution.device: cuda was asked for, but torch sees no card; use auto or cpu")
    return "cpu"


def resolve_backend(backend: Literal["auto", "torch", "openvino"], device: str) -> Backend:
    """Return the backend to work with: `auto` is torch, which runs any model.

    Args:
        backend: `embedding.backend`.
        device: `execution.device`, as the settings give it.

    Raises:
        SettingsError: OpenVINO was asked for and is not installed, or was asked to work on a card.
    """
    if backend != "openvino":
        return "torch"
    if device == "cuda":
        raise SettingsError("embedding.backend: openvino works on the CPU; use backend: torch with device: cuda")
    if importlib.util.find_spec("openvino") is None:
        raise SettingsError("embedding.backend: openvino is not installed; install trajsift[openvino], or use torch")
    return "openvino"


def resolve_precision(
    precision: Literal["auto", "float32", "bfloat16", "float16"], device: str, *, backend: Backend = "torch"
) -> Precision:
    """Return the precision to work in.

    `auto` is float16 on a card, bfloat16 on a CPU with instructions for it, and float32 on any other.

    Raises:
        SettingsError: The precision is float16 on a CPU, where products in it take torch 25 times as long as in
            float32 and OpenVINO has none, or the CPU lacks what OpenVINO needs for bfloat16.
    """
    if precision == "auto":
        return "float16" if device == "cuda" else "bfloat16" if bfloat16_instructions() else "float32"
    if precision == "float16" and device == "cpu":
        raise SettingsError("embedding.precision: float16 is for a GPU; on a CPU use auto, bfloat16 or float32")
    if backend == "openvino" and precision == "bfloat16" and not bfloat16_instructions():
        raise SettingsError(
            "embedding.precision: this CPU has no bfloat16 instructions, which openvino needs for it; use float32"
        )
    return precision


def bfloat16_instructions() -> str:
    """Return the CPU's instructions for bfloat16 products; an empty text where it has none."""
    capabilities = import_torch().cpu.get_capabilities()
    return next((name for name in _BFLOAT16_INSTRUCTIONS if capabilities.get(name)), "")


def model_identity(
    source: ModelSource, *, device: str, precision: Precision, backend: Backend = "torch", max_tokens: int
) -> EncoderIdentity:
    """Return the identity of a model's vectors.

    Cards of one compute capability count as one device class, and so do CPUs in float32; in half precision CPUs are
    told apart by their instructions, which round differently.
    """
    parts = [device]
    if device == "cuda":
        major, minor = import_torch().cuda.get_device_capability()
        parts = [f"cuda-sm{major}{minor}"]
    elif precision != "float32":
        parts.append(bfloat16_instructions() or "converted")
    if backend != "torch":
        parts.append(backend)
    return EncoderIdentity(source.name, source.revision, precision, "-".join(parts), max_tokens)
