"""The command `trajsift`: one file a verb."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click
import typer

from schemas.errors import TrajsiftError
from transforms.querying.display import visible

_INTERRUPTED = 130
# typer may carry a click of its own, whose errors are none of the installed click's.
_USAGE_ERRORS: tuple[type[Any], ...] = (
    click.ClickException,
    *(each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException"),
)
_MAX_ERROR_CHARS = 2000

_HELP = """Curate lakes of agent rollouts into training sets.

Exit codes: 0 done · 1 a defect of trajsift · 2 wrong setting, flag or argument · 3 missing, empty or unusable
input · 4 store unusable · 5 store held by another run · 6 disk full · 7 worker lost · 8 rows not conserved ·
9 a quality limit crossed · 10 query refused or failed · 130 interrupted.
"""


def build_app() -> typer.Typer:
    """Return the command with its verbs; each verb imports what it needs when it works."""
    from pipelines.cli.explain import explain
    from pipelines.cli.formats import formats
    from pipelines.cli.quarantine import quarantine_app
    from pipelines.cli.rollback import rollback
    from pipelines.cli.run import run
    from pipelines.cli.sample_lake import sample_lake
    from pipelines.cli.similar import similar
    from pipelines.cli.snapshots import snapshots
    from pipelines.cli.sql import sql

    app = typer.Typer(
        help=_HELP,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command("run")(run)
    app.command("sql")(sql)
    app.command("explain")(explain)
    app.command("similar")(similar)
    app.command("snapshots")(snapshots)
    app.command("rollback")(rollback)
    app.command("sample-lake")(sample_lake)
    app.command("formats")(formats)
    app.add_typer(quarantine_app(), name="quarantine")
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; what follows `--` are Beam flags."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    flags: list[str] = []
    if "--" in words:
        cut = words.index("--")
        words, flags = words[:cut], words[cut + 1 :]
    try:
        result = build_app()(args=words, prog_name="trajsift", standalone_mode=False, obj=flags)
    except TrajsiftError as error:
        click.echo(f"error: {visible(_redacted(str(error)))}", err=True)
        return error.exit_code
    except _USAGE_ERRORS as error:
        error.show()
        return int(error.exit_code)
    except (click.Abort, typer.Abort, KeyboardInterrupt):
        click.echo("interrupted; nothing was published", err=True)
        return _INTERRUPTED
    except Exception as error:
        click.echo(f"error: {_unexpected(error)}", err=True)
        return 1
    return result if isinstance(result, int) else 0


def _unexpected(error: Exception) -> str:
    """Tell of an error that is a defect of ours: its type and place, its text redacted, since it may hold data."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = visible(_redacted(str(error))[-_MAX_ERROR_CHARS:])
    return f"this is a defect of trajsift: {type(error).__name__} in {last.name}, line {last.lineno}: {text}"


def _redacted(text: str) -> str:
    """Return an error's text without secrets: it may quote a setting or the name of a file."""
    from transforms.redaction.engine import Redactor

    return Redactor().redact_text(text)


def run_command() -> None:
    """Enter the command from the console script."""
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Native threads of the libraries can abort the process while the interpreter takes itself down.
    os._exit(code)
