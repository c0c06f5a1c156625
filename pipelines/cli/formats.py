"""`trajsift formats`: the formats that are read, and what of each reaches the tables."""

from typing import Annotated

import typer

from pipelines.cli.terminal import show_facts, show_rows, write_text
from schemas.errors import SettingsError


def formats(
    name: Annotated[str | None, typer.Argument(help="One format; all when left out.")] = None,
) -> None:
    """List the formats with what each carries into the tables and what it loses."""
    from transforms.formats.registry import CLAIMING

    adapters = sorted(CLAIMING, key=lambda adapter: adapter.name)
    if name is None:
        show_rows(("format", "version"), [(adapter.name, adapter.version) for adapter in adapters])
    elif name not in {adapter.name for adapter in adapters}:
        raise SettingsError(f"no format {name!r}; formats: {', '.join(adapter.name for adapter in adapters)}")
    for adapter in adapters:
        if name in (None, adapter.name):
            show_facts(
                adapter.name,
                {"carries": "; ".join(adapter.carries), "loses": "; ".join(adapter.loses) or "nothing"},
            )
    if name is None:
        write_text("\na format is told by content; ingest.format=NAME names one\n")
