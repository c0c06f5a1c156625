"""The seed tasks of the sample lake and the settings file that curates it."""

from collections.abc import Iterator, Sequence
from typing import Final

from schemas.reasons import EnvType
from transforms.synthesis.actions import LINE_KINDS_OF
from transforms.synthesis.chat_records import Record
from transforms.synthesis.vocabulary import stream, task_vocabulary

_ENVIRONMENTS: Final = (EnvType.TERMINAL, EnvType.CODE_REPO, EnvType.CROSS_TOOL)
_FIRST_VOCABULARY: Final = 10**9
"""Vocabularies of seed tasks are numbered from here, so that no task of the lake has the same."""

_SETTINGS: Final = """\
# Curates the sample lake beside it; paths are relative to this file.
lake:
  root: lake
  include: [{patterns}]
store: store
seed_file: seeds.jsonl
seed: {seed}
embedding:
  encoder: hashed
"""


def seed_rows(seed: int, num_tasks: int) -> Iterator[Record]:
    """Yield seed tasks, one for every ten tasks of the lake and at least six, none of them in the lake."""
    for number in range(max(6, num_tasks // 10)):
        env_type = _ENVIRONMENTS[number % len(_ENVIRONMENTS)]
        kinds = LINE_KINDS_OF[env_type]
        vocabulary = task_vocabulary(seed, _FIRST_VOCABULARY + number, kinds=kinds, file_chars=100)
        rng = stream(seed, "seed task", number)
        first, second, third, wanted = rng.choices(vocabulary.tokens, k=4)
        quoted = "".join(rng.choices(vocabulary.lines[kinds[0]], k=6))
        yield {
            "task_id": f"seed-{env_type.value.replace('_', '-')}-{number:05d}",
            "prompt": f"{first}: make {second} hold for {third}\n\n{quoted}\nThe check asks for {wanted}.",
            "environment": env_type.value,
            "data_source": "sample_seeds",
            "style": "rule",
            "ground_truth": wanted,
        }


def settings_text(seed: int, patterns: Sequence[str]) -> str:
    """Return the settings file: the whole job on the lake with the hashed encoder."""
    return _SETTINGS.format(patterns=", ".join(f'"{pattern}"' for pattern in patterns), seed=seed)
