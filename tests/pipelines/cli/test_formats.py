import pytest

from pipelines.cli import main
from pipelines.cli.formats import format_details
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


@pytest.mark.parametrize("width", [24, 40, 80])
@pytest.mark.parametrize("adapter", CLAIMING, ids=lambda adapter: adapter.name)
def test_details_are_whole_and_fit_the_width(adapter, width):  # type: ignore[no-untyped-def]
    shown = format_details(adapter, width)
    assert max(map(len, shown.splitlines())) <= width
    folded = "".join(shown.split())
    for item in (*adapter.carries, *adapter.loses):
        assert "".join(item.split()) in folded


def test_no_text_is_cut_in_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats"]) == 0
    shown = "".join(capsys.readouterr().out.split())
    for adapter in CLAIMING:
        for item in (*adapter.carries, *adapter.loses):
            assert "".join(item.split()) in shown
