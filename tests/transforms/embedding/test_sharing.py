import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from schemas.settings import EmbeddingSettings
from transforms.embedding.choice import EncoderChoice, choose_encoder, hashed_choice
from transforms.embedding.contract import Encoder
from transforms.embedding.events import EventFile
from transforms.embedding.sharing import release_encoders, shared_encoder


@pytest.fixture(autouse=True)
def _released() -> Iterator[None]:
    release_encoders()
    yield
    release_encoders()


@pytest.fixture
def choice(tiny_model: Path) -> EncoderChoice:
    settings = EmbeddingSettings(encoder=str(tiny_model), batch_size=8)
    return choose_encoder(settings, device="cpu", window_tokens=32)


def test_a_model_is_loaded_once_for_all_threads_of_a_process(choice: EncoderChoice, tmp_path: Path):
    events = EventFile(tmp_path / "events.jsonl")
    found: list[Encoder] = []
    threads = [threading.Thread(target=lambda: found.append(shared_encoder(choice, events))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in found}) == 1
    assert len(events.read().load_processes) == 1


def test_threads_that_share_a_model_get_the_same_vectors(choice: EncoderChoice):
    encoder = shared_encoder(choice)
    texts = [f"file {number} " * (number % 9 + 1) for number in range(60)]
    expected = encoder.encode(texts)
    found: dict[int, bool] = {}

    def work(number: int) -> None:
        spans = [encoder.token_spans(text) for text in texts]
        found[number] = np.array_equal(encoder.encode(texts), expected) and all(spans)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(4), True)


def test_choices_are_told_apart_and_released(choice: EncoderChoice, tmp_path: Path):
    events = EventFile(tmp_path / "events.jsonl")
    first = shared_encoder(choice, events)
    assert shared_encoder(choice._replace(max_tokens=16), events) is not first
    shared_encoder(hashed_choice(32), events)
    release_encoders()
    assert shared_encoder(choice, events) is not first
    assert len(events.read().load_processes) == 3
