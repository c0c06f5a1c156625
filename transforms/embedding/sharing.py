"""Open encoders, one of a kind per process, whatever number of workers and stages in it ask for one."""

import threading
from typing import Final

from transforms.embedding.choice import EncoderChoice
from transforms.embedding.contract import Encoder
from transforms.embedding.events import EventFile

_LOCK: Final = threading.Lock()
_OPEN: Final[dict[EncoderChoice, Encoder]] = {}


def shared_encoder(choice: EncoderChoice, events: EventFile | None = None) -> Encoder:
    """Return this process's encoder of a choice; loading a model is told to `events`."""
    with _LOCK:
        if choice not in _OPEN:
            _OPEN[choice] = choice.open()
            if choice.takes_windows and events is not None:
                events.loaded()
        return _OPEN[choice]


def release_encoders() -> None:
    """Let go of this process's encoders, so that later stages have their memory."""
    with _LOCK:
        _OPEN.clear()
