import os
from pathlib import Path

from transforms.embedding.events import EncoderEvents, EventFile


def test_events_are_read_back_sorted_and_without_repeats(tmp_path: Path):
    events = EventFile(tmp_path / "events.jsonl")
    assert events.read() == EncoderEvents([], [])
    events.loaded()
    events.halved(16)
    events.halved(8)
    events.halved(16)
    assert events.read() == EncoderEvents([os.getpid()], [8, 16])
