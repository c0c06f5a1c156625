"""`trajsift formats`: the formats that are read, and what of each reaches the tables."""

import shutil
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli.terminal import PIPED_WIDTH, is_terminal, show_rows, write_text
from schemas.errors import SettingsError

if TYPE_CHECKING:
    from transforms.formats.contract import Adapter

_MIN_WIDTH = 20
"""Columns below which wrapping would break every word."""


def formats(
    name: Annotated[str | None, typer.Argument(help="One format; all when left out.")] = None,
) -> None:
    """List the formats with what each carries into the tables and what it loses; of one format, item by item."""
    from transforms.formats.registry import CLAIMING

    adapters = sorted(CLAIMING, key=lambda adapter: adapter.name)
    width = max(_MIN_WIDTH, shutil.get_terminal_size().columns) if is_terminal() else PIPED_WIDTH
    if name is not None:
        chosen = [adapter for adapter in adapters if adapter.name == name]
        if not chosen:
            raise SettingsError(f"no format {name!r}; formats: {', '.join(adapter.name for adapter in adapters)}")
        write_text(format_details(chosen[0], width))
        return
    show_rows(("format", "version"), [(adapter.name, adapter.version) for adapter in adapters])
    for adapter in adapters:
        write_text(f"\n{adapter.name}\n")
        for title, items in (("carries", adapter.carries), ("loses", adapter.loses)):
            write_text(_wrapped("; ".join(items) or "nothing", width, first=f"  {title}  ".ljust(11), rest=" " * 11))
    write_text("\na format is told by content; ingest.format=NAME names one\n")
    write_text("trajsift formats NAME tells one format item by item\n")


def format_details(adapter: "Adapter", width: int) -> str:
    """Return what a format carries and loses, an item a line, wrapped to `width` columns."""
    text = f"{adapter.name}\nversion {adapter.version}\n"
    text += _wrapped(adapter.__doc__ or "", width, first="", rest="")
    for title, items in (("carries", adapter.carries), ("loses", adapter.loses)):
        text += f"\n{title}\n"
        text += "".join(_wrapped(item, width, first="  - ", rest="    ") for item in items or ("nothing",))
    closing = (
        "What one record loses beyond this stands in its lost_fields (table trajectories). "
        f"ingest.format={adapter.name} reads files as this format where their content does not tell it."
    )
    return f"{text}\n{_wrapped(closing, width, first='', rest='')}"


def _wrapped(text: str, width: int, *, first: str, rest: str) -> str:
    lines = textwrap.wrap(" ".join(text.split()), width, initial_indent=first, subsequent_indent=rest)
    return "".join(f"{line}\n" for line in lines)
