"""Vectors from a sentence-transformers model: the packaged MiniLM, a local folder or a name on the hub.

torch, sentence-transformers and OpenVINO are imported when a model is located or opened, never with this module.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from schemas.errors import SettingsError
from transforms.embedding.batches import length_buckets, plan_batches
from transforms.embedding.contract import TokenSpan, Vectors, is_blank
from transforms.embedding.devices import Backend, Precision, model_identity
from transforms.embedding.openvino_forward import OpenVinoForward
from transforms.embedding.sources import ModelSource, source_in
from transforms.embedding.torch_forward import TorchForward, load_model


class Forward(Protocol):
    """A forward pass: token ids [rows, tokens] by input name → vectors [rows, dimensions] as the model gives them."""

    def __call__(self, inputs: dict[str, NDArray[np.int64]]) -> Vectors:
        """Return the vectors of a batch; MemoryError says that it does not fit."""
        ...


class ModelEncoder:
    """A sentence-transformers model in fixed-shape batches; it works for one thread at a time.

    A batch that does not fit the memory is halved, and so are all later ones. On a CPU the bits stay the same
    (measured for 1 to 64 rows in float32 and for 1 to 32 in bfloat16; held by tests). A card may choose other kernels
    for other shapes: `batch_size` tells what came out, to be set as `embedding.batch_size` of later runs.

    Args:
        source: The model.
        device: `cpu` or `cuda`, as `resolve_device` gives it.
        precision: As `resolve_precision` gives it.
        backend: As `resolve_backend` gives it.
        batch_size: Rows per batch, always filled.
        max_tokens: Tokens of a text that the model sees, its special tokens included.

    Raises:
        SettingsError: The files are not those the source was made from, or no model loads from them.
    """

    takes_windows = True

    def __init__(
        self,
        source: ModelSource,
        *,
        device: str,
        precision: Precision,
        backend: Backend = "torch",
        batch_size: int,
        max_tokens: int,
    ) -> None:
        if source_in(source.name, Path(source.folder)).revision != source.revision:
            raise SettingsError(f"embedding.encoder: the files in {source.folder} changed since the run began")
        # The tokenizer keeps the truncation of its last call and refuses a second thread.
        self._lock = threading.Lock()
        self._batch_size = batch_size
        model = load_model(source, device=device, precision=precision if backend == "torch" else "float32")
        limit = model.get_max_seq_length()
        self._max_tokens = min(max_tokens, limit) if limit else max_tokens
        self._buckets = length_buckets(self._max_tokens)
        self._tokenizer: Any = model.tokenizer
        self.dimensions = int(model.get_embedding_dimension() or 0)
        self._forward: Forward
        if backend == "openvino":
            self._forward = OpenVinoForward(model, precision=precision, max_tokens=self._max_tokens)
        else:
            self._forward = TorchForward(model, device=device)
        self.identity = model_identity(
            source, device=device, precision=precision, backend=backend, max_tokens=max_tokens
        )

    @property
    def batch_size(self) -> int:
        """Return the texts that go through at once; less than at first once memory ran out."""
        return self._batch_size

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors [texts, dimensions]; texts over `max_tokens` are cut there.

        A blank text gives zeros, and so does one whose vector is not finite.

        Raises:
            SettingsError: Not even one text fits the memory.
        """
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        rows = [row for row, text in enumerate(texts) if not is_blank(text)]
        if not rows:
            return vectors
        with self._lock:
            empty, *encoded = self._token_ids(["", *(texts[row] for row in rows)])
            lengths = [len(each["input_ids"]) for each in encoded]
            for batch in plan_batches(lengths, batch_size=self._batch_size, buckets=self._buckets):
                members = [rows[position] for position in batch.rows]
                inputs = [encoded[position] for position in batch.rows]
                vectors[members] = self._encode_rows(inputs, empty, num_tokens=batch.num_tokens)
        return vectors

    def _token_ids(self, texts: list[str]) -> list[dict[str, list[int]]]:
        found = self._tokenizer(texts, truncation=True, max_length=self._max_tokens, verbose=False)
        return [{name: found[name][row] for name in found} for row in range(len(texts))]

    def _encode_rows(
        self, inputs: Sequence[dict[str, list[int]]], empty: dict[str, list[int]], *, num_tokens: int
    ) -> Vectors:
        parts = []
        done = 0
        while done < len(inputs):
            rows = inputs[done : done + self._batch_size]
            filled = [*rows, *[empty] * (self._batch_size - len(rows))]
            padded = self._tokenizer.pad(
                filled, padding="max_length", max_length=num_tokens, return_tensors="np", verbose=False
            )
            try:
                raw = self._forward({name: np.asarray(ids, dtype=np.int64) for name, ids in padded.items()})
            except MemoryError as error:
                if self._batch_size == 1:
                    raise SettingsError(
                        f"embedding.encoder: not even one text of {num_tokens} tokens fits the memory; use a smaller "
                        "model or smaller views.window_tokens"
                    ) from error
                self._batch_size //= 2
                continue
            parts.append(unit_vectors(raw[: len(rows)]))
            done += len(rows)
        return np.concatenate(parts)

    def token_spans(self, text: str) -> list[TokenSpan]:
        """Return the spans of the text's tokens, special tokens left out."""
        with self._lock:
            encoded = self._tokenizer(
                text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
            )
        return [(start, end) for start, end in encoded["offset_mapping"] if end > start]

    @property
    def window_tokens(self) -> int:
        """Tokens of a text that fit one input beside the special tokens."""
        return self._max_tokens - int(self._tokenizer.num_special_tokens_to_add())


def unit_vectors(raw: Vectors) -> Vectors:
    """Return vectors [rows, dimensions] at length 1; zeros for those of no length or not finite."""
    values = raw.astype(np.float64)
    values[~np.isfinite(values).all(axis=1)] = 0
    lengths = np.sqrt((values * values).sum(axis=1, keepdims=True))
    return np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0).astype(np.float32)
