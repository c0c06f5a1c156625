"""Our own catalogue of secrets: what each kind looks like, as patterns that Hyperscan and RE2 read alike, over UTF-8.

The one pass searches all patterns together; only the rules that it names run theirs again, to find the places. Where a
pattern has a group, the group is the secret and the rest its context.

A fixed prefix has no left boundary: in logs it stands behind an escaped newline or glued to a name. Only prefixes that
are also the end of English words, or so short that base64 text holds them, ask for a separator on the left. A NUL
stands between the texts that are scanned together and for every placeholder: no class may hold it.
"""

from typing import Final

from transforms.redaction.announced import ANNOUNCED
from transforms.redaction.calls import CALLS
from transforms.redaction.commands import COMMANDS
from transforms.redaction.forms import DECLARATIONS, FRAMES, LINKS
from transforms.redaction.made import MADE
from transforms.redaction.rule import LEFT, LEFT_OF_NAME, Rule, context, fixed
from transforms.redaction.told import TOLD
from transforms.redaction.values import is_literal, is_no_sequence, is_noise, is_public_address, is_random
from transforms.redaction.vendor_forms import VENDOR_FORMS

_BLANK: Final = r"(?:[ +]|%20)"
_KEY_NAME: Final = _BLANK + r"(?:[A-Z0-9]{2,10}" + _BLANK + r"){0,3}PRIVATE" + _BLANK + r"KEY"
_NO_RULE: Final = r"(?:[^-\x00]|-{1,3}[^-\x00])"
"""A byte of what lines up to a rule of dashes are made of: a key, and what stands before its lines, whatever it is."""
_TOKEN_LINES: Final = r"(?:(?:\r?\n|\\+n)[ \t]{0,16}[A-Za-z0-9/+]{40,})*"
"""Further lines of a wrapped token; words and paths have no such stretches."""
_BODY: Final = r"[A-Za-z0-9+/=%\\]"
_MORE_LINES: Final = r"(?:" + _NO_RULE + r"{0,80}?[A-Za-z0-9+/=]{40,})"
"""Numbers, times, names of files, frames, quotes, signs of a difference and of comments stand between two lines."""

_GOES_ON: Final = r"(?:[\"'] ?\+?\s{0,24}[\"'][A-Za-z0-9_-]{12,})?"
"""The rest of a token that is written as two strings in a row."""


def _is_whole_token(value: bytes, following: bytes) -> bool:
    """Say whether a token ends where its letters end: base64 text that begins with the same four letters goes on.

    Six `A` in a row are the zeros of bytes that are no token: one in a billion that are drawn has as many.
    """
    return following not in {b"+", b"/", b"="} and b"AAAAAA" not in value and is_random(value, following)


_KEY_BLOCKS = (
    fixed(
        "PRIVATE_KEY",
        r"-{4,5} ?BEGIN" + _KEY_NAME + _NO_RULE + r"{0,24}?-{4,}"
        r"(?:(?:\\+[nr]|[^A-Za-z0-9\x00]){0,16}?" + _BODY + r"{16,}|" + _NO_RULE + r"{0,160}?" + _BODY + r"{40,})"
        r"(?:" + _NO_RULE + r"*?-{4,} ?END" + _KEY_NAME + r"(?:" + _BLANK + r"BLOCK)? ?-{4,5}|" + _MORE_LINES + r"*"
        r"(?:[^A-Za-z0-9\x00]{1,24}[A-Za-z0-9+/]{2,63}==)?)",
        trigger=r"-{4} ?BEGIN" + _KEY_NAME + r"[^\x00]{0,740}" + _BODY + r"{16}",
    ),
    fixed(
        "PRIVATE_KEY",
        r"[A-Za-z0-9+/=]{40,}"
        + _MORE_LINES
        + r"*"
        + _NO_RULE
        + r"{0,80}?(?:[A-Za-z0-9+/=]{1,39}"
        + _NO_RULE
        + r"{0,80}?)?"
        r"-{4,} ?END" + _KEY_NAME,
        trigger=r"-{4,} ?END" + _KEY_NAME,
    ),
    fixed(
        "PRIVATE_KEY",
        r"(Private-Lines: [0-9]{1,3}[^:\x00]{0,400}[A-Za-z0-9+/=]{40}[^:\x00]*?)"
        r"(?:\\+[nr]|[^A-Za-z0-9\x00])*Private-MAC",
        trigger=r"Private-Lines: [0-9]",
    ),
    fixed("PRIVATE_KEY", r"Private-Lines: [0-9]{1,3}" + _MORE_LINES + r"+", trigger=r"Private-Lines: [0-9]"),
    fixed("PRIVATE_KEY", r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,}"),
    fixed("PRIVATE_KEY", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
)

_CLOUDS = (
    context(
        "AWS_SECRET",
        r"A[KS]IA[A-Z0-9]{16}[\"']?[\s,:|/]{1,24}(?:[0-9]{4}-[0-9T:.Z+-]{6,26}[\s,|]{1,4})?[\"']?((?:[A-Za-z0-9/+]|%2[BFbf]){40})(?:[^A-Za-z0-9/+%\x00]|$)",
        accept=is_literal,
    ),
    context("AWS_SIGNATURE", r"AWS4-HMAC-SHA256[^\n\x00]*?Signature=([a-f0-9]{64})", accept=is_literal),
    fixed("AWS_KEY", r"A[KSBC][IC]A[A-Z0-9]{16}", accept=is_no_sequence),
    context("AWS_SIGNATURE", r"X-Amz-(?:Signature|Security-Token)=([A-Za-z0-9%/+_-]{32,})", accept=is_literal),
    fixed(
        "AWS_SESSION_TOKEN",
        r"(?:F[Qw]oGZXIvYXdz|IQoJb3JpZ2lu|AQoDYXdz)(?:[A-Za-z0-9/+_-]|%2[BFbf]|\\+/){40,}"
        + _TOKEN_LINES
        + r"(?:={1,2}|(?:%3[Dd]){1,2})?",
    ),
    fixed(
        "AWS_SESSION_TOKEN", LEFT + r"((?:FwoG|IQoJ)[A-Za-z0-9/+]{60,}" + _TOKEN_LINES + r"={0,2})", accept=is_random
    ),
    fixed("GOOGLE_KEY", r"AIza[A-Za-z0-9_-]{35}"),
    fixed("GOOGLE_KEY", r"ya29\.[A-Za-z0-9_-]{20,}"),
    fixed("GOOGLE_KEY", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    context(
        "AZURE_KEY", r"\b[kK]ey ?[12]\b[^\n\x00]{0,40}?[^A-Za-z0-9+/\x00-]([A-Za-z0-9+/]{86}==)", accept=is_random
    ),
    context(
        "AZURE_KEY",
        r"fs\.azure\.account\.key\.[^\s\x00\"']{1,100}[\"']?[\s,:=]{1,20}[\"']?([A-Za-z0-9+/]{86}==)",
        accept=is_literal,
    ),
    context("AZURE_KEY", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})", accept=is_literal),
    fixed("AZURE_KEY", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    context("AZURE_KEY", r"(?:[?&;]|\\u0026)sig=([A-Za-z0-9%/+]{40,}={0,2})", accept=is_random),
    fixed("DIGITALOCEAN_TOKEN", r"do[opr]_v1_[a-f0-9]{64}"),
    fixed("DATABRICKS_TOKEN", r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    fixed("VAULT_TOKEN", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    fixed("TERRAFORM_TOKEN", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    fixed("PULUMI_TOKEN", r"pul-[a-f0-9]{40}"),
    fixed("TAILSCALE_KEY", r"tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,}"),
    fixed("PLANETSCALE_TOKEN", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
    fixed("SUPABASE_TOKEN", r"sb(?:p|_secret)_[A-Za-z0-9_-]{20,}"),
    fixed("ALIBABA_KEY", LEFT + r"(LTAI[A-Za-z0-9]{12,24})", accept=is_random),
    fixed("DOPPLER_TOKEN", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}"),
)

_FORGES = (
    fixed("GITHUB_TOKEN", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    fixed("GITHUB_TOKEN", r"github_pat_[A-Za-z0-9_]{22,}"),
    fixed(
        "GITLAB_TOKEN",
        r"gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas)-[A-Za-z0-9_.-]{20,}",
    ),
    fixed("NPM_TOKEN", r"npm_[A-Za-z0-9]{36}"),
    fixed("PYPI_TOKEN", r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    fixed("RUBYGEMS_KEY", r"rubygems_[a-f0-9]{48}"),
    fixed("CLOJARS_TOKEN", r"CLOJARS_[a-z0-9]{60}"),
    fixed("CRATES_TOKEN", LEFT + r"(cio[A-Za-z0-9]{32})"),
    fixed("DOCKER_TOKEN", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    fixed("POSTMAN_KEY", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    fixed("LINEAR_KEY", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    fixed("NOTION_TOKEN", r"(?:secret|ntn)_[A-Za-z0-9]{40,}"),
    fixed("AIRTABLE_TOKEN", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
)

_SERVICES = (
    fixed("SLACK_TOKEN", r"xox[abeoprs]-[A-Za-z0-9.-]{10,}" + _GOES_ON),
    fixed("SLACK_TOKEN", r"xapp-[0-9]-[A-Z0-9]{6,}-[0-9]+-[A-Za-z0-9]{16,}"),
    context(
        "SLACK_WEBHOOK",
        r"services\\*/T[A-Z0-9]{8,12}\\*/B[A-Z0-9]{8,12}\\*/([A-Za-z0-9]{20,})",
        accept=is_literal,
    ),
    context(
        "SLACK_WEBHOOK",
        r"hooks\.slack\.com(?::[0-9]{2,5} \"?(?:GET|POST) )?(?:/|%2[Ff])"
        r"(?:services|workflows|triggers)(?:/|%2[Ff])([A-Za-z0-9/%_-]{20,})",
        accept=is_literal,
    ),
    context(
        "DISCORD_WEBHOOK",
        r"discord(?:app)?\.com(?:/|%2[Ff])api(?:/|%2[Ff])webhooks(?:/|%2[Ff])[0-9]+(?:/|%2[Ff])([A-Za-z0-9_-]{40,})",
        accept=is_literal,
    ),
    fixed("TELEGRAM_TOKEN", r"[0-9]{8,10}(?::|%3[Aa])AA[A-Za-z0-9_-]{33}"),
    fixed(
        "DISCORD_TOKEN",
        LEFT + r"((?:M[Tjz]|N[DTjz]|O[DT])[A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
        accept=is_random,
    ),
    fixed("MAILGUN_KEY", LEFT_OF_NAME + r"(key-[0-9a-f]{32})"),
    fixed("SONAR_TOKEN", r"sq[upa]_[0-9a-f]{40}"),
    fixed("CONTENTFUL_TOKEN", r"CFPAT-[A-Za-z0-9_-]{43}"),
    fixed("TYPEFORM_TOKEN", r"tfp_[A-Za-z0-9_.-]{40,}"),
    fixed("RESEND_KEY", LEFT + r"(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,})", accept=is_random),
    fixed("NUGET_KEY", LEFT + r"(oy2[a-z0-9]{43})"),
    fixed("STRIPE_KEY", r"[spr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    fixed("STRIPE_KEY", r"whsec_[A-Za-z0-9+/=]{24,}"),
    fixed("SENDGRID_KEY", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    fixed("TWILIO_KEY", LEFT + r"(SK[0-9a-f]{32})"),
    context(
        "TWILIO_KEY",
        r"AC[0-9a-f]{32}[\\\"']{0,3}[\s,:|]{1,4}[\\\"']{0,3}([0-9a-f]{32})(?:[^A-Za-z0-9\x00]|$)",
        accept=is_literal,
    ),
    fixed("SHOPIFY_TOKEN", r"shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}"),
    fixed("SQUARE_TOKEN", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
    fixed("GRAFANA_TOKEN", r"gl(?:sa|c)_[A-Za-z0-9+/]{32,}(?:_[a-f0-9]{8})?={0,2}"),
    fixed("MAILCHIMP_KEY", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    fixed("FACEBOOK_TOKEN", r"EAA[A-Za-z0-9]{90,}"),
    fixed("FACEBOOK_TOKEN", LEFT + r"(EAAC[A-Za-z0-9]{32,})", accept=_is_whole_token),
    fixed("README_KEY", r"rdme_[a-z0-9]{40,}"),
    fixed("ATLASSIAN_TOKEN", r"AT[AC]TT3[A-Za-z0-9_=-]{60,}"),
    fixed("NEW_RELIC_KEY", r"NRAK-[A-Z0-9]{27}"),
    fixed("SENTRY_TOKEN", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
)

_MODEL_HOSTS = (
    fixed("ANTHROPIC_KEY", r"sk-ant-[A-Za-z0-9_-]{20,}" + _GOES_ON),
    fixed("OPENROUTER_KEY", r"sk-or-(?:v[0-9]-)?[A-Za-z0-9]{32,}"),
    fixed("OPENAI_KEY", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}" + _GOES_ON),
    fixed("OPENAI_KEY", r"sk-[A-Za-z0-9]{16,30}T3BlbkFJ[A-Za-z0-9]{16,}"),
    fixed("OPENAI_KEY", LEFT + r"(sk-[A-Za-z0-9]{32,})"),
    fixed("MODEL_HOST_KEY", LEFT + r"(sk-(?:[a-z0-9]{2,12}-){1,3}[A-Za-z0-9_-]{24,})", accept=is_random),
    fixed("NVIDIA_KEY", r"nvapi-[A-Za-z0-9_-]{40,}"),
    fixed("HF_TOKEN", r"hf_[A-Za-z0-9]{30,}"),
    fixed("HF_TOKEN", r"api_org_[A-Za-z0-9]{30,}"),
    fixed("GROQ_KEY", r"gsk_[A-Za-z0-9]{40,}"),
    fixed("REPLICATE_TOKEN", r"r8_[A-Za-z0-9]{37}"),
    fixed("XAI_KEY", r"xai-[A-Za-z0-9]{60,}"),
    fixed("PERPLEXITY_KEY", r"pplx-[A-Za-z0-9]{40,}"),
    fixed("LANGSMITH_KEY", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    fixed("FIREWORKS_KEY", LEFT + r"(fw_[A-Za-z0-9]{20,})", accept=is_random),
    fixed("WANDB_KEY", r"wandb_v1_[A-Za-z0-9_-]{30,}", accept=is_random),
    fixed("TAVILY_KEY", r"tvly-[A-Za-z0-9-]{20,}"),
)

_UNNAMED = (
    Rule(
        "SECRET",
        LEFT_OF_NAME + r"([a-z]{2,10}_[A-Za-z0-9]{32,})",
        accept=is_noise,
        trigger=r"[a-z]_[A-Za-z0-9]{32}",
    ),
    context(
        "SECRET",
        r"[a-z]{2,12}_(?:live|prod|pat|sk|secret|tok)_([A-Za-z0-9]{20,})",
        accept=is_random,
    ),
)

SECRET_RULES: Final[tuple[Rule, ...]] = (
    *_KEY_BLOCKS,
    *_CLOUDS,
    *_FORGES,
    *_SERVICES,
    *_MODEL_HOSTS,
    *VENDOR_FORMS,
    *ANNOUNCED,
    *FRAMES,
    *LINKS,
    *MADE,
    *_UNNAMED,
    *DECLARATIONS,
    *COMMANDS,
    *CALLS,
    *TOLD,
)
"""In order of precedence: where two rules claim a place, the earlier one names it."""

PERSONAL_RULES: Final[tuple[Rule, ...]] = (
    fixed("EMAIL", r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}"),
    fixed(
        "PHONE",
        r"(?:^|[^0-9A-Za-z.+_-])((?:\+[0-9]{1,3}[ .-]?)?\(?[0-9]{2,4}\)?[ .-][0-9]{3,4}[ .-][0-9]{3,4}"
        r"|\+[0-9]{8,15})\b",
    ),
    fixed(
        "IP_ADDRESS",
        r"(?:^|[^0-9A-Za-z.])((?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9]))\b",
        accept=is_public_address,
    ),
)
"""The optional layer: personal data in its plainest forms."""
