"""The dataset card: a README whose head tells `datasets` which files make which dataset, and which text is JSON."""

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
import yaml

from transforms.targets.catalog import TARGETS
from transforms.targets.encoding import JSON_LISTS

_ABOUT: Final = {
    "dpo": "Preference pairs: `prompt`, `chosen`, `rejected`. Both sides are rollouts of one task, a success and a "
    "failure. `prompt` is the chosen side's; where `same_prompt` is false the rejected rollout opened otherwise.",
    "kto": "Single completions with a verdict: `prompt`, `completion`, `label`.",
    "sft": "Successes to imitate: `messages`. Demonstrations and copied context are left out.",
    "rl": "Tasks to roll out: `prompt`, `data_source`, `ability`, `reward_model`, `extra_info` (verl); TRL GRPO reads "
    "`prompt`. `reward_model.ground_truth` is the seed file's, else the task's id.",
}


def file_pattern(dataset: str, split: str, *, edition: str) -> str:
    """Return the pattern of a split's files below the export folder.

    `datasets` keeps what it has loaded under the folder's name and the head of its card: without the edition in the
    pattern it would go on giving the rows of whichever snapshot was loaded first.
    """
    return f"{dataset}/{split}-{edition}-*.parquet"


def make_card(counts: Mapping[str, Mapping[str, int]], *, edition: str) -> str:
    """Return the text of README.md.

    Args:
        counts: Rows by dataset and split; a dataset or split without rows has no files and is left out, as `datasets`
            fails on an empty file.
        edition: What tells these datasets from those of every other snapshot: a hash of all they depend on.
    """
    filled = {
        name: {split: rows for split, rows in sorted(counts[name].items()) if rows}
        for name in TARGETS
        if name in counts and any(counts[name].values())
    }
    head = {
        "configs": [
            {"config_name": name, "data_files": _files(name, splits, edition)} for name, splits in filled.items()
        ],
        "dataset_info": [{"config_name": name, "features": features_of(TARGETS[name].schema)} for name in filled],
    }
    lines = [
        "---",
        yaml.safe_dump(head, sort_keys=False, allow_unicode=True).rstrip(),
        "---",
        "",
        "# Training sets",
        "",
    ]
    lines += [
        "Load one with `datasets.load_dataset(<this folder>, <name>)`. In the files, each tool call and each tool "
        "schema is JSON text; loaded that way they are objects.",
        "",
    ]
    for name, splits in filled.items():
        listed = ", ".join(f"{split} {rows}" for split, rows in splits.items())
        lines += [f"## {name}", "", _ABOUT[name], "", f"Rows: {listed}.", ""]
    return "\n".join(lines)


def _files(name: str, splits: Mapping[str, int], edition: str) -> list[dict[str, str]]:
    return [{"split": split, "path": file_pattern(name, split, edition=edition)} for split in splits]


def features_of(schema: pa.Schema) -> list[dict[str, Any]]:
    """Return the columns as the `features` of a card's `dataset_info`."""
    return [{"name": field.name} | _feature(field) for field in schema]


def _feature(field: pa.Field) -> dict[str, Any]:
    kind = field.type
    if pa.types.is_list(kind):
        return {"list": _element(kind.value_type, is_json=field.name in JSON_LISTS)}
    if pa.types.is_struct(kind):
        return {"struct": features_of(pa.schema(kind))}
    return {"dtype": _scalar(kind)}


def _element(kind: pa.DataType, *, is_json: bool) -> Any:
    if is_json:
        return "json"
    return features_of(pa.schema(kind)) if pa.types.is_struct(kind) else _scalar(kind)


def _scalar(kind: pa.DataType) -> str:
    """Return the name `datasets` has for a type of ours."""
    if kind == pa.json_():
        return "json"
    return {"double": "float64", "float": "float32"}.get(str(kind), str(kind))
