import pytest
import yaml
from datasets import Features, Json, List, Value

from transforms.targets.card import features_of, make_card
from transforms.targets.catalog import TARGETS

MESSAGES = List(
    {
        "role": Value("string"),
        "content": Value("string"),
        "tool_calls": List(Json()),
        "tool_call_id": Value("string"),
        "name": Value("string"),
    }
)
EXPECTED = {
    "dpo": {"prompt": MESSAGES, "chosen": MESSAGES, "rejected": MESSAGES, "tools": List(Json())},
    "kto": {"prompt": MESSAGES, "completion": MESSAGES, "label": Value("bool"), "tools": List(Json())},
    "sft": {"messages": MESSAGES, "tools": List(Json())},
    "rl": {
        "prompt": MESSAGES,
        "extra_info": Json(),
        "reward_model": {"style": Value("string"), "ground_truth": Value("string")},
    },
}


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_the_cards_features_are_what_datasets_would_write(name: str) -> None:
    features = Features._from_yaml_list(features_of(TARGETS[name].schema))
    assert list(features) == TARGETS[name].schema.names
    assert {column: features[column] for column in EXPECTED[name]} == EXPECTED[name]
    assert features._to_yaml_list() == features_of(TARGETS[name].schema)


def test_a_dataset_or_split_without_rows_is_left_out() -> None:
    card = make_card(
        {"dpo": {"train": 3, "validation": 0}, "kto": {"train": 0}, "sft": {"train": 1, "validation": 2}}, edition="e1"
    )
    head = yaml.safe_load(card.split("---\n")[1])
    assert head["configs"] == [
        {"config_name": "dpo", "data_files": [{"split": "train", "path": "dpo/train-e1-*.parquet"}]},
        {
            "config_name": "sft",
            "data_files": [
                {"split": "train", "path": "sft/train-e1-*.parquet"},
                {"split": "validation", "path": "sft/validation-e1-*.parquet"},
            ],
        },
    ]
    assert "Rows: train 1, validation 2." in card


def test_a_card_of_nothing_is_still_a_card() -> None:
    assert yaml.safe_load(make_card({}, edition="e1").split("---\n")[1]) == {"configs": [], "dataset_info": []}
