"""CFG: a setting that is misspelt, misplaced or means another thing is refused before data is read, its key named."""

from pathlib import Path

import pytest

from pipelines.cli import main

SHIPPED = Path(__file__).parents[2] / "conf" / "examples" / "openai_chat.yaml"


def _mutated(old: str, new: str) -> str:
    text = SHIPPED.read_text()
    assert old in text
    return text.replace(old, new)


MUTATIONS = {
    "misspelt by a letter": (_mutated("max_per_task:", "max_per_tsk:"), ["selection.max_per_tsk", "max_per_task"]),
    "one level too high": (
        _mutated("  seeds:\n    share: 0.1\n", "seeds:\n  share: 0.1\n"),
        ["seeds: unknown key", "selection.seeds"],
    ),
    "hyphen for underscore": (_mutated("max_per_task:", "max-per-task:"), ["selection.max-per-task", "max_per_task"]),
    "unknown section": (_mutated("seed: 0", "seed: 0\ndownsample:\n  rate: 1"), ["downsample: unknown key"]),
    "text for a number": (_mutated("share: 0.1", "share: '0,1'"), ["selection.seeds.share", "valid number"]),
    "similarity above 1": (_mutated("seed: 0", "seed: 0\nlexical: {min_similarity: 1.7}"), ["lexical.min_similarity"]),
    "similarity below 0": (
        _mutated("seed: 0", "seed: 0\nlexical: {min_similarity: -0.1}"),
        ["lexical.min_similarity"],
    ),
    "similarity nan": (_mutated("seed: 0", "seed: 0\nlexical: {min_similarity: .nan}"), ["lexical.min_similarity"]),
    "cluster size 0": (_mutated("seed: 0", "seed: 0\nfamilies: {min_cluster_size: 0}"), ["families.min_cluster_size"]),
    "cluster size 1": (_mutated("seed: 0", "seed: 0\nfamilies: {min_cluster_size: 1}"), ["families.min_cluster_size"]),
    "same key twice": (_mutated("seed: 0", "seed: 0\nseed: 1"), ["duplicate key seed"]),
    "empty file": ("", ["the settings file is empty"]),
    "tab indent": (_mutated("  encoder: hashed", "\tencoder: hashed"), ["no valid YAML"]),
    "yes for a text": (_mutated("encoder: hashed", "encoder: yes"), ["embedding.encoder", "valid string"]),
    "no for a text": (_mutated("encoder: hashed", "encoder: no"), ["embedding.encoder", "valid string"]),
    "on for a text": (_mutated("encoder: hashed", "encoder: on"), ["embedding.encoder", "valid string"]),
    "off for a text": (_mutated("encoder: hashed", "encoder: off"), ["embedding.encoder", "valid string"]),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_cfg_01_a_mutated_config_is_refused_before_data_is_read(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, named = MUTATIONS[name]
    conf = tmp_path / "curate.yaml"
    conf.write_text(text)
    # Neither lake nor store exists: were data looked for first, the exit code would be 3.
    assert main(["run", str(conf)]) == 2
    complaint = capsys.readouterr().err
    for part in named:
        assert part in complaint
    assert str(conf) in complaint
    assert list(tmp_path.iterdir()) == [conf]


@pytest.mark.parametrize("section", ["lexical", "semantic", "task_groups"])
def test_cfg_03_a_distance_where_a_similarity_is_meant_needs_force(
    section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = tmp_path / "curate.yaml"
    conf.write_text(SHIPPED.read_text())
    assert main(["run", str(conf), f"{section}.min_similarity=0.07"]) == 2
    complaint = capsys.readouterr().err
    assert f"{section}: " in complaint
    assert "min_similarity must be at least 0.5, got 0.07" in complaint
    assert "did you mean 0.93?" in complaint
    # Insisting gets past the settings: the lake that is not there is told next.
    insisting = [f"{section}.min_similarity=0.07", f"{section}.allow_low_similarity=true"]
    assert main(["run", str(conf), *insisting]) == 3


def test_the_shipped_config_itself_loads_and_asks_for_its_lake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(SHIPPED)]) == 3
    assert "lakes/rollouts" in capsys.readouterr().err
