import pytest
from apache_beam.options.pipeline_options import DirectOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from pipelines.runners.options import make_runner, parse_beam_flags
from schemas.errors import SettingsError


def test_known_flags_pass() -> None:
    options = parse_beam_flags(["--direct_running_mode=multi_processing", "--direct_num_workers=2"])
    assert options.view_as(DirectOptions).direct_running_mode == "multi_processing"


@pytest.mark.parametrize("flags", [[], ["--runner=DirectRunner"], ["--runner=FnApiRunner"]])
def test_the_in_memory_runner_is_the_default(flags: list[str]) -> None:
    runner, _ = make_runner(parse_beam_flags(flags))
    assert isinstance(runner, FnApiRunner)


def test_worker_processes_are_our_own() -> None:
    runner, options = make_runner(
        parse_beam_flags(["--direct_running_mode=multi_processing", "--direct_num_workers=2"])
    )
    assert "pipelines.runners.worker" in str(runner._default_environment.command_string)
    assert options.view_as(DirectOptions).direct_num_workers == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--direct_num_worker=2"], r"--direct_num_worker=2: unknown Beam flag, did you mean --direct_num_workers\?"),
        (["stray"], "stray: unknown Beam flag"),
        (["--direct_num_workers=two"], "invalid int value: 'two'"),
        (["--direct_running_mode=threads"], "invalid choice: 'threads'"),
        (["--runner=DaskRunner"], "loses rows"),
        (["--runner=NoRunner"], "--runner=NoRunner: "),
        (["--save_main_session"], "leave the flag out"),
    ],
)
def test_wrong_flags_are_refused(flags: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_beam_flags(flags)
