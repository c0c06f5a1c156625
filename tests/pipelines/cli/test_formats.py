import pytest

from pipelines.cli import main
from transforms.formats.registry import CLAIMING


def test_every_adapter_is_listed_with_what_it_carries_and_loses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    shown = capsys.readouterr().out
    for adapter in CLAIMING:
        assert adapter.carries, adapter.name
        assert adapter.name in shown


def test_one_format_and_an_unknown_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats", "tau_bench"]) == 0
    shown = capsys.readouterr().out
    assert "trial" in shown
    assert "intercode" not in shown
    assert main(["formats", "tau"]) == 2
    assert "no format 'tau'; formats: " in capsys.readouterr().err
