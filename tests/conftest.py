"""Fixtures that several test folders share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder with real rollouts and hard cases; tests that need it skip where it is absent."""
    path = Path(os.environ.get("TRAJSIFT_SHARED", Path(__file__).parents[2] / "shared"))
    if not path.is_dir():
        pytest.skip(f"no shared folder at {path} (set TRAJSIFT_SHARED)")
    return path


@pytest.fixture(scope="session")
def real_rollouts(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real rollouts, unpacked: one folder a corpus."""
    import tarfile

    target = tmp_path_factory.mktemp("rollouts")
    with tarfile.open(shared_dir / "data" / "rollouts.tar.xz") as archive:
        archive.extractall(target, filter="data")
    return target / "dev"
