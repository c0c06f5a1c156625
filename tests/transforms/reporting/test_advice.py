from typing import Any

import pyarrow as pa
import pytest

from transforms.querying.catalog import build_catalog
from transforms.querying.explain import open_catalog
from transforms.reporting.advice import advice
from transforms.reporting.figures import draw_figures


@pytest.fixture
def figures(small_tables: dict[str, pa.Table]) -> dict[str, Any]:
    return draw_figures(small_tables, seed=0)


def test_advice_names_what_stands_out_most_pressing_first(figures: dict[str, Any]) -> None:
    assert [line["title"] for line in advice(figures)] == [
        "1 record set aside",
        "1 of 2 task groups never succeed",
        "40 % of the rollouts sit in groups of near-copies",
        "1 stratum misses its target share",
        "1 task and policy pair is unstable",
    ]


def test_advice_warns_of_length_bias_and_missing_rewards(figures: dict[str, Any]) -> None:
    figures["pairs"]["mean_difference"] = 0.25
    figures["outcomes"][0]["unscored"] = 3
    titles = [line["title"] for line in advice(figures)]
    assert "Chosen sides are 25 % longer than rejected ones" in titles
    assert "60 % of the rollouts have no reward" in titles


def test_every_advised_query_runs_on_a_catalog(
    figures: dict[str, Any], small_tables: dict[str, pa.Table], tmp_path: Any
) -> None:
    figures["pairs"]["mean_difference"] = 0.25
    figures["outcomes"][0]["unscored"] = 3
    build_catalog(tmp_path / "catalog.duckdb", small_tables)
    lines = advice(figures)
    assert len(lines) == 7
    with open_catalog(tmp_path / "catalog.duckdb") as connection:
        for line in lines:
            query = line["command"].removeprefix('trajsift sql "').removesuffix('"')
            assert connection.execute(query).description
