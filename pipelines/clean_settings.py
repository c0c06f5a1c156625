"""What the user names in settings and seed files, without secrets, as it enters tables and datasets.

The names in a lake's records are redacted too: an alias, a stratum or an environment that holds a secret means the
same as before.
"""

import json
from collections.abc import Iterable
from typing import Any, Final

import orjson

from schemas.settings import Settings
from transforms.redaction.engine import Redactor
from transforms.redaction.trees import redact_tree
from transforms.selecting.seeds import SeedTask
from transforms.store.keys import canonical_json

_NAMING: Final = ("identity", "outcome", "selection", "export")
"""Sections whose texts name tasks, environments, strata and data sources."""


def clean_settings(settings: Settings) -> Settings:
    """Return the settings with the secrets replaced in what they name; how a lake is read stays as it is."""
    redactor = Redactor.of(settings.ingest.redaction)
    changes: dict[str, Any] = {}
    for name in _NAMING:
        section = getattr(settings, name)
        tree = section.model_dump(mode="json")
        if (told := redact_tree(tree, redactor)) != tree:
            changes[name] = type(section).model_validate_json(json.dumps(told))
    return settings.model_copy(update=changes) if changes else settings


def clean_seed_tasks(tasks: Iterable[SeedTask], redactor: Redactor) -> tuple[SeedTask, ...]:
    """Return seed tasks with the secrets in their texts and verifier fields replaced."""
    return tuple(
        SeedTask(
            task_id=redactor.redact_text(task.task_id),
            prompt=redactor.redact_text(task.prompt),
            environment=redactor.redact_text(task.environment),
            verifier_json=canonical_json(redact_tree(orjson.loads(task.verifier_json), redactor)).decode(),
        )
        for task in tasks
    )
