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


@pytest.mark.parametrize(
    ("raw", "resolved", "written"),
    [
        ("true", True, "true"),
        ("False", False, "False"),
        (1, True, "1"),
        (0, False, "0"),
        ("1.0", True, "1.0"),
        ([True], True, "[true]"),
    ],
)
def test_label_is_read_by_the_conversion_table(raw, resolved, written):
    verdict = verdict_of([("i/report.json", {"i": {"resolved": raw}})], "i")
    assert (verdict.resolved, verdict.warnings) == (resolved, ())
    columns = outcome_fields(verdict, (0.0, 1.0))
    assert (columns["reward"], columns["reward_raw"], columns["reward_name"]) == (resolved, written, "resolved")


@pytest.mark.parametrize("raw", ["maybe", 0.5, 7, ["i", "j"], {"a": 1}])
def test_label_without_a_rule_is_named(raw):
    verdict = verdict_of([("i/report.json", {"i": {"resolved": raw}})], "i")
    assert (verdict.resolved, verdict.warnings) == (None, ("unreadable_label",))
    assert outcome_fields(verdict, (0.0, 1.0))["reward_name"] == "resolved"


def test_count_of_a_run_is_no_label_of_an_instance():
    report = {"resolved": 1, "resolved_ids": ["j"], "unresolved_ids": ["i"]}
    assert verdict_of([("i/report.json", report)], "i") == Verdict(False, False)
