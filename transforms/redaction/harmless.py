"""Values that names of secrets stand before and that are none: their own form, or what is before them, says so.

A name such as `token` or `key` speaks for what follows it. These forms speak against it: they are made to be shown.
"""

import re
from typing import Final

_REACH: Final = 128
"""Bytes before a value that can say what it is: a link to a commit fits in."""

_PUBLIC = re.compile(
    rb"(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?"
    rb"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    rb"|(?:19|20)[0-9]{6}T[0-9]{6}Z?"
    rb"|(?:SHA256:|h1:)[A-Za-z0-9+/]{43}=?"
    rb"|arn:aws[a-z-]*:kms:[a-z0-9-]*:[0-9]{12}:(?:key|alias)/[A-Za-z0-9/_-]{1,256}"
)
"""A time, a fingerprint of a public key or of a module, the name of a key that never leaves its vault."""

_UUID = re.compile(rb"(?:mrk-)?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")
_KEY_IN_VAULT = re.compile(
    rb"(?:(?i:kms[ _-]?(?:master[ _-]?)?(?:key)?[ _-]?(?:id|arn)?)[\\\"']{0,4}\s*[:=]\s*[\\\"']{0,4}"
    rb"|:kms:[a-z0-9-]{0,24}:[0-9]{12}:key/)\Z"
)

_CACHE_KEY = re.compile(
    rb"(?i)(?:\bcache[ _-]?key[\\\"']{0,4}\s*[:=]\s*[\\\"']{0,4}"
    rb"|\bcache (?:is |was )?(?:restored|saved|hit|found|not found|miss)[a-z, ]{0,24}\bkeys?: ?[\"']?"
    rb"|\brestore-keys: ?[\"']?)\Z"
)

_OF_COMMIT = re.compile(rb"(?:(?:-/)?(?:commits?|blob|tree|raw|compare|archive)/)?[0-9a-f]{40}(?:[/.?#][^\x00]*)?")
_REPOSITORY = re.compile(
    rb"(?:github|gitlab|bitbucket|codeberg|githubusercontent)[a-z0-9.-]{0,40}\.(?:com|org|io)[/:]"
    rb"[A-Za-z0-9_.-]{1,64}/[A-Za-z0-9_.-]{1,64}(?:\.git)?/(?:-/)?(?:(?:commits?|blob|tree|raw|compare|archive)/)?\Z"
)

_OF_TEST = re.compile(rb"[a-z]{1,12}[0-9]{0,4}(?:[_.-](?:[A-Z]?[a-z]{1,12}|[a-z]{1,8}[0-9]{1,4}|[0-9]{1,6})){1,6}")
_TEST = re.compile(rb"\btest_[a-z0-9_]{1,80}\[\Z")

_LOGIN = re.compile(rb"://[^\s\x00/:@\"'<>\\]{0,64}:(?i:password|passwd|pass|pwd|secret|token)\Z")
"""The user and the password of an address, the latter a word that is a name elsewhere."""


def is_harmless(text: bytes, start: int, end: int) -> bool:
    """Say whether a value that a name speaks for is one that is made to be shown."""
    value = text[start:end]
    if _PUBLIC.fullmatch(value):
        return True
    before = text[max(0, start - _REACH) : start]
    if value[:1] == b"@":
        return _LOGIN.search(before) is not None
    if _CACHE_KEY.search(before):
        return True
    if _UUID.fullmatch(value):
        return _KEY_IN_VAULT.search(before) is not None
    if _OF_COMMIT.fullmatch(value):
        return _REPOSITORY.search(before) is not None
    return text[end : end + 1] == b"]" and _OF_TEST.fullmatch(value) is not None and _TEST.search(before) is not None
