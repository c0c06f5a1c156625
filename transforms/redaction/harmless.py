"""Values that names of secrets stand before and that are none: their own form, or what is before them, says so.

A name such as `token` or `key` speaks for what follows it. These forms speak against it: they are made to be shown.
"""

import re
from typing import Final

_REACH: Final = 128
"""Bytes before a value that can say what it is: a link to a commit fits in."""

_FORM = re.compile(
    rb"(?P<public>(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?"
    rb"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    rb"|(?:19|20)[0-9]{6}T[0-9]{6}Z?"
    rb"|(?:PBKDF2|PBE|(?i:sha)-?[0-9]{1,3})[wW]ith[A-Za-z0-9]{3,24}"
    rb"|(?:SHA256:|h1:)[A-Za-z0-9+/]{43}=?"
    rb"|arn:aws[a-z-]*:kms:[a-z0-9-]*:[0-9]{12}:(?:key|alias)/[A-Za-z0-9/_-]{1,256})"
    rb"|(?P<uuid>(?:mrk-)?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})"
    rb"|(?P<commit>(?:(?:-/)?(?:commits?|blob|tree|raw|compare|archive)/)?[0-9a-f]{40}(?:[/.?#][^\x00]*)?)"
    rb"|(?P<host>@.*)"
    rb"|(?P<test>[a-z]{1,12}[0-9]{0,4}(?:[_.-](?:[A-Z]?[a-z]{1,12}|[a-z]{1,8}[0-9]{1,4}|[0-9]{1,6})){1,6})"
)
"""Public alone: a time, a fingerprint of a public key or of a module, an algorithm, the name of a key in its vault."""

_BEFORE: Final = {
    "uuid": re.compile(
        rb"(?:(?i:kms[ _-]?(?:master[ _-]?)?(?:key)?[ _-]?(?:id|arn)?)[\\\"']{0,4}\s*[:=]\s*[\\\"']{0,4}"
        rb"|:kms:[a-z0-9-]{0,24}:[0-9]{12}:key/)\Z"
    ),
    "commit": re.compile(
        rb"(?:github|gitlab|bitbucket|codeberg|githubusercontent)[a-z0-9.-]{0,40}\.(?:com|org|io)[/:]"
        rb"[A-Za-z0-9_.-]{1,64}/[A-Za-z0-9_.-]{1,64}(?:\.git)?/(?:-/)?"
        rb"(?:(?:commits?|blob|tree|raw|compare|archive)/)?\Z"
    ),
    "host": re.compile(rb"://[^\s\x00/:@\"'<>\\]{0,64}:(?i:password|passwd|pass|pwd|secret|token)\Z"),
    "test": re.compile(rb"\btest_[a-z0-9_]{1,80}\[\Z"),
}
"""What must stand before the other forms: at the host, a user and a password that is a name elsewhere."""

_NAME_IN_VAULT_FOLLOWS: Final = b":secret:"
_VAULT = re.compile(rb"\barn:aws[a-z-]*:secretsmanager:[a-z0-9-]*:[0-9]{12}:secret:\Z")
"""What the name follows that a secret goes by in its vault."""
_CACHE_KEY = re.compile(
    rb"(?i)(?:\bcache[ _-]?key[\\\"']{0,4}\s*[:=]\s*[\\\"']{0,4}"
    rb"|\bcache (?:is |was )?(?:restored|saved|hit|found|not found|miss)[a-z, ]{0,24}\bkeys?: ?[\"']?"
    rb"|\brestore-keys: ?[\"']?)\Z"
)


def tells_of_cache(text: bytes) -> bool:
    """Say whether a text may hold the key of a cache; few do, and looking before each value is half of the work."""
    return b"ache" in text or b"ACHE" in text or b"restore-keys" in text


def is_harmless(text: bytes, start: int, end: int, *, is_of_cache: bool = True) -> bool:
    """Say whether a value that a name speaks for is one that is made to be shown.

    Args:
        text: The text.
        start: Where the value begins.
        end: Where it ends.
        is_of_cache: Whether the text may hold the key of a cache.
    """
    first = start - _REACH if start > _REACH else 0
    if is_of_cache and tells_of_cache(before := text[first:start]) and _CACHE_KEY.search(before):
        return True
    if text.endswith(_NAME_IN_VAULT_FOLLOWS, first, start) and _VAULT.search(text[first:start]):
        return True
    form = _FORM.fullmatch(text, start, end)
    if form is None or form.lastgroup is None:
        return False
    if form.lastgroup == "public":
        return True
    is_ended = form.lastgroup != "test" or text[end : end + 1] == b"]"
    return is_ended and _BEFORE[form.lastgroup].search(text[first:start]) is not None
