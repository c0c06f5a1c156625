"""What verbs print: tables and facts of the data, with nothing in them that could steer the terminal."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from transforms.querying.display import on_one_line, visible
from transforms.querying.results import cell_text

MAX_CELL_CHARS = 300
PIPED_WIDTH = 160
"""Columns of a table that is no terminal's: wide enough that ids are not folded."""


def is_terminal() -> bool:
    """Say whether standard output is a terminal."""
    return sys.stdout.isatty()


def write_text(text: str) -> None:
    """Write text of the data to standard output; to a terminal, steering characters are written out."""
    sys.stdout.write(visible(text) if is_terminal() else text)
    sys.stdout.flush()


def show_rows(names: Sequence[str], rows: Sequence[Sequence[Any]], *, max_rows: int | None = None) -> None:
    """Print rows as a table, `max_rows` of them at most."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    shown = rows[:max_rows]
    for index, name in enumerate(names):
        numeric = any(isinstance(row[index], int | float) and not isinstance(row[index], bool) for row in shown)
        table.add_column(safe_cell(name), justify="right" if numeric else "left", overflow="fold")
    for row in shown:
        table.add_row(*map(safe_cell, row))
    console = _console()
    console.print(table)
    if len(shown) < len(rows):
        console.print(Text(f"… {len(rows) - len(shown):,} rows more; --format csv gives them all", style="dim"))


def show_facts(title: str, facts: Mapping[str, Any]) -> None:
    """Print a headed list of names and values; empty values are left out."""
    known = {name: value for name, value in facts.items() if value not in (None, "", [], {})}
    if not known:
        return
    console = _console()
    console.print(Text(f"\n{visible(title)}", style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 2))
    for name, value in known.items():
        table.add_row(Text(name, style="dim"), safe_cell(value))
    console.print(table)


def _console() -> Console:
    return Console(highlight=False, width=None if is_terminal() else PIPED_WIDTH)


def safe_cell(value: Any) -> Text:
    """Return a value as the text of a cell: one line, cut, no markup, no steering characters."""
    text = f"{value:.6g}" if isinstance(value, float) else cell_text(value)
    return Text(on_one_line(text, max_chars=MAX_CELL_CHARS))
