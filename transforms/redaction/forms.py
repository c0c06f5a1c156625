"""Secrets that the form of the text around them gives away: links, headers, cookies, keys as JSON, manifests."""

from transforms.redaction.rule import CLOSE, QUOTE, context, fixed
from transforms.redaction.values import (
    has_case_or_digit,
    has_random_pair,
    is_drawn,
    is_literal,
    is_login,
    is_opaque,
    is_password,
    is_random,
    is_url_password,
)

_OPEN = r"(?:[\\\"'`\[({]|u0022|&quot;|&#34;|%22|\\\\)*"
_FEWEST_SIGNS = 6
"""Of 50 characters drawn from Django's alphabet of 50, of which 14 are signs, 14 are signs on average."""
_VALUE = r"[A-Za-z0-9._~+/%-]"
_WRAPPED = r"(?:[A-Za-z0-9_-]|\\\r?\n)"
"""A character of base64 for links, in a text whose long lines a shell goes on with."""


def _is_django_key(value: bytes, _following: bytes) -> bool:
    """Say whether fifty characters of the alphabet that Django draws its keys from look drawn: signs all over."""
    return len(value.translate(None, b"!@#$%^&*(_=+)-")) <= len(value) - _FEWEST_SIGNS and not value.isalpha()


FRAMES = (
    fixed("DOCKER_TOKEN", r"eyJhdXRocyI6[A-Za-z0-9+/]{20,}={0,2}"),
    fixed("JWT", r"eyJ" + _WRAPPED + r"{10,}\." + _WRAPPED + r"{10,}(?:\." + _WRAPPED + r"{6,}){0,3}"),
    context(
        "URL_PASSWORD",
        r"[A-Za-z0-9]://[^\s\x00/:@\"'<>\\]*:([^\s\x00/\"'<>\\]{3,})@",
        accept=is_url_password,
    ),
    context("URL_PASSWORD", r"[A-Za-z0-9]://([A-Za-z0-9_.~%-]{16,})@", accept=is_random),
    context(
        "AUTH_HEADER",
        r"(?i:authorization)[\\\"'\]]*\s*[:=,]\s*[\\\"'f]*(?i:bearer|basic|token|digest|apikey|key|bot|negotiate)(?:\s|%20)+"
        r"([A-Za-z0-9._~+/=:-]{8,})",
        accept=has_case_or_digit,
    ),
    context(
        "AUTH_HEADER",
        r"(?i:authorization|bearer)[\\\"'\]]*\s*[:=, ]\s*[\\\"']*([A-Za-z0-9._~+/=-]{16,})",
        accept=is_random,
    ),
    context(
        "AUTH_HEADER",
        r"(?:^|[^A-Za-z0-9])_?auth" + CLOSE + r"\s*[:=]\s*" + QUOTE + r"?([A-Za-z0-9+/]{12,}={0,2})",
        accept=is_login,
    ),
    context(
        "AUTH_HEADER",
        r"(?:^|[^A-Za-z0-9])_?auth" + CLOSE + r"\s*[:=]\s*" + QUOTE + r"?([A-Za-z0-9._~+/-]{20,}={0,2})",
        accept=is_opaque,
    ),
    context(
        "COOKIE",
        r"(?i:cookie)" + CLOSE + r"\s*[:=,]\s*[\\\"']*([^\n\r\x00\"'\\]{16,})",
        accept=has_random_pair,
    ),
    context(
        "AUTH_HEADER",
        r"(?i:authorization)"
        + CLOSE
        + r"\s*(?:[:=,]|=>|value\W{2,6})\s*"
        + _OPEN
        + r"[A-Za-z][A-Za-z0-9_-]{1,24}[ =](?:[a-z_]+=)?"
        r"[\\\"']*([^\s\x00\"'\\,;]{12,})",
        accept=is_random,
    ),
    context(
        "AUTH_HEADER",
        r"(?i:authorization)[^\n\x00]*?(?:response|mac|signature|oauth_[a-z]+)=[\\\"']*([A-Za-z0-9+/%=_-]{20,})",
        accept=is_opaque,
    ),
    context("AUTH_HEADER", r"(?:Basic|basic|BASIC)\s+" + _OPEN + r"([A-Za-z0-9+/]{8,}={0,2})", accept=is_login),
    context("AUTH_HEADER", r"(?i:auth plain)\s+([A-Za-z0-9+/]{8,}={0,2})", accept=has_case_or_digit),
    context(
        "SIGNATURE",
        r"(?i:x-[a-z0-9-]*signature(?:-[a-z0-9]+)?)"
        + CLOSE
        + r"\s*[:=,]\s*"
        + _OPEN
        + r"(?:value[\"']: *[\"'])?(?:[a-z0-9]{2,8}=)?([A-Za-z0-9+/_-]{20,}={0,2})",
        accept=is_opaque,
    ),
    context(
        "COOKIE",
        r"(?i:cookies?)[^\n\x00]*?[=:,(]\s*[\\\"']*(?:s%3A)?([A-Za-z0-9%_.+/-]{20,}={0,2})",
        accept=is_opaque,
    ),
    context(
        "COOKIE",
        r"(?i:\bsid|sess(?:ion)?[_.-]?(?:id)?|sessionid|[cx]srf[a-z_-]*)(?:=|: )(?:s%3A)?"
        r"([A-Za-z0-9%_.+/-]{20,}={0,2})",
        accept=is_opaque,
    ),
    context(
        "COOKIE",
        r"[\"'](?i:[a-z0-9_.-]*sid|session[a-z_.-]*|[cx]srf[a-z_-]*)[\"'],\s*[\"'](?:[a-z]+[\"']:\s*[\"'])?([A-Za"
        r"-z0-9%_.+/-]{20,}={0,2})",
        accept=is_opaque,
    ),
    context(
        "SECRET",
        r"(?:\"auths?\"|-oauth\"|-token\"|\"http-basic\")\s*:\s*\{[^\n\x00]*?:\s*\"([A-Za-z0-9+/_=.-]{20,})\"",
        accept=is_opaque,
    ),
    context(
        "PASSWORD",
        r"(?i:password|passcode|secret|token|api key)[^\n\x00\"]{0,30}\\*\""
        r"(?:, *\\*\"[a-z]+\\*\": *\\*\"[^\n\x00\"]{0,40}\"){0,3}"
        r", *\\*\"(?:text|value)\\*\": *\\*\"([^\s\x00\"\\]{6,})",
        accept=is_password,
    ),
    context(
        "SECRET",
        r"(?i:secret[_ -]?key)[^\n\x00]{0,60}?(?:(?:\n|\\n)[^\n\x00]{0,20}?)?"
        r"[\s\"'`>(:=]([a-z0-9!@#$%^&*(_=+)-]{50})(?:[\s\"'`<),;\\]|$)",
        accept=_is_django_key,
    ),
    context(
        "SECRET",
        r"(?i:enter|paste|type|provide) (?:a |the |your |it )?(?:secret |new )?(?:value|here)[^\n\x00A-Za-z0-9]{1,4}"
        r"([^\s\x00\"'\\]{16,})",
        accept=is_opaque,
    ),
    context("SECRET", r"SecretString\W{1,8}([^\s\x00\"'\\]{8,})[\"'\\]", accept=is_password),
    context("PASSWORD", r"<Pass(?: [^\n\x00<>]{0,40})?>([^\s\x00<]{6,})</Pass>", accept=is_literal),
    context(
        "PASSWORD",
        r"334 UGFzc3dvcmQ6[^\n\x00]{0,8}(?:\r?\n|\\n)(?:[A-Z]: ?|[->]{1,3} ?)?([A-Za-z0-9+/]{8,}={0,2})",
        accept=is_literal,
    ),
    context(
        "PASSWORD",
        r"\[[a-z0-9.-]{4,64}\]:[0-9]{2,5}[ \t]+[^\s\x00:]{2,64}:([^\s\x00]{6,})",
        accept=is_literal,
        trigger=r"\]:[0-9]{2,5}[ \t]+[^\s\x00:]{2,64}:[^\s\x00]{6}",
    ),
    context(
        "PASSWORD",
        r"\"result\": ?\"([^\s\x00\"\\]{8,})\"[^\x00]{0,300}?random_password",
        accept=is_literal,
        trigger=r"random_password",
    ),
    context("PASSWORD", r"random_password[^\x00]{0,400}?\"result\": ?\"([^\s\x00\"\\]{8,})\"", accept=is_literal),
    context("COOKIE", r"\bli_at=([A-Za-z0-9_-]{20,})", accept=is_literal),
    context("COOKIE", r"\"sess(?:ion)?:(?:s%3A)?([A-Za-z0-9%_.+/-]{24,})", accept=is_opaque),
    context("COOKIE", r"django_session[^\n\x00]{0,80}\n[^\n\x00A-Za-z0-9]{0,4}([a-z0-9]{32})\b", accept=is_drawn),
    context(
        "COOKIE",
        r"(?:^|\n)[ \t]*(?:session|sid|sessionid)[ \t]{2,24}([A-Za-z0-9%_.-]{24,})",
        accept=is_drawn,
        trigger=r"\n[ \t]*(?:session|sid|sessionid)[ \t]{2}",
    ),
    context(
        "COOKIE",
        r"(?i:session[ _-]?id)[^\n\x00:=]{0,20}[:=] ?[\"']?([A-Za-z0-9%_.+/-]{20,})",
        accept=is_opaque,
    ),
    context("SECRET", r":rubygems(?:_api_key)?: ([^\s\x00]{16,})", accept=is_random),
    context("COOKIE", r"(?:TRUE|FALSE)\t[0-9]{1,12}\t[A-Za-z0-9_.-]+\t([^\s\x00]{16,})", accept=is_random),
)

LINKS = (
    context(
        "WEBHOOK",
        r"(?i:hook)[^\s\x00\"'<>?#\\]{0,200}(?:/|%2[Ff])([A-Za-z0-9_-]{20,})",
        accept=is_opaque,
    ),
    context(
        "LINK_TOKEN",
        r"(?:/(?:key|token|secret|integration|invite|reset|verify|confirm|activate|magic|unsubscribe|share|auth"
        r"|bot|ping)"
        r"|//hc-ping\.com|//webhook\.site)/([A-Za-z0-9_-]{20,})",
        accept=is_opaque,
    ),
    context("TELEGRAM_TOKEN", r"/bot[0-9]{8,10}:([A-Za-z0-9_-]{20,})", accept=is_opaque),
    context(
        "LINK_TOKEN",
        r"(?:[?&#]|\\u0026)(?i:(?:x-[a-z]+-)?signature|sign?|sig|hmac|jwt|code|key|k|appid|sid|session_?id|auth|ticket|otp|pass"
        r"|pwd|passwo?r?d|invite|nonce_token)="
        r"(" + _VALUE + r"{16,}={0,2})",
        accept=is_opaque,
    ),
)

DECLARATIONS = (
    context(
        "SECRET",
        r"(?:d|stringD)ata:\s*(?:\n|\\+n)((?:[ \t]+[A-Za-z0-9._-]{1,80}: *[\"']?[^\s\x00\\]{6,}\s*(?:\n|\\+n))+)"
        r"(?:immutable: \w+\s*(?:\n|\\+n))?kind: Secret",
        accept=is_literal,
    ),
    context(
        "SECRET",
        r"kind: Secret\s*(?:\n|\\+n)(?:[^\n\x00]*\n){0,12}?(?:d|stringD)ata:\s*(?:\n|\\+n)"
        r"((?:[ \t]+[A-Za-z0-9._-]{1,80}: *[\"']?[^\s\x00\\]{6,}\s*(?:\n|\\+n|$))+)",
        accept=is_literal,
        trigger=r"kind: Secret",
    ),
    context(
        "SECRET",
        r"\"data\":\s*\{\s*\"([A-Za-z0-9._-]{1,80}\":\s*\"[A-Za-z0-9+/=]{8,}\"[A-Za-z0-9+/=\"\s:,._-]*)\}[^\n\x00"
        r"{}]*\s*\"kind\":\s*\"Secret\"",
        accept=is_literal,
    ),
    context(
        "SECRET",
        r"\"kind\":\s*\"Secret\"[^\n\x00]*?\"data\":\s*\{\s*\"([A-Za-z0-9._-]{1,80}\":\s*\"[A-Za-z0-9+/=]{8,}\"[A"
        r"-Za-z0-9+/=\"\s:,._-]*)\}",
        accept=is_literal,
    ),
    context(
        "PRIVATE_KEY",
        r"[\"'](?:d|k|p|q|d[pq]|qi)\\*[\"']\s*:\s*\\*[\"']([A-Za-z0-9_-]{22,})",
        accept=is_opaque,
    ),
    fixed(
        "PASSWORD_HASH",
        r"\$(?:2[abxy]\$[0-9]{2}\$[A-Za-z0-9./]{22,}|(?:apr1|[1567]|g?y|sha1|argon2(?:id|i|d)|scrypt)\$"
        r"(?:[A-Za-z0-9./=,+-]{1,64}\$){1,4}[A-Za-z0-9./+=]{20,})",
    ),
    fixed(
        "PASSWORD_HASH",
        r"\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[A-Z0-9-]*)\}[A-Za-z0-9+/=.$]{20,}|(?:pbkdf2_sha(?:1|256|512)"
        r"|bcrypt_sha256)\$"
        r"[A-Za-z0-9./=,+$-]{30,}",
    ),
    context(
        "SECRET",
        r"name=[\\\"']*[^\s\x00\"'=]*(?i:pass|pwd|secret|token|key|cred|auth|cookie|code|otp|bearer"
        r"|pat)[^\s\x00\"'=]*[\"']"
        r"[^\n\x00]{0,80}?(?:\r?\n|\\r\\n)(?:[A-Z][^\n\x00]{0,80}?(?:\r?\n|\\r\\n))?(?:\r?\n|\\r\\n)([^\s\x00\\]{8,})",
        accept=is_random,
    ),
)
