"""Reflexion-style attempt lists: one line per task with what was tried, what the tests said and what was learned."""

import re
from collections.abc import Iterator
from typing import Any, Final

from schemas.reasons import QuarantineReason
from schemas.records import BadRecord, Header, Message, Rollout, SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.chat_messages import message_content
from transforms.formats.contract import OpenFile, PathFacts, build_rollouts
from transforms.formats.fields import as_items, as_text
from transforms.formats.identity import canonical_hash
from transforms.formats.losses import untaken
from transforms.formats.rewards import MISSING, convert_reward
from transforms.formats.row_files import RowAdapter, row_records
from transforms.reading.failures import RecordError
from transforms.reading.native import NativeRecord
from transforms.reading.outline import Outline

REFLECTION: Final = "reflection"
"""Actor of the messages in which the agent says what went wrong."""
_WATCHED: Final = frozenset({"name", "task_id", "is_solved", "prompt", "solution"})
_TRIED: Final = frozenset({"solution", "implementations", "reflections", "test_feedback"})
_FIELDS: Final = _TRIED | {"name", "task_id", "prompt", "is_solved", "language"}
_FILE: Final = re.compile(
    r"(?P<dataset>[^_.]+)[^_]*_(?P<strategy>[A-Za-z-]+)_[0-9]+_(?P<model>.+?)_pass_at_k_[0-9]+(?:_[A-Za-z]+)?\.jsonl.*"
)


class ReflexionAdapter(RowAdapter):
    """Reads attempts at programming tasks; equal attempts of two runs (folders) are two rollouts."""

    name = "reflexion"
    version = "2"
    carries = (
        "prompt, implementations, test feedback, reflections and solution in their order",
        "whether the task was solved",
        "run, strategy, model and data set from the path",
    )
    loses = ("tests and reference solution", "entry point", "where the task came from")

    def claims(self, outline: Outline, settings: IngestSettings) -> bool:
        level = 1 if outline.starts_as == "[" else 0
        if outline.shape == "parquet" or not outline.has(level, "prompt", "is_solved"):
            return False
        return any(outline.has(level, name) for name in _TRIED)

    def path_facts(self, uri: str) -> PathFacts:
        """Return the run (the folder) and, where the file's name says them, data set, strategy and model."""
        *_, folder, name = ("", *uri.split("/"))
        named = _FILE.fullmatch(name)
        facts = {"run": folder, **(named.groupdict() if named else {})}
        return tuple(sorted(facts.items()))

    def read(self, unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> Iterator[Rollout | BadRecord]:
        facts = dict(unit.path_facts)
        return build_rollouts(
            row_records(unit, open_file, settings, watched=_WATCHED),
            lambda record: _rollout(record, facts, settings.reward_range),
        )


def _rollout(record: NativeRecord, facts: dict[str, str], reward_range: tuple[float, float]) -> Rollout:
    native = record.value
    prompt, solved = native.get("prompt"), native.get("is_solved", MISSING)
    if not isinstance(prompt, str):
        raise RecordError(QuarantineReason.MISSING_MESSAGES, "`prompt` is no text")
    reward = convert_reward(solved, reward_range)
    header = Header(
        source_format=ReflexionAdapter.name,
        task_id=as_text(native.get("name")) or as_text(native.get("task_id")),
        task_source=facts.get("dataset"),
        task_text=prompt,
        language=as_text(native.get("language")),
        run_id=facts.get("run") or None,
        agent_name=facts.get("strategy"),
        model_name=facts.get("model"),
        reward=reward.value,
        reward_raw=reward.raw,
        reward_name="is_solved",
        success=solved if isinstance(solved, bool) else None,
    )
    return Rollout(
        header=header,
        messages=(Message("user", prompt), *_attempts(native)),
        native_id=None,
        canonical_sha256=canonical_hash(native),
        record_key=record.key,
        record_offset=record.offset,
        lost_fields=tuple(sorted(untaken(native, _FIELDS))),
        parse_warnings=(*record.warnings, *reward.warnings),
    )


def _attempts(native: dict[str, Any]) -> Iterator[Message]:
    """Yield each implementation, what the tests said of it and what was learned, then the solution.

    Many files keep the reflections only. A solution that is the last implementation is not said twice.
    """
    tried, said, learned = (_texts(native, name) for name in ("implementations", "test_feedback", "reflections"))
    for index in range(max(len(tried), len(said), len(learned))):
        if index < len(tried):
            yield Message("assistant", tried[index], sampled=True)
        if index < len(said):
            yield Message("tool", said[index])
        if index < len(learned):
            yield Message("assistant", learned[index], actor=REFLECTION, sampled=True)
    solution = native.get("solution")
    if solution is None or (tried and solution == tried[-1]):
        return
    content = message_content(solution)
    yield Message("assistant", content.text, content.state, parts_json=content.parts_json, sampled=True)


def _texts(native: dict[str, Any], name: str) -> list[str]:
    texts = as_items(native.get(name))
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise RecordError(QuarantineReason.INVALID_MESSAGE, f"{name}[{index}] is no text but {kind}")
    return texts
