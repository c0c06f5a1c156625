"""Which encoder a run uses: what the settings ask for, resolved once before data is read, opened in each worker."""

from typing import Literal, NamedTuple

from schemas.errors import SettingsError
from schemas.settings import EmbeddingSettings
from transforms.embedding.contract import Encoder, EncoderIdentity
from transforms.embedding.devices import (
    Backend,
    Precision,
    model_identity,
    resolve_backend,
    resolve_device,
    resolve_precision,
)
from transforms.embedding.hashed import HashedEncoder
from transforms.embedding.models import ModelEncoder
from transforms.embedding.openvino_forward import refuse_unconvertible
from transforms.embedding.sources import ModelSource, locate_model


class EncoderChoice(NamedTuple):
    """A resolved encoder; picklable.

    `source` is None for the hashed encoder, which needs nothing but `dimensions`; a model's are known when it is open.
    `fell_back` says that a card would have been used, had there been one.
    """

    identity: EncoderIdentity
    source: ModelSource | None
    device: str
    precision: Precision
    dimensions: int
    batch_size: int
    max_tokens: int
    backend: Backend = "torch"
    fell_back: bool = False

    @property
    def takes_windows(self) -> bool:
        """Say whether texts are cut into windows."""
        return self.source is not None

    def describe(self) -> str:
        """Return one line about the encoder and what it runs on."""
        if self.source is None:
            return f"encoder {self.identity.name}, no model"
        why = " (device: auto, and there is no card)" if self.fell_back else ""
        return f"encoder {self.identity.name} by {self.backend} in {self.precision} on {self.device}{why}"

    def open(self) -> Encoder:
        """Load the encoder."""
        if self.source is None:
            return HashedEncoder(self.dimensions)
        return ModelEncoder(
            self.source,
            device=self.device,
            precision=self.precision,
            backend=self.backend,
            batch_size=self.batch_size,
            max_tokens=self.max_tokens,
        )


def hashed_choice(dimensions: int) -> EncoderChoice:
    """Return the hashed encoder of that many dimensions."""
    return EncoderChoice(
        identity=HashedEncoder(dimensions).identity,
        source=None,
        device="cpu",
        precision="float32",
        dimensions=dimensions,
        batch_size=1,
        max_tokens=1,
    )


def choose_encoder(
    settings: EmbeddingSettings, *, device: Literal["auto", "cpu", "cuda"], window_tokens: int
) -> EncoderChoice:
    """Resolve the encoder the settings ask for; nothing is loaded.

    Args:
        settings: The section `embedding`.
        device: `execution.device`.
        window_tokens: Tokens per window, the model's special tokens included.

    Raises:
        SettingsError: The model, its package, the backend or the device is not there, the model's weights are not the
            expected ones, or the backend cannot run the model.
    """
    if settings.encoder == "hashed":
        if settings.backend == "openvino":
            raise SettingsError("embedding.backend: the hashed encoder has no model for openvino to run; use auto")
        if device == "cuda":
            resolve_device(device)
        return hashed_choice(settings.dimensions)
    source = locate_model(settings.encoder)
    backend = resolve_backend(settings.backend, device)
    if backend == "openvino":
        refuse_unconvertible(source)
    used_device = "cpu" if backend == "openvino" else resolve_device(device)
    precision = resolve_precision(settings.precision, used_device, backend=backend)
    identity = model_identity(
        source, device=used_device, precision=precision, backend=backend, max_tokens=window_tokens
    )
    return EncoderChoice(
        identity=identity,
        source=source,
        device=used_device,
        precision=precision,
        dimensions=settings.dimensions,
        batch_size=settings.batch_size,
        max_tokens=window_tokens,
        backend=backend,
        fell_back=backend == "torch" and device == "auto" and used_device == "cpu",
    )
