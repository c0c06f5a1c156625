"""A model's forward pass by torch, on the CPU or a card."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from schemas.errors import SettingsError
from transforms.embedding.contract import Vectors
from transforms.embedding.devices import Precision, import_torch
from transforms.embedding.sources import ModelSource

_NO_MEMORY: Final = ("not enough memory", "can't allocate memory")
"""What torch says when the CPU's allocator fails, for which it has no error of its own."""


def load_model(source: ModelSource, *, device: str, precision: Precision) -> Any:
    """Return the sentence-transformers model, ready to infer.

    Raises:
        SettingsError: No model loads from the folder.
    """
    torch = import_torch()
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


class TorchForward:
    """The forward pass of a sentence-transformers model."""

    def __init__(self, model: Any, *, device: str) -> None:
        self._torch = import_torch()
        self._model = model
        self._device = device

    def __call__(self, inputs: dict[str, NDArray[np.int64]]) -> Vectors:
        """Return the vectors [rows, dimensions] of a batch of token ids [rows, tokens].

        Raises:
            MemoryError: The batch does not fit the device's memory.
        """
        try:
            with self._torch.inference_mode():
                features = {name: self._torch.from_numpy(ids).to(self._device) for name, ids in inputs.items()}
                vectors: Vectors = self._model(features)["sentence_embedding"].float().cpu().numpy()
                return vectors
        except RuntimeError as error:
            is_full = isinstance(error, self._torch.OutOfMemoryError)
            if not is_full and not any(words in str(error) for words in _NO_MEMORY):
                raise
        # Outside of the handler, whose traceback holds on to the tensors.
        if self._device == "cuda":
            self._torch.cuda.empty_cache()
        raise MemoryError(f"{self._device} has no memory for a batch")
