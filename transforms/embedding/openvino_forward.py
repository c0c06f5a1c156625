"""A model's forward pass by OpenVINO on the CPU; what follows the transformer stays sentence-transformers' own."""

import sys
import warnings
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from schemas.errors import SettingsError
from transforms.embedding.contract import Vectors
from transforms.embedding.devices import Precision, import_torch
from transforms.embedding.sources import ModelSource, module_names

_LEAST_COSINE: Final = 0.99
"""Least cosine of a converted model's vectors to torch's; bfloat16 reaches .9999, a wrong conversion does not."""

_PROBE: Final = "open a file"
"""A text that fits the shortest batch even where each letter is a token."""

_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")

_MODULES: Final = frozenset({"Pooling", "Normalize", "Dense", "LayerNorm", "Dropout"})
"""Modules that work on nothing but the vectors of the tokens, or of the text."""


def refuse_unconvertible(source: ModelSource) -> None:
    """Check that OpenVINO can run a model; nothing is loaded.

    Raises:
        SettingsError: It has a module that does not work on a transformer's token vectors alone.
    """
    names = [name for name, _ in module_names(source)]
    unknown = [name for name in names[1:] if name not in _MODULES]
    if not names or names[0] != "Transformer":
        unknown = names[:1] or ["no module"]
    if unknown:
        raise SettingsError(
            f"embedding.backend: openvino cannot run {source.name}: module {unknown[0]} is not among Transformer, "
            f"{', '.join(sorted(_MODULES))}; use backend: torch"
        )


class OpenVinoForward:
    """The forward pass of a sentence-transformers model whose transformer is converted.

    Each shape is compiled once, when it is first met, and checked there against torch in float32 by one text.

    Args:
        model: The model, loaded in float32; its transformer is taken out.
        precision: float32 or bfloat16.
        max_tokens: Longest batch.

    Raises:
        SettingsError: The transformer cannot be converted.
    """

    def __init__(self, model: Any, *, precision: Precision, max_tokens: int) -> None:
        self._torch = import_torch()
        self._core = _import_openvino().Core()
        self._precision = {"float32": "f32", "bfloat16": "bf16"}[precision]
        self._compiled: dict[tuple[int, int], Any] = {}
        self._tokenizer = model.tokenizer
        probe = self._tokenizer(
            [_PROBE, ""], padding=True, truncation=True, max_length=max_tokens, return_tensors="pt"
        )
        self._names = list(probe)
        unknown = [name for name in self._names if name not in _INPUTS]
        if unknown:
            raise SettingsError(f"embedding.backend: openvino knows no input {unknown[0]}; use backend: torch")
        with self._torch.inference_mode():
            self._expected = model(dict(probe))["sentence_embedding"][0].numpy()
        self._converted = _convert(model, dict(probe))
        self._rest = list(model)[1:]

    def __call__(self, inputs: dict[str, NDArray[np.int64]]) -> Vectors:
        """Return the vectors [rows, dimensions] of a batch of token ids [rows, tokens].

        Raises:
            SettingsError: The converted model gives other vectors than torch.
        """
        rows, tokens = inputs["input_ids"].shape
        if (rows, tokens) not in self._compiled:
            self._compiled[rows, tokens] = self._compile(rows, tokens)
            self._check(rows, tokens)
        return self._run(self._compiled[rows, tokens], inputs)

    def _compile(self, rows: int, tokens: int) -> Any:
        model = self._converted.clone()
        model.reshape({port: [rows, tokens] for port in model.inputs})
        # One stream: a batch is one request. Measured bit-equal for 1 and 2 threads, so the threads stay free.
        settings = {"INFERENCE_PRECISION_HINT": self._precision, "NUM_STREAMS": "1", "ENABLE_CPU_PINNING": False}
        return self._core.compile_model(model, "CPU", settings)

    def _run(self, compiled: Any, inputs: dict[str, NDArray[np.int64]]) -> Vectors:
        names = {name for port in compiled.inputs for name in port.get_names()}
        outputs = compiled({name: ids for name, ids in inputs.items() if name in names})
        features = {"token_embeddings": self._torch.from_numpy(np.array(outputs[0], dtype=np.float32))}
        features["attention_mask"] = self._torch.from_numpy(inputs["attention_mask"])
        with self._torch.inference_mode():
            for module in self._rest:
                features = module(features)
        vectors: Vectors = features["sentence_embedding"].numpy()
        return vectors

    def _check(self, rows: int, tokens: int) -> None:
        probe = self._tokenizer(
            [_PROBE] + [""] * (rows - 1), padding="max_length", truncation=True, max_length=tokens, return_tensors="np"
        )
        found = self._run(self._compiled[rows, tokens], {name: probe[name].astype(np.int64) for name in self._names})[
            0
        ]
        expected = self._expected
        cosine = float(found @ expected / max(1e-12, np.linalg.norm(found) * np.linalg.norm(expected)))
        if not cosine >= _LEAST_COSINE:
            raise SettingsError(
                f"embedding.backend: openvino gives vectors of cosine {cosine:.4f} to torch's at {rows} × {tokens} "
                f"tokens, at least {_LEAST_COSINE} is due; use backend: torch"
            )


def _import_openvino() -> Any:
    # Its import and each conversion report to its makers by this package, unless it is not found.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    import openvino

    return openvino


def _convert(model: Any, example: dict[str, Any]) -> Any:
    """Return the transformer of a sentence-transformers model as an OpenVINO model of token vectors."""
    _import_openvino()
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    torch = import_torch()

    class Transformer(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self, module: Any) -> None:
            super().__init__()
            self.module = module

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None) -> Any:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            if token_type_ids is not None:
                features["token_type_ids"] = token_type_ids
            return self.module(features)["token_embeddings"]

    front_end = FrontEndManager().load_by_framework("pytorch")
    try:
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")  # tracing warns of every branch; the check of each shape tells a wrong one
            decoder = TorchScriptPythonDecoder(Transformer(model[0]).eval(), example_input=example)
            return front_end.convert(front_end.load(decoder))
    except Exception as error:  # what a conversion raises is nowhere listed
        raise SettingsError(
            f"embedding.backend: openvino cannot convert {type(model[0].auto_model).__name__}: {error}; "
            "use backend: torch"
        ) from error
