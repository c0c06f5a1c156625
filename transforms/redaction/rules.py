"""The catalogue of secrets: what each kind looks like, as RE2 patterns over UTF-8 bytes.

A rule's `trigger` is searched in one pass together with all others; only the rules that it names run their `pattern`.
The two are equal unless the pattern starts with a counted class, which would make the one pass slow, or ends in an
open run, which it does not need. Where a pattern has a group, the group is the secret and the rest its context.

A fixed prefix has no left boundary: in logs it stands behind an escaped newline or glued to a name. Only prefixes that
are also the end of English words, or so short that base64 text holds them, ask for a separator on the left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from transforms.redaction.values import has_case_or_digit, is_literal, is_password, is_public_address, is_random

Accept = Callable[[bytes, bytes], bool]
"""Says of a value and the byte after its match whether it is a secret."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret in one form; `is_contextual` values are looked for bare in the same rollout too."""

    kind: str
    pattern: str
    trigger: str
    accept: Accept | None = None
    is_contextual: bool = False


def _fixed(kind: str, pattern: str, *, trigger: str | None = None) -> Rule:
    return Rule(kind, pattern, trigger or pattern)


def _context(kind: str, pattern: str, *, accept: Accept, trigger: str | None = None) -> Rule:
    return Rule(kind, pattern, trigger or pattern, accept, True)


_LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrt])"
_ASSIGN = r"[\\\"'\]]*\s*(?::\s*[A-Za-z]{1,12}\s*=|:=|=>|={1,3}|:)\s*"
_QUOTE = r"\\*[\"'`]"
_SUFFIX = r"(?:_(?:base|value|prod|dev|test|staging|live|[0-9]{1,2}))?"
_PASSWORD_NAME = r"(?i:passw(?:or)?d|passphrase|passwd|pwd)" + _SUFFIX
_SECRET_NAME = (
    r"(?i:secret|token|credentials?"
    r"|(?:api|access|private|secret|auth|signing|encryption|account|master|service|deploy|license)[_-]?key(?:[_-]id)?)"
    + _SUFFIX
)
_BARE_VALUE = r"([^\s\"'`\\,;&|<>(){}\[\]]{8,})"
_BARE_START = r"[^\s\"'`\\,;&|<>(){}\[\]]{8}"
_QUOTED_VALUE = r"([^\s\"'`\\]{8,})"
_QUOTED_START = r"[^\s\"'`\\]{8}"

_KEY_BLOCKS = (
    _fixed(
        "PRIVATE_KEY",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\+[nr]|[\s\"'+,]|[A-Za-z-]{4,20}: [^\n\\]*)*[A-Za-z0-9+/=]{16,}"
        r"(?:(?:[^-]|-[^-])*?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{32,})*)",
        trigger=r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY",
    ),
    _fixed("PRIVATE_KEY", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}", trigger=r"AGE-SECRET-KEY-1"),
)

_CLOUDS = (
    _context(
        "AWS_SECRET",
        r"A[KS]IA[A-Z0-9]{16}[\"']?[\s,:|]{1,4}[\"']?([A-Za-z0-9/+]{40})",
        accept=is_literal,
        trigger=r"A[KS]IA[A-Z0-9]{16}[\"']?[\s,:|]",
    ),
    _context(
        "AWS_SECRET",
        r"(?i:aws_?secret(?:_?access)?(?:_?key)?)[\\\"'\]]*\s*[=:]\s*[\\\"']*([A-Za-z0-9/+]{40})",
        accept=is_literal,
        trigger=r"(?i:aws_?secret)",
    ),
    _fixed("AWS_KEY", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}"),
    _context("AWS_SIGNATURE", r"X-Amz-(?:Signature|Security-Token)=([A-Za-z0-9%/+_-]{32,})", accept=is_literal),
    _fixed("GOOGLE_KEY", r"AIza[A-Za-z0-9_-]{35}"),
    _fixed("GOOGLE_KEY", r"ya29\.[A-Za-z0-9_-]{20,}", trigger=r"ya29\."),
    _fixed("GOOGLE_KEY", r"GOCSPX-[A-Za-z0-9_-]{20,}", trigger="GOCSPX-"),
    _context("AZURE_KEY", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})", accept=is_literal),
    _fixed("AZURE_KEY", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", trigger=r"[0-9]Q~"),
    _context("AZURE_KEY", r"[?&]sig=([A-Za-z0-9%/+]{40,}={0,2})", accept=is_random, trigger=r"[?&]sig="),
    _fixed("DIGITALOCEAN_TOKEN", r"do[opr]_v1_[a-f0-9]{64}", trigger=r"do[opr]_v1_"),
    _fixed("DATABRICKS_TOKEN", r"dapi[a-f0-9]{32}(?:-[0-9])?", trigger=r"dapi[a-f0-9]{12}"),
    _fixed("VAULT_TOKEN", r"hv[sbr]\.[A-Za-z0-9_-]{24,}", trigger=r"hv[sbr]\.[A-Za-z0-9_-]{8}"),
    _fixed("TERRAFORM_TOKEN", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}", trigger=r"\.atlasv1\."),
    _fixed("PULUMI_TOKEN", r"pul-[a-f0-9]{40}", trigger=r"pul-[a-f0-9]{12}"),
    _fixed("TAILSCALE_KEY", r"tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,}", trigger="tskey-"),
    _fixed("PLANETSCALE_TOKEN", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}", trigger="pscale_"),
    _fixed("SUPABASE_TOKEN", r"sb(?:p|_secret)_[A-Za-z0-9_-]{20,}", trigger=r"sb(?:p|_secret)_[A-Za-z0-9_-]{8}"),
    _fixed("DOPPLER_TOKEN", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}", trigger=r"dp\.[a-z]{2,5}\."),
)

_FORGES = (
    _fixed("GITHUB_TOKEN", r"gh[pousr]_[A-Za-z0-9]{36,255}", trigger=r"gh[pousr]_[A-Za-z0-9]{12}"),
    _fixed("GITHUB_TOKEN", r"github_pat_[A-Za-z0-9_]{22,}", trigger="github_pat_"),
    _fixed(
        "GITLAB_TOKEN",
        r"gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}",
        trigger=r"gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{12}",
    ),
    _fixed("NPM_TOKEN", r"npm_[A-Za-z0-9]{36}", trigger=r"npm_[A-Za-z0-9]{12}"),
    _fixed("PYPI_TOKEN", r"pypi-AgE[A-Za-z0-9_-]{40,}", trigger="pypi-AgE"),
    _fixed("RUBYGEMS_KEY", r"rubygems_[a-f0-9]{48}", trigger="rubygems_[a-f0-9]{8}"),
    _fixed("CRATES_TOKEN", _LEFT + r"(cio[A-Za-z0-9]{32})", trigger=_LEFT + r"cio[A-Za-z0-9]{12}"),
    _fixed("DOCKER_TOKEN", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}", trigger="dckr_"),
    _fixed("POSTMAN_KEY", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", trigger="PMAK-"),
    _fixed("LINEAR_KEY", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", trigger=r"lin_(?:api|oauth)_"),
    _fixed("NOTION_TOKEN", r"(?:secret|ntn)_[A-Za-z0-9]{40,}", trigger=r"(?:secret|ntn)_[A-Za-z0-9]{12}"),
    _fixed("AIRTABLE_TOKEN", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
)

_SERVICES = (
    _fixed("SLACK_TOKEN", r"xox[abeoprs]-[A-Za-z0-9.-]{10,}", trigger=r"xox[abeoprs]-"),
    _fixed("SLACK_TOKEN", r"xapp-[0-9]-[A-Z0-9]{6,}-[0-9]+-[A-Za-z0-9]{16,}", trigger=r"xapp-[0-9]-"),
    _context(
        "SLACK_WEBHOOK",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})",
        accept=is_literal,
        trigger=r"hooks\.slack\.com/",
    ),
    _context(
        "DISCORD_WEBHOOK",
        r"discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{40,})",
        accept=is_literal,
        trigger=r"/api/webhooks/",
    ),
    _fixed("TELEGRAM_TOKEN", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", trigger=r"[0-9]:AA[A-Za-z0-9_-]{12}"),
    _fixed("STRIPE_KEY", r"[spr]k_(?:live|test)_[A-Za-z0-9]{16,}", trigger=r"[spr]k_(?:live|test)_"),
    _fixed("STRIPE_KEY", r"whsec_[A-Za-z0-9+/=]{24,}", trigger="whsec_"),
    _fixed("SENDGRID_KEY", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", trigger=r"SG\.[A-Za-z0-9_-]{16}"),
    _fixed("TWILIO_KEY", _LEFT + r"(SK[0-9a-f]{32})", trigger=_LEFT + r"SK[0-9a-f]{12}"),
    _fixed("SHOPIFY_TOKEN", r"shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}", trigger=r"shp[a-z]{2}_[a-fA-F0-9]{8}"),
    _fixed("SQUARE_TOKEN", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}", trigger=r"sq0[a-z]{3}-"),
    _fixed(
        "GRAFANA_TOKEN", r"gl(?:sa|c)_[A-Za-z0-9+/]{32,}(?:_[a-f0-9]{8})?={0,2}", trigger=r"gl(?:sa|c)_[A-Za-z0-9]{8}"
    ),
    _fixed("NEW_RELIC_KEY", r"NRAK-[A-Z0-9]{27}", trigger="NRAK-"),
    _fixed("SENTRY_TOKEN", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}", trigger=r"sntry[su]_"),
)

_MODEL_HOSTS = (
    _fixed("ANTHROPIC_KEY", r"sk-ant-[A-Za-z0-9_-]{20,}", trigger="sk-ant-"),
    _fixed("OPENROUTER_KEY", r"sk-or-(?:v[0-9]-)?[A-Za-z0-9]{32,}", trigger="sk-or-"),
    _fixed(
        "OPENAI_KEY", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}", trigger=r"sk-(?:proj|svcacct|admin|None)-"
    ),
    _fixed("OPENAI_KEY", r"sk-[A-Za-z0-9]{16,30}T3BlbkFJ[A-Za-z0-9]{16,}", trigger="T3BlbkFJ"),
    _fixed("OPENAI_KEY", _LEFT + r"(sk-[A-Za-z0-9]{32,})", trigger=_LEFT + r"sk-[A-Za-z0-9]{12}"),
    _fixed("HF_TOKEN", r"hf_[A-Za-z0-9]{30,}", trigger=r"hf_[A-Za-z0-9]{12}"),
    _fixed("HF_TOKEN", r"api_org_[A-Za-z0-9]{30,}", trigger="api_org_"),
    _fixed("GROQ_KEY", r"gsk_[A-Za-z0-9]{40,}", trigger=r"gsk_[A-Za-z0-9]{12}"),
    _fixed("REPLICATE_TOKEN", r"r8_[A-Za-z0-9]{37}", trigger=r"r8_[A-Za-z0-9]{12}"),
    _fixed("XAI_KEY", r"xai-[A-Za-z0-9]{60,}", trigger=r"xai-[A-Za-z0-9]{12}"),
    _fixed("PERPLEXITY_KEY", r"pplx-[A-Za-z0-9]{40,}", trigger=r"pplx-[A-Za-z0-9]{12}"),
    _fixed("LANGSMITH_KEY", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", trigger=r"lsv2_"),
    _fixed("TAVILY_KEY", r"tvly-[A-Za-z0-9-]{20,}", trigger=r"tvly-"),
)

_CONTEXTS = (
    _fixed(
        "JWT",
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,})?",
        trigger=r"eyJ[A-Za-z0-9_-]{10,}\.eyJ",
    ),
    _context(
        "URL_PASSWORD",
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'<>\\]*:([^\s/@\"'<>\\]{3,})@",
        accept=is_literal,
        trigger=r"[a-z]://[^\s/:@\"'<>\\]*:[^\s/@\"'<>\\]+@",
    ),
    _context(
        "AUTH_HEADER",
        r"(?i:authorization)[\\\"'\]]*\s*[:=,]\s*[\\\"'f]*(?i:bearer|basic|token|digest|apikey|key)\s+"
        r"([A-Za-z0-9._~+/=:-]{8,})",
        accept=has_case_or_digit,
        trigger=r"(?i:authorization)[\\\"'\]]*\s*[:=,]\s*[\\\"'f]*(?i:bearer|basic|token|digest|apikey|key)\s",
    ),
    _context(
        "AUTH_HEADER",
        r"(?i:authorization|bearer)[\\\"'\]]*\s*[:=, ]\s*[\\\"']*([A-Za-z0-9._~+/=-]{16,})",
        accept=is_random,
        trigger=r"(?i:authorization|bearer)[\\\"'\]]*\s*[:=, ]\s*[\\\"']*[A-Za-z0-9._~+/=-]{16}",
    ),
    _context(
        "PASSWORD",
        _PASSWORD_NAME + r"(?:" + _ASSIGN + r"|[\\\"']*,\s*)[rbfu]?" + _QUOTE + _QUOTED_VALUE + _QUOTE,
        accept=is_password,
        trigger=_PASSWORD_NAME + r"(?:" + _ASSIGN + r"|[\\\"']*,\s*)[rbfu]?" + _QUOTE + _QUOTED_START,
    ),
    _context(
        "PASSWORD",
        _PASSWORD_NAME + _ASSIGN + _BARE_VALUE,
        accept=is_random,
        trigger=_PASSWORD_NAME + _ASSIGN + _BARE_START,
    ),
    _context(
        "SECRET",
        _SECRET_NAME + r"(?:" + _ASSIGN + r"|[\\\"']*,\s*)[rbfu]?" + _QUOTE + _QUOTED_VALUE + _QUOTE,
        accept=is_random,
        trigger=_SECRET_NAME + r"(?:" + _ASSIGN + r"|[\\\"']*,\s*)[rbfu]?" + _QUOTE + _QUOTED_START,
    ),
    _context(
        "SECRET",
        _SECRET_NAME + _ASSIGN + _BARE_VALUE,
        accept=is_random,
        trigger=_SECRET_NAME + _ASSIGN + _BARE_START,
    ),
    _context(
        "SECRET",
        r"[A-Z0-9]_(?:KEY|PAT|AUTH)=[\\\"']*([A-Za-z0-9+/=_.~-]{16,})",
        accept=is_random,
        trigger=r"[A-Z0-9]_(?:KEY|PAT|AUTH)=[\\\"']*[A-Za-z0-9+/=_.~-]{16}",
    ),
    _context(
        "SECRET",
        r"--(?:api-?key|(?:auth-|access-)?token|secret(?:-key)?|password)[ =]+[\\\"']*([^\s\"'`\\<>|;&()]{8,})",
        accept=is_random,
        trigger=r"--(?:api-?key|(?:auth-|access-)?token|secret(?:-key)?|password)[ =]",
    ),
    _context(
        "PASSWORD",
        r"(?:curl [^\n|;]{0,200}? (?:-u|--user)[ =]?[\\\"']*[^\s:\"']{1,64}:|sshpass -p[ =]?[\\\"']*"
        r"|login\s+\S+\s+password\s+)([^\s\"'`\\@]{4,})",
        accept=is_literal,
        trigger=r" (?:-u|--user)[ =]?[\\\"']*[^\s:\"']{1,64}:|sshpass -p|login\s+\S+\s+password\s",
    ),
)

SECRET_RULES: Final[tuple[Rule, ...]] = (*_KEY_BLOCKS, *_CLOUDS, *_FORGES, *_SERVICES, *_MODEL_HOSTS, *_CONTEXTS)
"""In order of precedence: where two rules claim a place, the earlier one names it."""

PERSONAL_RULES: Final[tuple[Rule, ...]] = (
    _fixed(
        "EMAIL", r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}", trigger=r"@[A-Za-z0-9-]+\."
    ),
    Rule(
        "PHONE",
        r"(?:^|[^0-9A-Za-z.+_-])((?:\+[0-9]{1,3}[ .-]?)?\(?[0-9]{2,4}\)?[ .-][0-9]{3,4}[ .-][0-9]{3,4}"
        r"|\+[0-9]{8,15})\b",
        r"[0-9]{2,4}\)?[ .-][0-9]{3,4}[ .-][0-9]{3,4}|\+[0-9]{8}",
    ),
    Rule(
        "IP_ADDRESS",
        r"(?:^|[^0-9A-Za-z.])((?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9]))\b",
        r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]",
        is_public_address,
    ),
)
"""The optional layer: personal data in its plainest forms."""
