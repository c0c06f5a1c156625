"""Settings from YAML files and `section.key=value` overrides, refused as a whole when one key or value is wrong."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

import fsspec
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel, ValidationError
from yaml import YAMLError

from schemas.errors import SettingsError
from schemas.settings import PLACE_SECTIONS, Settings

_PLACES = ("lake.root", "store", "seed_file", "reference_sets")
_STORES = frozenset(
    {"file", "local", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "hdfs", "oss", "oci"}
)
"""Kinds of places that hold folders of files and stand still while they are read; all of fsspec's names."""
_OVERRIDE = "command line"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Validated settings and the two trees they are written as."""

    settings: Settings

    @property
    def data_tree(self) -> dict[str, Any]:
        """Return the settings that change data: they enter the run's key and the snapshot's `config.yaml`."""
        return self.settings.model_dump(mode="json", exclude=set(PLACE_SECTIONS))

    @property
    def place_tree(self) -> dict[str, Any]:
        """Return the settings that say where and how: they are written to `runs/<run_id>.json` only."""
        return self.settings.model_dump(mode="json", include=set(PLACE_SECTIONS))


def load_settings(paths: Sequence[Path], overrides: Sequence[str] = ()) -> LoadedSettings:
    """Read and merge settings files, later ones over earlier ones, then the overrides.

    Relative places in a file are resolved against the first file's folder, those of an override against the current
    folder. Values are never interpolated and no environment variable is read.

    Raises:
        SettingsError: A file is missing, empty or no YAML mapping; a key is unknown or a value not allowed. Every
            fault is named with its file and key path, and the likely key where one is near.
    """
    if not paths:
        raise SettingsError("no settings file given; see conf/examples for one to start from")
    trees = {str(path): _read_tree(path) for path in paths}
    for override in overrides:
        trees[f"{_OVERRIDE} ({override})"] = _override_tree(override)
    merged: dict[str, Any] = {}
    for tree in trees.values():
        merged = _merge(merged, tree)
    for place in _PLACES:
        _resolve_place(merged, place, paths[0].resolve().parent)
    try:
        # JSON mode: YAML lists may fill tuples, while texts never become numbers.
        settings = Settings.model_validate_json(json.dumps(merged, default=str))
    except ValidationError as error:
        raise SettingsError("\n".join(_describe(fault, trees) for fault in error.errors())) from error
    _refuse_unreachable(settings)
    return LoadedSettings(settings)


def _refuse_unreachable(settings: Settings) -> None:
    """Refuse places of a kind that nothing installed here can open."""
    for key in _PLACES:
        places = attrgetter(key)(settings) or []
        for place in [places] if isinstance(places, str) else places:
            protocol, separator, _ = place.partition("://")
            if not separator:
                continue
            try:
                fsspec.get_filesystem_class(protocol)
            except (ImportError, ValueError) as error:
                raise SettingsError(f"{key}: {place}: {protocol}:// cannot be opened here: {error}") from error
            if protocol not in _STORES:
                raise SettingsError(
                    f"{key}: {place}: {protocol}:// is no kind of place that is read or written; copy the files to a "
                    "folder or an object store (s3://, gs://, az://) and name that"
                )


def _read_tree(path: Path) -> dict[str, Any]:
    try:
        loaded = OmegaConf.load(path)
        tree: Any = OmegaConf.to_container(loaded, resolve=False)
    except FileNotFoundError as error:
        raise SettingsError(f"{path}: no such settings file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read: {error}") from error
    except (YAMLError, OmegaConfBaseException) as error:
        raise SettingsError(f"{path}: no valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(tree, dict):
        raise SettingsError(f"{path}: a settings file is a YAML mapping, got a {type(tree).__name__}")
    if not tree:
        raise SettingsError(f"{path}: the settings file is empty; it needs at least lake.root and store")
    _refuse_interpolation(tree, str(path))
    return tree


def _override_tree(override: str) -> dict[str, Any]:
    key, equals, _ = override.partition("=")
    if not equals or not key:
        raise SettingsError(f"{override!r}: an override is written section.key=value")
    try:
        tree: Any = OmegaConf.to_container(OmegaConf.from_dotlist([override]), resolve=False)
    except (YAMLError, OmegaConfBaseException) as error:
        raise SettingsError(f"{override!r}: {' '.join(str(error).split())}") from error
    if not isinstance(tree, dict):
        raise SettingsError(f"{override!r}: an override is written section.key=value")
    _refuse_interpolation(tree, _OVERRIDE)
    if key in _PLACES:
        _resolve_place(tree, key, Path.cwd())
    return tree


def _refuse_interpolation(tree: Mapping[str, Any], source: str) -> None:
    for path, value in _leaves(tree):
        if isinstance(value, str) and "${" in value:
            raise SettingsError(f"{source}: {path}: ${{…}} is not expanded here; write the value itself")


def _leaves(tree: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _leaves(value, f"{path}.{index}")
    else:
        yield path, tree


def _merge(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return merged


def _resolve_place(tree: dict[str, Any], place: str, folder: Path) -> None:
    *sections, key = place.split(".")
    section: Any = tree
    for name in sections:
        section = section.get(name) if isinstance(section, dict) else None
    if not isinstance(section, dict):
        return
    if isinstance(section.get(key), list):
        # A blank one would be the folder itself.
        section[key] = [_resolved(each, folder) if str(each).strip() else each for each in section[key]]
    elif key in section:
        section[key] = _resolved(section[key], folder)


def _resolved(place: Any, folder: Path) -> Any:
    if not isinstance(place, str) or "://" in place:
        return place
    return os.path.normpath(folder / Path(place).expanduser())


def _describe(fault: Mapping[str, Any], trees: Mapping[str, Mapping[str, Any]]) -> str:
    path = ".".join(str(part) for part in fault["loc"])
    holders = [name for name, tree in trees.items() if _holds(tree, fault["loc"])]
    source = holders[-1] if holders else next(iter(trees))
    if fault["type"] == "extra_forbidden":
        return f"{source}: {path}: unknown key{_suggestion(path)}"
    if fault["type"] == "missing":
        return f"{source}: {path}: this setting is needed and missing"
    seen = "" if isinstance(fault["input"], dict) else f", got {fault['input']!r}"
    return f"{source}: {path}: {fault['msg'][0].lower()}{fault['msg'][1:]}{seen}"


def _holds(tree: object, location: Sequence[object]) -> bool:
    for part in location:
        in_list = isinstance(tree, list) and isinstance(part, int) and part < len(tree)
        if not in_list and not (isinstance(tree, Mapping) and part in tree):
            return False
        tree = tree[part]  # type: ignore[index]
    return True


def _suggestion(path: str) -> str:
    section, _, key = path.rpartition(".")
    known = setting_paths()
    name = key.replace("-", "_")
    siblings = [each.rpartition(".")[2] for each in known if each.rpartition(".")[0] == section]
    elsewhere = [each for each in known if each.rpartition(".")[2] == name and each != path]
    near = get_close_matches(name, siblings, n=1, cutoff=0.6)
    if name not in siblings and elsewhere:
        return f", did you mean {elsewhere[0]!r}?"
    if near:
        return f", did you mean {near[0]!r}?"
    distant = get_close_matches(path, known, n=1, cutoff=0.75)
    return f", did you mean {distant[0]!r}?" if distant else f"; keys here: {', '.join(sorted(siblings)) or 'none'}"


def setting_paths(model: type[BaseModel] = Settings, prefix: str = "") -> list[str]:
    """Return the dotted paths of all settings, sections included."""
    paths = []
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        paths.append(path)
        nested = [part for part in (field.annotation, *get_args(field.annotation)) if isinstance(part, type)]
        for part in nested:
            if issubclass(part, BaseModel):
                paths.extend(setting_paths(part, f"{path}."))
    return paths
