import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.run_labels import LABEL, without_run_labels


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Count the rows. (attempt 3)", f"Count the rows. (attempt {LABEL})"),
        ("Count the rows [Attempt #3 of 5].", f"Count the rows [Attempt {LABEL}]."),
        ("Run 3 of 20: count the rows.", f"Run {LABEL}: count the rows."),
        ("Trial 3/20 - count the rows.", f"Trial {LABEL} - count the rows."),
        ("Session 9f8e7d6c\nCount the rows.", f"Session {LABEL}\nCount the rows."),
        ("Count.\nRun id: 0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", f"Count.\nRun id {LABEL}"),
    ],
)
def test_what_says_which_run_it_is_is_a_label(text: str, expected: str) -> None:
    assert without_run_labels(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Compare run 3 of 20 with the first.",
        "Trial 3: the patient slept.",
        "Explain what went wrong (run 3).",
        "Restore session 9f8e7d6c for the customer.",
        "Session 12345678",
        "Session defaced",
        "",
    ],
)
def test_a_run_that_the_task_is_about_stays(text: str) -> None:
    assert without_run_labels(text) == text


@given(st.text(alphabet="aes run0123456789-:/.[]()\n,", max_size=60))
def test_a_text_without_its_labels_has_no_more(text: str) -> None:
    once = without_run_labels(text)
    assert without_run_labels(once) == once
