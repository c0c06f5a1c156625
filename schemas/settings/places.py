"""Where things lie and how the work is carried out; nothing here changes data or enters a key."""

from typing import Literal

from pydantic import Field

from schemas.settings.section import Section


class LakeSettings(Section):
    """The rollout logs to read."""

    root: str
    """Folder or fsspec URL of the lake; relative paths are resolved against the first settings file.
    A store inside it is left out."""
    include: list[str] = Field(default=["**/*"], min_length=1)
    """Globs of primary files, relative to the root; each must match at least one file."""
    exclude: list[str] = Field(default=[])
    """Globs of files to leave out."""


class ExecutionSettings(Section):
    """Progress and devices."""

    progress: Literal["auto", "plain", "quiet"] = "auto"
    """Progress display: `auto` draws bars on a terminal and prints a line a stage elsewhere; `quiet` shows nothing."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Device of the embedding model; `cuda` without a card refuses before data is read."""
