import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.time_stamps import STAMP, without_time_stamps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As of 2026-11-30, count the rows.", f"As of {STAMP}, count the rows."),
        ("as of November 30, 2026 count the rows.", f"as of {STAMP} count the rows."),
        ("Today is Monday, 30 Nov 2026. Count.", f"Today is {STAMP}. Count."),
        ("The current time is 14:03:22 UTC. Count.", f"The current time is {STAMP}. Count."),
        ("Current date: 2026/11/30 14:03\nCount.", f"Current date: {STAMP}\nCount."),
        ("[2026-11-30 14:03] Count the rows.", f"[{STAMP}] Count the rows."),
        ("2026-11-30: count the rows.", f"{STAMP}: count the rows."),
        ("Started 2026-11-30T14:03:22.123Z for you", f"Started {STAMP} for you"),
        ("Timestamp: 1764000001\nCount.", f"Timestamp: {STAMP}\nCount."),
        ("Count.\n30.11.2026\nRows.", f"Count.\n{STAMP}\nRows."),
    ],
)
def test_what_says_when_a_text_was_written_is_a_stamp(text: str, expected: str) -> None:
    assert without_time_stamps(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Book a flight from JFK to SEA on 2024-05-20.",
        "Book a flight on May 20, 2024 in the morning.",
        "Cancel the meeting at 14:03.",
        "Move the meeting to 2026-12-01 10:30.",
        "Use version 1.2.3 of the parser in src/2024-05-20/run.py",
        "The report of 2024-05-20 must stay",
        "Convert 1764000001 to a date",
        "Split the ratio 3:20 into parts",
        "",
    ],
)
def test_a_date_that_the_task_is_about_stays(text: str) -> None:
    assert without_time_stamps(text) == text


@given(st.text(alphabet="ax 0123456789-:/.[]TZ\n,", max_size=60))
def test_a_text_without_its_stamps_has_no_more(text: str) -> None:
    once = without_time_stamps(text)
    assert without_time_stamps(once) == once
