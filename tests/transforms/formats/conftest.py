"""Reading a small lake that a test writes down."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import fsspec
import pytest

from schemas.records import BadRecord, SourceUnit, Trajectory
from schemas.settings.ingest import IngestSettings
from transforms.formats.records import Repeat, read_unit
from transforms.formats.units import list_lake, plan_units
from transforms.redaction.engine import Redactor


class LakeRead(NamedTuple):
    units: list[SourceUnit]
    trajectories: list[Trajectory]
    bad: list[BadRecord]
    repeats: list[Repeat]


def _read_folder(
    root: Path, *, settings: IngestSettings | None = None, include: tuple[str, ...] = ("**/*",), **options: Any
) -> LakeRead:
    settings = settings or IngestSettings()
    fs = fsspec.filesystem("file")
    units = plan_units(fs, str(root), list_lake(fs, str(root), include), settings, **options)
    found: list[Trajectory | BadRecord | Repeat] = []
    for unit in units:
        found.extend(read_unit(unit, filesystem=fs, root=str(root), settings=settings, redactor=Redactor()))
    return LakeRead(
        units,
        [item for item in found if isinstance(item, Trajectory)],
        [item for item in found if isinstance(item, BadRecord)],
        [item for item in found if isinstance(item, Repeat)],
    )


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[..., Path]:
    """Write files given as bytes, text, or values that become JSON, and return their folder."""

    def write(files: Mapping[str, Any], name: str = "lake") -> Path:
        for uri, content in files.items():
            path = tmp_path / name / uri
            path.parent.mkdir(parents=True, exist_ok=True)
            if not isinstance(content, bytes):
                content = (content if isinstance(content, str) else json.dumps(content)).encode()
            path.write_bytes(content)
        return tmp_path / name

    return write


@pytest.fixture(scope="session")
def read_folder() -> Callable[..., LakeRead]:
    """Read a folder as a lake."""
    return _read_folder


@pytest.fixture
def read_lake(folder_of: Callable[..., Path]) -> Callable[..., LakeRead]:
    """Write files and read them as a lake."""

    def read(files: Mapping[str, Any], **options: Any) -> LakeRead:
        return _read_folder(folder_of(files), **options)

    return read


@pytest.fixture(scope="session")
def read_real(real_rollouts: Path) -> Callable[..., LakeRead]:
    """Read a folder of the real rollouts."""

    def read(folder: str, *include: str) -> LakeRead:
        return _read_folder(real_rollouts / folder, include=include or ("**/*",))

    return read
