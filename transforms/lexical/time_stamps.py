"""Time stamps in task statements: when a task was handed out is no part of what it asks for."""

import re
from typing import Final

STAMP: Final = "⟨time⟩"
"""Stands where a time stamp stood."""

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec"
_MONTH = rf"(?:{_MONTHS}|january|february|march|april|june|july|august|september|october|november|december)\.?"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_ZONE = r"\s?(?:z|utc|gmt|est|edt|pst|pdt|cet|cest)\b|\s?[+-]\d{2}:?\d{2}"
_TIME = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?:{_ZONE})?"
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s+\d{{4}})"
)
_EPOCH = r"\d{10}(?:\d{3})?(?:\.\d+)?\b"
_MOMENT = rf"{_WEEKDAY}{_DAY}(?:(?:t|,?\s+(?:at\s+)?){_TIME})?"
_INTRODUCED_BY = (
    r"as of|today(?:'s date)? is|todays date is|(?:the )?current (?:date|time|date and time|datetime) is|it is now"
    r"|now is|the date is|the time is"
    r"|(?:current |today's )?(?:date|time|datetime|timestamp|date and time)\s*[:=]"
)

_INTRODUCED = re.compile(rf"\b(?P<cue>{_INTRODUCED_BY})\s*(?:{_MOMENT}|{_TIME}|{_EPOCH})", re.IGNORECASE)
_LEADING = re.compile(
    rf"^(?P<open>[ \t]*[\[(<]?){_MOMENT}(?=[\])>]|\s*[:,;|–—]|\s+-\s|[ \t]*$)", re.IGNORECASE | re.MULTILINE
)
_TO_THE_SECOND = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}[t ]\d{{2}}:\d{{2}}:\d{{2}}(?:[.,]\d+)?(?:{_ZONE})?", re.IGNORECASE
)


def without_time_stamps(text: str) -> str:
    """Return the text with every time stamp replaced by `STAMP`, so that texts that differ in nothing else are equal.

    A stamp is a date or time that says when the text was written: one that words such as "as of" or "timestamp:"
    introduce (also as seconds since 1970), one at the head of a line ("[2026-11-30] …"), or an ISO date with a time to
    the second. A date in a sentence ("book a flight on 2024-05-20") is what the task is about and stays.
    """
    text = _INTRODUCED.sub(lambda match: f"{match['cue']} {STAMP}", text)
    text = _TO_THE_SECOND.sub(STAMP, text)
    return _LEADING.sub(lambda match: f"{match['open']}{STAMP}", text)
