"""Our own catalogue of secrets: what each kind looks like, as patterns that Hyperscan and RE2 read alike, over UTF-8.

The one pass searches all patterns together; only the rules that it names run theirs again, to find the places. Where a
pattern has a group, the group is the secret and the rest its context.

A fixed prefix has no left boundary: in logs it stands behind an escaped newline or glued to a name. Only prefixes that
are also the end of English words, or so short that base64 text holds them, ask for a separator on the left. A NUL
stands between the texts that are scanned together and for every placeholder: no class may hold it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from transforms.redaction.values import (
    has_case_or_digit,
    has_random_pair,
    is_literal,
    is_login,
    is_noise,
    is_password,
    is_public_address,
    is_random,
)

Accept = Callable[[bytes, bytes], bool]
"""Says of a value and the byte after its match whether it is a secret."""


_LEFT = r"(?:^|[^A-Za-z0-9]|\\[nrt])"
_LEFT_OF_NAME = r"(?:^|[^A-Za-z0-9_-]|\\[nrt])"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret in one form, `is_contextual` also bare; `trigger` is found wherever the pattern is."""

    kind: str
    pattern: str
    accept: Accept | None = None
    is_contextual: bool = False
    trigger: str = ""

    @property
    def sought(self) -> str:
        """What the one pass looks for: without letters at its very beginning a pattern costs it half its speed."""
        return self.trigger or self.pattern.removeprefix(_LEFT).removeprefix(_LEFT_OF_NAME)


def _fixed(kind: str, pattern: str, *, accept: Accept | None = None) -> Rule:
    return Rule(kind, pattern, accept)


def _context(kind: str, pattern: str, *, accept: Accept) -> Rule:
    return Rule(kind, pattern, accept, True)


_CLOSE = r"(?:[\\\"'\]`]|u0022|&quot;|&#34;|%22)*"
_QUOTE = r"(?:\\*[\"'`]|\\*u0022|&quot;|&#34;|%22)"

_KEY_BLOCKS = (
    _fixed(
        "PRIVATE_KEY",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\+[nr]|[\s\"'+,]|[A-Za-z-]{4,20}: [^\n\\\x00]*)*[A-Za-z0-9+/=]{16,}"
        r"(?:(?:[^-\x00]|-[^-\x00])*?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{32,})*)",
    ),
    _fixed("PRIVATE_KEY", r"Private-Lines: [0-9]{1,3}(?:(?:\\+[nr]|\s)+[A-Za-z0-9+/=]{16,})+"),
    _fixed("PRIVATE_KEY", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,}"),
    _fixed("PRIVATE_KEY", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
)

_CLOUDS = (
    _context(
        "AWS_SECRET",
        r"A[KS]IA[A-Z0-9]{16}[\"']?[\s,:|]{1,4}[\"']?([A-Za-z0-9/+]{40})",
        accept=is_literal,
    ),
    _context("AWS_SIGNATURE", r"AWS4-HMAC-SHA256[^\n\x00]*?Signature=([a-f0-9]{64})", accept=is_literal),
    _fixed("AWS_KEY", r"A[KSBC][IC]A[A-Z0-9]{16}"),
    _context("AWS_SIGNATURE", r"X-Amz-(?:Signature|Security-Token)=([A-Za-z0-9%/+_-]{32,})", accept=is_literal),
    _fixed("GOOGLE_KEY", r"AIza[A-Za-z0-9_-]{35}"),
    _fixed("GOOGLE_KEY", r"ya29\.[A-Za-z0-9_-]{20,}"),
    _fixed("GOOGLE_KEY", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    _context("AZURE_KEY", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})", accept=is_literal),
    _fixed("AZURE_KEY", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    _context("AZURE_KEY", r"[?&]sig=([A-Za-z0-9%/+]{40,}={0,2})", accept=is_random),
    _fixed("DIGITALOCEAN_TOKEN", r"do[opr]_v1_[a-f0-9]{64}"),
    _fixed("DATABRICKS_TOKEN", r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    _fixed("VAULT_TOKEN", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    _fixed("TERRAFORM_TOKEN", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    _fixed("PULUMI_TOKEN", r"pul-[a-f0-9]{40}"),
    _fixed("TAILSCALE_KEY", r"tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,}"),
    _fixed("PLANETSCALE_TOKEN", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
    _fixed("SUPABASE_TOKEN", r"sb(?:p|_secret)_[A-Za-z0-9_-]{20,}"),
    _fixed("ALIBABA_KEY", _LEFT + r"(LTAI[A-Za-z0-9]{12,24})", accept=is_random),
    _fixed("DOPPLER_TOKEN", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}"),
)

_FORGES = (
    _fixed("GITHUB_TOKEN", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _fixed("GITHUB_TOKEN", r"github_pat_[A-Za-z0-9_]{22,}"),
    _fixed(
        "GITLAB_TOKEN",
        r"gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    _fixed("NPM_TOKEN", r"npm_[A-Za-z0-9]{36}"),
    _fixed("PYPI_TOKEN", r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    _fixed("RUBYGEMS_KEY", r"rubygems_[a-f0-9]{48}"),
    _fixed("CRATES_TOKEN", _LEFT + r"(cio[A-Za-z0-9]{32})"),
    _fixed("DOCKER_TOKEN", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    _fixed("POSTMAN_KEY", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _fixed("LINEAR_KEY", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    _fixed("NOTION_TOKEN", r"(?:secret|ntn)_[A-Za-z0-9]{40,}"),
    _fixed("AIRTABLE_TOKEN", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
)

_SERVICES = (
    _fixed("SLACK_TOKEN", r"xox[abeoprs]-[A-Za-z0-9.-]{10,}"),
    _fixed("SLACK_TOKEN", r"xapp-[0-9]-[A-Z0-9]{6,}-[0-9]+-[A-Za-z0-9]{16,}"),
    _context(
        "SLACK_WEBHOOK",
        r"hooks\.slack\.com(?:/|%2[Ff])(?:services|workflows|triggers)(?:/|%2[Ff])([A-Za-z0-9/%_-]{20,})",
        accept=is_literal,
    ),
    _context(
        "DISCORD_WEBHOOK",
        r"discord(?:app)?\.com(?:/|%2[Ff])api(?:/|%2[Ff])webhooks(?:/|%2[Ff])[0-9]+(?:/|%2[Ff])([A-Za-z0-9_-]{40,})",
        accept=is_literal,
    ),
    _fixed("TELEGRAM_TOKEN", r"[0-9]{8,10}(?::|%3[Aa])AA[A-Za-z0-9_-]{33}"),
    _fixed(
        "DISCORD_TOKEN",
        _LEFT + r"((?:M[Tjz]|N[DTjz]|O[DT])[A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
        accept=is_random,
    ),
    _fixed("MAILGUN_KEY", _LEFT_OF_NAME + r"(key-[0-9a-f]{32})"),
    _fixed("SONAR_TOKEN", r"sq[upa]_[0-9a-f]{40}"),
    _fixed("CONTENTFUL_TOKEN", r"CFPAT-[A-Za-z0-9_-]{43}"),
    _fixed("TYPEFORM_TOKEN", r"tfp_[A-Za-z0-9_.-]{40,}"),
    _fixed("RESEND_KEY", _LEFT + r"(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,})", accept=is_random),
    _fixed("NUGET_KEY", _LEFT + r"(oy2[a-z0-9]{43})"),
    _fixed("STRIPE_KEY", r"[spr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _fixed("STRIPE_KEY", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _fixed("SENDGRID_KEY", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _fixed("TWILIO_KEY", _LEFT + r"(SK[0-9a-f]{32})"),
    _fixed("SHOPIFY_TOKEN", r"shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}"),
    _fixed("SQUARE_TOKEN", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
    _fixed("GRAFANA_TOKEN", r"gl(?:sa|c)_[A-Za-z0-9+/]{32,}(?:_[a-f0-9]{8})?={0,2}"),
    _fixed("MAILCHIMP_KEY", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    _fixed("FACEBOOK_TOKEN", r"EAA[A-Za-z0-9]{90,}"),
    _fixed("ATLASSIAN_TOKEN", r"AT[AC]TT3[A-Za-z0-9_=-]{60,}"),
    _fixed("NEW_RELIC_KEY", r"NRAK-[A-Z0-9]{27}"),
    _fixed("SENTRY_TOKEN", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
)

_MODEL_HOSTS = (
    _fixed("ANTHROPIC_KEY", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    _fixed("OPENROUTER_KEY", r"sk-or-(?:v[0-9]-)?[A-Za-z0-9]{32,}"),
    _fixed("OPENAI_KEY", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"),
    _fixed("OPENAI_KEY", r"sk-[A-Za-z0-9]{16,30}T3BlbkFJ[A-Za-z0-9]{16,}"),
    _fixed("OPENAI_KEY", _LEFT + r"(sk-[A-Za-z0-9]{32,})"),
    _fixed("MODEL_HOST_KEY", _LEFT + r"(sk-(?:[a-z0-9]{2,12}-){1,3}[A-Za-z0-9_-]{24,})", accept=is_random),
    _fixed("NVIDIA_KEY", r"nvapi-[A-Za-z0-9_-]{40,}"),
    _fixed("HF_TOKEN", r"hf_[A-Za-z0-9]{30,}"),
    _fixed("HF_TOKEN", r"api_org_[A-Za-z0-9]{30,}"),
    _fixed("GROQ_KEY", r"gsk_[A-Za-z0-9]{40,}"),
    _fixed("REPLICATE_TOKEN", r"r8_[A-Za-z0-9]{37}"),
    _fixed("XAI_KEY", r"xai-[A-Za-z0-9]{60,}"),
    _fixed("PERPLEXITY_KEY", r"pplx-[A-Za-z0-9]{40,}"),
    _fixed("LANGSMITH_KEY", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    _fixed("TAVILY_KEY", r"tvly-[A-Za-z0-9-]{20,}"),
)

_FRAMES = (
    _fixed("JWT", r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{6,}){0,3}"),
    _context(
        "URL_PASSWORD",
        r"[A-Za-z0-9]://[^\s\x00/:@\"'<>\\]*:([^\s\x00/@\"'<>\\]{3,})@",
        accept=is_literal,
    ),
    _context("URL_PASSWORD", r"[A-Za-z0-9]://([A-Za-z0-9_.~%-]{16,})@", accept=is_random),
    _context(
        "AUTH_HEADER",
        r"(?i:authorization)[\\\"'\]]*\s*[:=,]\s*[\\\"'f]*(?i:bearer|basic|token|digest|apikey|key|bot|negotiate)\s+"
        r"([A-Za-z0-9._~+/=:-]{8,})",
        accept=has_case_or_digit,
    ),
    _context(
        "AUTH_HEADER",
        r"(?i:authorization|bearer)[\\\"'\]]*\s*[:=, ]\s*[\\\"']*([A-Za-z0-9._~+/=-]{16,})",
        accept=is_random,
    ),
    _context(
        "AUTH_HEADER",
        r"(?:^|[^A-Za-z0-9])_?auth" + _CLOSE + r"\s*[:=]\s*" + _QUOTE + r"?([A-Za-z0-9+/]{12,}={0,2})",
        accept=is_login,
    ),
    _context(
        "COOKIE",
        r"(?i:cookie)" + _CLOSE + r"\s*[:=,]\s*[\\\"']*([^\n\r\x00\"'\\]{16,})",
        accept=has_random_pair,
    ),
)

_UNNAMED = (
    Rule(
        "SECRET",
        _LEFT_OF_NAME + r"([a-z]{2,10}_[A-Za-z0-9]{32,})",
        accept=is_noise,
        trigger=r"[a-z]_[A-Za-z0-9]{32}",
    ),
    _context(
        "SECRET",
        r"[a-z]{2,12}_(?:live|prod|pat|sk|secret|tok)_([A-Za-z0-9]{20,})",
        accept=is_random,
    ),
)

_DECLARATIONS = (
    _context(
        "SECRET",
        r"(?:d|stringD)ata:\s*(?:\n|\\+n)((?:[ \t]+[A-Za-z0-9._-]{1,80}: *[\"']?[^\s\x00\\]{6,}\s*(?:\n|\\+n))+)"
        r"(?:immutable: \w+\s*(?:\n|\\+n))?kind: Secret",
        accept=is_literal,
    ),
)

_COMMANDS = (
    _context(
        "PASSWORD",
        r"(?:curl [^\n\x00|;]*?(?:-u|--user)[ =]?[\\\"']*[^\s\x00:\"']+:"
        r"|https? [^\n\x00|;]*?(?:-a|--auth)[ =]?[\\\"']*[^\s\x00:\"']+:"
        r"|sshpass -p[ =]?[\\\"']*|login\s+\S+\s+password\s+)([^\s\x00\"'`\\@]{4,})",
        accept=is_literal,
    ),
    _context(
        "PASSWORD",
        r"(?:(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n\x00|;]*? -p|redis-cli\b[^\n\x00|;]*? -a +"
        r"|docker login\b[^\n\x00|;]*? -p[ =]?|-pass(?:in|out)? +pass:)[\\\"']*([^\s\x00\"'`\\]{6,})",
        accept=is_password,
    ),
    _context(
        "PASSWORD",
        r"(?:(?i:identified (?:with [a-z0-9_]{1,40} )?by|password)\s+(?:as\s+)?\\*'|; ?(?i:pwd|password)=)"
        r"([^\s\x00'\"\\;]{6,})",
        accept=is_password,
    ),
    _context(
        "PASSWORD",
        r"(?:requirepass|masterauth|> ?(?i:auth))\s+[\\\"']*([^\s\x00\"'\\]{6,})",
        accept=is_random,
    ),
    _context(
        "PASSWORD",
        r"echo +(?:-n +)?[\\\"']*([^\s\x00\"'`\\|]{6,})[\\\"']* *\| *(?:sudo +-S|docker login)",
        accept=is_password,
    ),
)

SECRET_RULES: Final[tuple[Rule, ...]] = (
    *_KEY_BLOCKS,
    *_CLOUDS,
    *_FORGES,
    *_SERVICES,
    *_MODEL_HOSTS,
    *_FRAMES,
    *_UNNAMED,
    *_DECLARATIONS,
    *_COMMANDS,
)
"""In order of precedence: where two rules claim a place, the earlier one names it."""

PERSONAL_RULES: Final[tuple[Rule, ...]] = (
    _fixed("EMAIL", r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}"),
    _fixed(
        "PHONE",
        r"(?:^|[^0-9A-Za-z.+_-])((?:\+[0-9]{1,3}[ .-]?)?\(?[0-9]{2,4}\)?[ .-][0-9]{3,4}[ .-][0-9]{3,4}"
        r"|\+[0-9]{8,15})\b",
    ),
    _fixed(
        "IP_ADDRESS",
        r"(?:^|[^0-9A-Za-z.])((?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9]))\b",
        accept=is_public_address,
    ),
)
"""The optional layer: personal data in its plainest forms."""
