"""What encoders tell beside their vectors: models loaded and batches halved."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson


class EncoderEvents(NamedTuple):
    """The events of a stage.

    Attributes:
        load_processes: The process of each load of a model.
        halved_to: Batch sizes that batches were halved to, ascending, each once.
    """

    load_processes: list[int]
    halved_to: list[int]


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file of one JSON line an event; appends of other processes never mix."""

    path: Path

    def loaded(self) -> None:
        """Tell that this process has loaded a model."""
        self._append({"load": os.getpid()})

    def halved(self, batch_size: int) -> None:
        """Tell that memory ran out, and the batch size from there on."""
        self._append({"halved_to": batch_size})

    def _append(self, event: dict[str, Any]) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, orjson.dumps(event) + b"\n")
        finally:
            os.close(descriptor)

    def read(self) -> EncoderEvents:
        """Return the events so far."""
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        events = [orjson.loads(line) for line in lines]
        return EncoderEvents(
            load_processes=[each["load"] for each in events if "load" in each],
            halved_to=sorted({each["halved_to"] for each in events if "halved_to" in each}),
        )
