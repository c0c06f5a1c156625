"""Errors the command shows as one clear line, each with its own documented exit code."""

from typing import ClassVar


class TrajsiftError(Exception):
    """An error the user can act on; the message names the value seen and the remedy."""

    exit_code: ClassVar[int] = 1


class SettingsError(TrajsiftError):
    """A wrong setting, flag or argument: nothing was read or written. Exit code 2."""

    exit_code = 2


class InputError(TrajsiftError):
    """A missing, empty or wholly unusable input. Exit code 3."""

    exit_code = 3


class StoreError(TrajsiftError):
    """The store cannot be used: damaged, not writable, or no such snapshot. Exit code 4."""

    exit_code = 4


class StoreLockedError(StoreError):
    """Another run holds the store. Exit code 5."""

    exit_code = 5


class DiskFullError(StoreError):
    """No space is left where the store or the work files lie. Exit code 6."""

    exit_code = 6


class WorkerLostError(TrajsiftError):
    """A worker process died; what it was doing is unknown. Exit code 7."""

    exit_code = 7


class ConservationError(TrajsiftError):
    """Rows went missing or appeared twice; nothing is published. Exit code 8."""

    exit_code = 8


class QualityError(TrajsiftError):
    """A limit on bad records, dropped rows or similarity was crossed; nothing is published. Exit code 9."""

    exit_code = 9


class QueryError(TrajsiftError):
    """A query that is not one SELECT, or that failed or ran over its limits. Exit code 10."""

    exit_code = 10
