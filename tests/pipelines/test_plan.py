"""Places that cannot be reached, told by name and remedy before anything is read."""

from pathlib import Path

import pytest
from fsspec import AbstractFileSystem
from fsspec.registry import _registry

from pipelines.plan import find_sources
from pipelines.settings_files import load_settings
from schemas.errors import InputError
from tests.faults.samples import chat_row, lines
from transforms.store.files import Store


class ClientError(Exception):
    """An error of an object store's client, of no kind that Python knows."""


class Unanswered(AbstractFileSystem):
    """A client that connects only when it is asked something, and then finds nobody."""

    cachable = False

    def info(self, path, **options):
        raise (ConnectionError if "refused" in path else ClientError)("could not connect to the endpoint")


@pytest.fixture(autouse=True)
def _no_answer(monkeypatch):
    monkeypatch.setitem(_registry, "gs", Unanswered)


def sources(folder: Path, **places: str):
    (folder / "lake").mkdir()
    (folder / "lake" / "a.jsonl").write_bytes(lines([chat_row(1)]))
    settings = folder / "settings.yaml"
    settings.write_text(f"lake: {{root: {folder / 'lake'}}}\nstore: {folder / 'store'}\n")
    loaded = load_settings([settings], [f"{name}={place}" for name, place in places.items()])
    return find_sources(loaded, Store(loaded.settings.store))


@pytest.mark.parametrize("place", ["gs://bucket/lake", "gs://refused/lake", "hdfs://no-such-host.invalid:9000/lake"])
@pytest.mark.parametrize("setting", ["lake.root", "seed_file"])
def test_place_that_cannot_be_reached_is_named_with_a_remedy(tmp_path, setting, place):
    with pytest.raises(InputError) as raised:
        sources(tmp_path, **{setting: place})
    text = str(raised.value)
    assert text.startswith(f"{setting}: {place} cannot be reached (")
    assert "check the address, the network, the credentials" in text


def test_missing_seed_file_is_still_said_to_be_missing(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        sources(tmp_path, seed_file=str(tmp_path / "none.jsonl"))
