from pathlib import Path

import pytest

from pipelines.settings_files import load_settings
from schemas.errors import SettingsError

GOOD = "lake:\n  root: logs\nstore: curated\nlexical:\n  min_similarity: 0.9\n"


def _file(folder: Path, text: str, name: str = "curate.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_places_are_resolved_against_the_first_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    first = _file(tmp_path / "a", GOOD)
    second = _file(tmp_path, "seed: 7\nlake:\n  exclude: ['*.bak']\n", "more.yaml")
    settings = load_settings([first, second]).settings
    assert settings.lake.root == str(tmp_path / "a" / "logs")
    assert settings.store == str(tmp_path / "a" / "curated")
    assert (settings.seed, settings.lake.exclude, settings.lexical.min_similarity) == (7, ["*.bak"], 0.9)


def test_overrides_come_last_and_their_places_are_relative_to_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = _file(tmp_path, GOOD)
    settings = load_settings([path], ["store=other", "lexical.min_similarity=0.5", "export.targets=[dpo]"]).settings
    assert settings.store == str(tmp_path / "other")
    assert settings.lexical.min_similarity == 0.5
    assert settings.export.targets == ["dpo"]


def test_the_data_tree_says_nothing_of_places(tmp_path: Path) -> None:
    loaded = load_settings([_file(tmp_path, GOOD)])
    assert str(tmp_path) not in str(loaded.data_tree)
    assert not {"lake", "store", "seed_file", "reference_sets", "execution"} & set(loaded.data_tree)
    assert set(loaded.place_tree) == {"lake", "store", "seed_file", "reference_sets", "execution"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ingest: {fields: {reward: ['']}}\n", r"ingest\.fields\.reward\.0: string should match pattern"),
        ("ingest: {fields: {task_id: [a..b]}}\n", r"ingest\.fields\.task_id\.0: string should match pattern"),
        (
            "ingest: {fields: {messages: [reward]}}\n",
            r"ingest\.fields: .*'reward' is named by both messages and reward",
        ),
        ("ingest: {redaction: {allow: [' ']}}\n", r"ingest\.redaction\.allow\.0: string should match pattern"),
        ("identity: {task_aliases: {a: b, b: a}}\n", r"identity: .*'a' is an alias of itself, by way of \['a', 'b'\]"),
        ("lexical:\n  min_similarty: 0.9\n", r"lexical\.min_similarty: unknown key, did you mean 'min_similarity'\?"),
        ("min_cluster_size: 5\n", r"min_cluster_size: unknown key, did you mean 'families\.min_cluster_size'\?"),
        ("lexical:\n  min-similarity: 0.9\n", r"lexical\.min-similarity: unknown key, did you mean 'min_similarity'"),
        ("downsampling:\n  x: 1\n", r"downsampling: unknown key"),
        ("lexical:\n  min_similarity: '0,9'\n", r"lexical\.min_similarity: input should be a valid number.*'0,9'"),
        ("lexical:\n  min_similarity: 1.7\n", r"less than or equal to 1, got 1\.7"),
        ("lexical:\n  min_similarity: -0.1\n", r"greater than 0, got -0\.1"),
        ("lexical:\n  min_similarity: .nan\n", r"lexical\.min_similarity: input should be a finite number"),
        ("families:\n  min_cluster_size: 0\n", r"families\.min_cluster_size: .*greater than or equal to 2, got 0"),
        ("families:\n  min_cluster_size: 1\n", r"greater than or equal to 2, got 1"),
        ("seed: 1\nseed: 2\n", r"no valid YAML: .*duplicate key"),
        ("lexical:\n\tmin_similarity: 0.9\n", r"no valid YAML"),
        ("seed: 99999999999999999999999\n", r"seed: .*less than or equal to"),
        ("selection: {max_per_task: 99999999999999999999}\n", r"selection\.max_per_task: .*beyond 64 bits"),
        ("views: {leak_alarm: {max_pairs: 99999999999999999999}}\n", r"max_pairs: .*beyond 64 bits"),
        ("ingest: {reward_range: [1, 0]}\n", r"ingest: .*reward_range must rise, got \[1, 0\]"),
        ("selection: {failures: {min_weight: 5}}\n", r"selection\.failures: .*must not be above max_weight=4"),
        ("selection: {keeper_order: [best_reward, best_reward]}\n", r"selection: .*names a rule twice"),
        ("selection: {keep_groups: true, max_per_task: 4}\n", r"selection: .*max_per_task=4 would tear the groups"),
        ("selection: {keep_groups: true, max_per_approach: 2}\n", r"selection: .*max_per_approach=2 would tear"),
        ("selection: {balance: {targets: {foo: 0.5}}}\n", r"selection\.balance: .*'foo' is no stratum"),
        ("selection: {balance: {targets: {a/win/hard: 0.5}}}\n", r"'a/win/hard' is no stratum"),
        ("selection: {balance: {targets: {'*/*/hard': 1.5}}}\n", r"must lie between 0 and 1"),
        ("selection: {balance: {targets: {'*/*/hard': 0.6, '*/*/easy': 0.6}}}\n", r"sum up to 1\.2"),
        ("reference_sets: ['']\n", r"reference_sets\.0: string should match pattern"),
        ("reference_sets: [a, ' ']\n", r"reference_sets\.1: string should match pattern"),
        ("export: {targets: []}\n", r"export\.targets: .*at least 1 item"),
        ("export: {targets: [dpo, dpo]}\n", r"export: .*names a dataset twice"),
        ("embedding:\n  encoder: yes\n", r"embedding\.encoder: input should be a valid string, got True"),
        ("embedding:\n  encoder: off\n", r"embedding\.encoder: input should be a valid string, got False"),
        ("embedding:\n  encoder: ${oc.env:HOME}\n", r"embedding\.encoder: \$\{…\} is not expanded here"),
    ],
)
def test_wrong_settings_are_refused_with_their_path(tmp_path: Path, text: str, message: str) -> None:
    good = _file(tmp_path, GOOD)
    with pytest.raises(SettingsError, match=message) as caught:
        load_settings([good, _file(tmp_path, text, "wrong.yaml")])
    assert str(caught.value).startswith(str(tmp_path / "wrong.yaml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the settings file is empty"),
        ("# nothing\n", "the settings file is empty"),
        ("- a\n", "a settings file is a YAML mapping"),
        ("store: s\n", "lake: this setting is needed and missing"),
        ("lake: {root: x}\nstore: 'a?b'\n", "store: string should match pattern"),
        ("lake: {root: x}\n", "store: this setting is needed and missing"),
    ],
)
def test_files_that_say_too_little_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load_settings([_file(tmp_path, text)])


def test_a_missing_file_and_a_wrong_override_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="gone.yaml: no such settings file"):
        load_settings([tmp_path / "gone.yaml"])
    with pytest.raises(
        SettingsError,
        match=r"^command line \(lexical.min_similarty=1\): lexical.min_similarty: .*did you mean 'min_similarity'",
    ):
        load_settings([_file(tmp_path, GOOD)], ["lexical.min_similarty=1"])
    with pytest.raises(SettingsError, match="'seed': an override is written"):
        load_settings([_file(tmp_path, GOOD)], ["seed"])


def test_resolved_settings_that_keep_groups_are_settings_again(tmp_path: Path) -> None:
    settings = load_settings([_file(tmp_path, GOOD)], ["selection.keep_groups=true"]).settings
    assert type(settings).model_validate(settings.model_dump()) == settings


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings([_file(tmp_path, GOOD + "seed: -1\nstor: x\n")])
    assert len(str(caught.value).splitlines()) == 2


def test_a_place_that_nothing_here_can_open_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="reference_sets: nosuch://bucket/x: nosuch:// cannot be opened here"):
        load_settings([_file(tmp_path, GOOD + "\nreference_sets: ['nosuch://bucket/x']\n")])


@pytest.mark.parametrize("key", ["lake.root", "store", "seed_file", "reference_sets"])
def test_a_place_of_a_kind_that_is_not_read_is_refused_with_what_to_do(tmp_path: Path, key: str) -> None:
    value = "['ftp://host/x']" if key == "reference_sets" else "ftp://host/x"
    with pytest.raises(SettingsError, match=rf"^{key}: ftp://host/x: ftp:// is no kind of place .* copy the files"):
        load_settings([_file(tmp_path, GOOD)], [f"{key}={value}"])
