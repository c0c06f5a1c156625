from pathlib import Path

import pytest

from pipelines.settings_files import load_settings

CONF = sorted((Path(__file__).parents[1] / "conf").rglob("*.yaml"))


@pytest.mark.parametrize("path", CONF, ids=lambda path: path.stem)
def test_every_shipped_settings_file_loads(path: Path) -> None:
    assert load_settings([path]).settings.lake.include


def test_there_are_settings_files() -> None:
    assert len(CONF) >= 3
