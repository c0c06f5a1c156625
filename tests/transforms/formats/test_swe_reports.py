import pytest

from transforms.formats.swe_reports import Verdict, find_reports, outcome_fields, verdict_of
from transforms.reading.lake import Listing

ENTRY = {"resolved": True, "patch_successfully_applied": True}


@pytest.mark.parametrize(
    ("reports", "verdict"),
    [
        ([], Verdict()),
        ([("r/report.json", {"i": ENTRY})], Verdict(True, True)),
        ([("r/i/report.json", ENTRY)], Verdict(True, True)),
        ([("r/other/report.json", ENTRY)], Verdict()),
        ([("report.json", {"ids_resolved": ["i"]})], Verdict(True, True)),
        ([("report.json", {"unresolved_ids": ["i"], "resolved": 3})], Verdict(False, False)),
        ([("report.json", {"empty_patch_ids": ["i"]})], Verdict(False, False)),
        ([("report.json", {"error_ids": ["i"]})], Verdict(warnings=("evaluation_error",))),
        ([("report.json", None)], Verdict(warnings=("unreadable_report",))),
        ([("report.json", ["i"])], Verdict()),
        (
            [("r/i/report.json", {**ENTRY, "patch_successfully_applied": False})],
            Verdict(True, None, warnings=("conflicting_label",)),
        ),
        (
            [("a/report.json", {"i": ENTRY}), ("report.json", {"unresolved_ids": ["i"]})],
            Verdict(True, None, warnings=("conflicting_label",)),
        ),
        (
            [("r/report.json", {"i": {**ENTRY, "tests_status": {"P": {"success": ["a"], "failure": ["b", "c"]}}}})],
            Verdict(True, True, 1, 2),
        ),
    ],
)
def test_verdict(reports, verdict):
    assert verdict_of(reports, "i") == verdict


def test_verdict_fills_the_outcome():
    assert outcome_fields(Verdict(True, None, 1, 2), (0.0, 1.0)) == {
        "reward": None, "reward_raw": "true", "reward_name": "resolved", "success": None, "tests_passed": 1,
        "tests_failed": 2,
    }  # fmt: skip
    assert outcome_fields(Verdict(False, False), (0.0, 1.0))["reward"] == 0.0


def test_reports_beside_and_above_are_found_and_those_below_are_not():
    listing = Listing(("a/b/i.traj", "a/b/report.json", "a/b/c/report.json", "a/results.json", "report.json"))
    assert find_reports("a/b/i.traj", "i", listing, run="b") == ("a/b/report.json", "a/results.json", "report.json")
