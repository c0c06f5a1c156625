"""Random tokens with a word for credentials near them, whatever stands between: before, behind, on the line above.

Seen from the value, not from the name: letters of both cases and digits mixed as no word, hash, path or id mixes them.
"""

import re
from collections.abc import Iterator
from typing import Final

import re2

from transforms.redaction.columns import Place
from transforms.redaction.long_tokens import FEWEST_BYTES, FEWEST_OF_ONE_CASE, MOST_BYTES, long_tokens
from transforms.redaction.maintained import Finding
from transforms.redaction.one_pass import byte_options
from transforms.redaction.stretches import spans_of
from transforms.redaction.values import is_literal, is_opaque

CUE_PATTERN: Final = (
    r"(?i:passw|passphrase|passcode|[_-]pass\b|secret|token(?:$|[^iI])|credential|\bcreds?\b|bearer|\bauth(?:$|[^o])"
    r"|authoriz|api.?key|\bkeys?\b|[_-]key\b|\blog.?in\b|session|cookie|\bsign(?:ed|ing|ature)\b|webhook|\botp\b"
    r"|\bvault\b|private|\bpat\b|\bjwt\b|\bpwd\b|\bunseal|licen[sc]e (?:key|code))"
)
"""Words that speak of credentials: too common to look for values behind each, enough beside a random token."""
_FIND_CUE: Final = spans_of(re2.compile(CUE_PATTERN.encode(), byte_options()))
_REACH_BEFORE: Final = 120
_REACH_BEHIND: Final = 80
_REACH_ABOVE: Final = 160
_HEX = re.compile(rb"[0-9a-fA-F.:/_-]+\Z")
_PLAIN_PATH = re.compile(rb"[a-z_./-]+\Z")
_PUBLIC_LABEL: Final = (
    r"(?:[^A-Za-z](?i:sha-?[0-9]*|md5|hash|digest|integrity|checksum|commit|rev|revision|ref|etag|trace|span"
    r"|uuid|guid|finger"
    r"print|ssh-[a-z0-9]+|ecdsa-[a-z0-9-]+|base64|h1|nonce|salt|boundary|public.?key|pub.?key|ids?"
    r"|cursor|page.?token|node|version|tag|image|file|path|name|url|uri|href|src|slug|model|x5[ct]|kid|cid|tid|thread"
    r"|call|message|request|response|chunk|block|address|addr|wallet|mail|user|username|host|bucket|region)"
    r"|[a-z]I[dD]s?)"
    r"[\"'`\]]{0,2} ?(?:is|[:=#@,>-]{0,3}) ?[\[(\"'`]{0,2}\z"
)
"""What stands before a token that names it as public, and the byte before: RE2 reads it from the end back."""
_FIND_LABEL: Final = spans_of(re2.compile(_PUBLIC_LABEL.encode(), byte_options()))
_LONGEST_LABEL: Final = 32
_ID_FORM = re.compile(
    rb"(?:call|toolu|chatcmpl|msg|req|run|thread|step|asst|resp|rs|fc|evt|cus|pi|ch|in|sub|price|prod|item|obj"
    rb"|gen|batch"
    rb"|file|vs|ws|acct|usr|user|org|proj|trace|span|srvtoolu|tool|id|job|task|build|deploy|snap|vol|subnet|vpc|sg|ami"
    rb"|arn|eni|igw|rtb|ftjob|event|resource|test)[_-]"
)
_PUBLIC_BEGINNINGS: Final = (
    *(b"AAAA", b"MII", b"iVBOR", b"/9j/", b"R0lGOD", b"UEsDB", b"H4sI", b"JVBER", b"sha", b"d09GM", b"PHN2Z", b"SHA"),
)
_FILE_END = re.compile(rb"\.[a-z][a-z0-9]{0,4}\Z")
_ALONE_BEFORE = re.compile(rb"(?:\n|\\n|\A|\x00)[ \t>$#|*-]*(?:\xe2\x94\x82 ?)?[\"'`]{0,3}\Z")
_ALONE_BEHIND = re.compile(rb"[\"'`.]{0,3}[ \t|]*(?:\xe2\x94\x82)?(?:\r?\n|\\n|\Z|\x00)")
_BREAK = re.compile(rb"\r?\n|\\n")
_MOST_BREAKS: Final = 3


def near_values(text: bytes) -> Iterator[Finding]:
    """Yield the places of random tokens that a word for credentials stands near.

    Args:
        text: Texts with a NUL between them and over what is found.
    """
    for start, end in noise(text):
        if not _has_public_label(text, start) and _has_cue(text, start, end):
            yield start, end, "SECRET"


def noise(text: bytes) -> Iterator[Place]:
    """Yield the places of random tokens that by themselves are no ids, files or pictures."""
    for start, end in long_tokens(text):
        value = text[start:end]
        if _is_noise(value, text[end : end + 1]) and _is_free(value):
            yield start, end


def _is_noise(value: bytes, following: bytes) -> bool:
    """Say whether a token is random, and in more letters than a hash has."""
    if not FEWEST_BYTES <= len(value) <= MOST_BYTES or _HEX.match(value):
        return False
    if value.isalpha() or _PLAIN_PATH.match(value):
        return False
    if (value.islower() or value.isupper()) and (len(value) < FEWEST_OF_ONE_CASE or not value.isalnum()):
        return False
    return is_opaque(value, following) and is_literal(value, following)


def _is_free(value: bytes) -> bool:
    """Say whether its form makes a token no id, file or picture."""
    return not (value.startswith(_PUBLIC_BEGINNINGS) or _ID_FORM.match(value) or _FILE_END.search(value))


def _has_public_label(text: bytes, start: int) -> bool:
    """Say whether the label before a token makes it an id, a hash or a file."""
    before = text[start - _LONGEST_LABEL - 1 : start] if start > _LONGEST_LABEL else b"\n" + text[:start]
    return _FIND_LABEL(before, 0, len(before))[0][0] >= 0


def _has_cue(text: bytes, start: int, end: int) -> bool:
    """Say whether a cue stands before or behind a token on its line, or above one that is alone on its line."""
    before = text[max(0, start - _REACH_BEFORE) : start].rpartition(b"\x00")[2]
    line = _BREAK.split(before)[-1]
    if _has_word(line):
        return True
    behind = _BREAK.split(text[end : end + _REACH_BEHIND], 1)[0].partition(b"\x00")[0]
    if _has_word(behind):
        return True
    if not _ALONE_BEFORE.search(text, max(0, start - 40), start) or not _ALONE_BEHIND.match(text, end):
        return False
    above = text[max(0, start - _REACH_ABOVE) : start].rpartition(b"\x00")[2]
    lines = [each for each in _BREAK.split(above)[-_MOST_BREAKS - 1 : -1] if each.strip(b" \t`\r")]
    return bool(lines) and not lines[-1].startswith(b"-----") and _has_word(lines[-1])


def _has_word(text: bytes) -> bool:
    """Say whether a cue stands in a text."""
    return _FIND_CUE(text, 0, len(text))[0][0] >= 0
