"""SWE-bench reports beside SWE-agent rollouts: where they lie, and what they say of one instance.

A report of one instance is `{instance_id: {…}}` or the bare `{resolved, patch_successfully_applied, tests_status}`;
a report of a run lists ids under `resolved_ids` or `ids_resolved` and their like.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from schemas.records import SourceUnit
from schemas.settings.ingest import IngestSettings
from transforms.formats.arguments import canonical_text
from transforms.formats.contract import OpenFile
from transforms.formats.documents import load_sidecar
from transforms.formats.rewards import CONFLICTING_LABEL, convert_reward, number_said
from transforms.reading.failures import RecordError, UnreadableError
from transforms.reading.lake import Listing
from transforms.reading.strict_json import DUPLICATE_KEY

RUN_REPORTS: Final = ("report.json", "results.json")
EVALUATION_FOLDER: Final = "run_evaluation"
EVALUATION_ERROR: Final = "evaluation_error"
UNREADABLE_REPORT: Final = "unreadable_report"
UNREADABLE_LABEL: Final = "unreadable_label"
"""Warning: a report's `resolved` is there but neither true nor false by the conversion table."""
_LISTS: Final = (
    ("resolved_ids", "ids_resolved", "resolved"),
    ("unresolved_ids", "ids_unresolved", "unresolved", "empty_patch_ids"),
    ("error_ids", "incomplete_ids"),
)
"""Lists of a run's report: ids that were resolved, that were not, and that were not judged."""
_WATCHED: Final = frozenset({name for names in _LISTS for name in names} | {"patch_successfully_applied"})
_ROLLOUT_FILES: Final = (".traj", ".traj.gz", ".traj.json", ".traj.json.gz")


class Verdict(NamedTuple):
    """What the reports say of one instance.

    `stated` is the first label found, `resolved` the one to use: None when the reports contradict themselves.
    `written` is a label that is no plain boolean, as the first such report has it.
    """

    stated: bool | None = None
    resolved: bool | None = None
    tests_passed: int | None = None
    tests_failed: int | None = None
    warnings: tuple[str, ...] = ()
    written: str | None = None


def find_reports(uri: str, instance_id: str, listing: Listing, *, run: str) -> tuple[str, ...]:
    """Return the reports that may speak of the rollout at `uri`, sorted.

    Those in its own folder and those above it always do. A report in an evaluation folder elsewhere does when its path
    names the rollout's run, or when the lake holds only one rollout of the instance: else it would be a guess.
    """
    folders = _folders_above(uri)
    found = {path for folder in folders for name in RUN_REPORTS if (path := f"{folder}{name}") in listing.known}
    elsewhere = [
        path
        for path in listing.by_folder_and_name.get((instance_id, "report.json"), [])
        if EVALUATION_FOLDER in path.split("/")
    ]
    elsewhere += listing.by_folder_and_name.get((EVALUATION_FOLDER, "report.json"), [])
    is_only_one = sum(len(listing.named(f"{instance_id}{suffix}")) for suffix in _ROLLOUT_FILES) == 1
    of_run = [path for path in elsewhere if run and run in path.split("/")]
    found.update(of_run or (elsewhere if is_only_one else []))
    return tuple(sorted(found))


def read_reports(unit: SourceUnit, open_file: OpenFile, settings: IngestSettings) -> list[tuple[str, Any]]:
    """Return path and content of a unit's reports; None stands for one that is unreadable or contradicts itself."""
    return [(uri, _report(uri, open_file, settings)) for uri in unit.sidecars]


def _report(uri: str, open_file: OpenFile, settings: IngestSettings) -> Any:
    try:
        parsed = load_sidecar(uri, open_file, settings, watched=_WATCHED)
    except (RecordError, UnreadableError, OSError):
        return None
    return None if DUPLICATE_KEY in parsed.warnings else parsed.value


def entries_of(reports: Iterable[tuple[str, Any]], instance_id: str) -> tuple[dict[str, Any], ...]:
    """Return what reports say of one instance alone; what they say of others belongs to other rollouts."""
    found = (_entry(path, report, instance_id) for path, report in reports)
    return tuple({"report": entry} for entry in found if entry is not None)


def outcome_fields(verdict: Verdict, reward_range: tuple[float, float]) -> dict[str, Any]:
    """Return the outcome columns of a header, filled from a verdict."""
    said = None if verdict.stated is None else str(verdict.stated).lower()
    written = said if verdict.written is None else verdict.written
    return {
        "reward": convert_reward(verdict.resolved, reward_range).value,
        "reward_raw": written,
        "reward_name": None if written is None else "resolved",
        "success": verdict.resolved,
        "tests_passed": verdict.tests_passed,
        "tests_failed": verdict.tests_failed,
    }


def _folders_above(uri: str) -> list[str]:
    parts = uri.split("/")[:-1]
    return ["/".join(parts[:count]) + "/" if count else "" for count in range(len(parts), -1, -1)]


def verdict_of(reports: Iterable[tuple[str, Any]], instance_id: str) -> Verdict:
    """Return what parsed reports say of an instance.

    A label that contradicts itself (`resolved` although the patch did not apply, or two reports that differ) is no
    label.

    Args:
        reports: Path and parsed content; None for a report that could not be read.
        instance_id: The instance.
    """
    answers: list[bool] = []
    warnings: set[str] = set()
    passed: int | None = None
    failed: int | None = None
    written: str | None = None
    for path, report in reports:
        if report is None:
            warnings.add(UNREADABLE_REPORT)
            continue
        entry = _entry(path, report, instance_id)
        if entry is not None:
            answer, text = _label(entry["resolved"])
            written = text if written is None else written
            passed, failed = _test_counts(entry.get("tests_status"))
            warnings |= _faults(answer, entry)
        else:
            answer, has_failed = _listed(report, instance_id)
            warnings |= {EVALUATION_ERROR} if has_failed else set()
        if answer is not None:
            answers.append(answer)
    if len(set(answers)) > 1:
        warnings.add(CONFLICTING_LABEL)
    stated = answers[0] if answers else None
    resolved = stated if CONFLICTING_LABEL not in warnings else None
    return Verdict(stated, resolved, passed, failed, tuple(sorted(warnings)), written)


def _label(raw: Any) -> tuple[bool | None, str | None]:
    """Return a label by the conversion table, and as it is written where that is not a plain boolean."""
    if isinstance(raw, bool):
        return raw, None
    number = number_said(raw)
    answer = bool(number) if number in (0.0, 1.0) else None
    return answer, raw if isinstance(raw, str) else canonical_text(raw)


def _faults(answer: bool | None, entry: dict[str, Any]) -> set[str]:
    if answer is None:
        return {UNREADABLE_LABEL}
    return {CONFLICTING_LABEL} if answer and entry.get("patch_successfully_applied") is False else set()


def _entry(path: str, report: Any, instance_id: str) -> dict[str, Any] | None:
    """Return the report of the instance itself, if this is one."""
    if not isinstance(report, dict):
        return None
    is_of_run = any(isinstance(report.get(name), list) for names in _LISTS for name in names)
    entry = report.get(instance_id, report if instance_id in path.split("/") and not is_of_run else None)
    return entry if isinstance(entry, dict) and entry.get("resolved") is not None else None


def _listed(report: Any, instance_id: str) -> tuple[bool | None, bool]:
    """Return the answer of a run's report, and whether it lists the instance as failed to evaluate."""
    if not isinstance(report, dict):
        return None, False
    resolved, unresolved, unjudged = _LISTS
    if _names(report, *resolved, instance_id=instance_id):
        return True, False
    if _names(report, *unresolved, instance_id=instance_id):
        return False, False
    return None, _names(report, *unjudged, instance_id=instance_id)


def _names(report: dict[str, Any], *keys: str, instance_id: str) -> bool:
    return any(isinstance(report.get(key), list) and instance_id in report[key] for key in keys)


def _test_counts(status: Any) -> tuple[int | None, int | None]:
    if not isinstance(status, dict):
        return None, None
    groups = [group for group in status.values() if isinstance(group, dict)]
    counts = [
        sum(len(group[name]) for group in groups if isinstance(group.get(name), list))
        for name in ("success", "failure")
    ]
    return counts[0], counts[1]
