"""Beam flags as the command takes them after `--`: known ones pass, unknown ones are refused."""

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import cast

from apache_beam.options.pipeline_options import (
    DirectOptions,
    PipelineOptions,
    SetupOptions,
    StandardOptions,
    _BeamArgumentParser,
)
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.runner import PipelineRunner, create_runner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from schemas.errors import SettingsError

_WORKER_MODULE = "pipelines.runners.worker"
_IN_MEMORY_NAMES = frozenset({None, "FnApiRunner", "DirectRunner"})


def parse_beam_flags(flags: Sequence[str]) -> PipelineOptions:
    """Return the Beam options of the flags.

    Raises:
        SettingsError: A flag is unknown (Beam itself would only warn), its value is wrong, or it names a runner that
            loses rows.
    """
    parser = _BeamArgumentParser(allow_abbrev=False)
    for section in PipelineOptions.__subclasses__():
        section._add_argparse_args(parser)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            _, unknown = parser.parse_known_args(list(flags))
    except SystemExit as error:
        reason = complaint.getvalue().strip().splitlines()
        raise SettingsError(f"Beam flags: {reason[-1] if reason else 'cannot be parsed'}") from error
    if unknown:
        known = [name for action in parser._actions for name in action.option_strings]
        near = get_close_matches(unknown[0].split("=")[0], known, n=1)
        hint = f", did you mean {near[0]}?" if near else ""
        raise SettingsError(f"{unknown[0]}: unknown Beam flag{hint}")
    options = PipelineOptions(list(flags))
    _refuse_unsafe(options)
    return options


def _refuse_unsafe(options: PipelineOptions) -> None:
    runner = options.view_as(StandardOptions).runner
    if runner is not None and "dask" in runner.lower():
        raise SettingsError(f"--runner={runner}: this runner loses rows while it reports success; use Flink or Spark")
    if runner not in _IN_MEMORY_NAMES:
        try:
            create_runner(cast(str, runner))
        except (ValueError, ImportError, AttributeError) as error:
            raise SettingsError(f"--runner={runner}: {' '.join(str(error).split())}") from error
    if options.view_as(SetupOptions).save_main_session:
        raise SettingsError("--save_main_session: workers import trajsift from its installation; leave the flag out")


def make_runner(options: PipelineOptions) -> tuple[PipelineRunner, PipelineOptions]:
    """Return the runner of the options and the options to run it with: in this process unless another is named.

    `DirectRunner` is taken to mean `FnApiRunner`, since Beam's own first tries to download a binary. With
    `multi_processing` the workers are our own entry point, started without the current folder on their path.
    """
    name = options.view_as(StandardOptions).runner
    if name not in _IN_MEMORY_NAMES:
        return create_runner(cast(str, name)), options
    if options.view_as(DirectOptions).direct_running_mode != "multi_processing":
        return FnApiRunner(), options
    command = f"{shlex.quote(sys.executable)} -P -m {_WORKER_MODULE} {os.getpid()}"
    environment = SubprocessSDKEnvironment.from_command_string(command)
    # FnApiRunner replaces the environment it is given when the options name a running mode with one of its own.
    flags = options.get_all_options(drop_default=True) | {"direct_running_mode": "in_memory"}
    return FnApiRunner(default_environment=environment), PipelineOptions.from_dictionary(flags)
