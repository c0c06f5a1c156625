"""Names that a secret goes by, in any case and joining, and what the name alone says of its value."""

import re
from typing import Final

_JOINT: Final = r"[_. -]?"
_OWNERS: Final = (
    r"(?:api|access|private|secret|auth|signing|signature|sign|encryption|encrypt|decrypt|account|master|service"
    r"|deploy(?:er)?|licen[sc]e|serial|product|unlock|consumer|client|app|application|session|root|admin|storage"
    r"|shared|subscription|hmac|webhook|jwt|ssh|cipher|aes|fernet|gossip|bot|server|ingest|integration|vault"
    r"|unseal|functions|activation|wallet|signer|minter|validator|partner|vendor|reseller|device|tenant|pager|push|iot"
    r"|publish|project|write|role|anon|hub|bus|cosmos|search|maps?|field|recovery|host|data|instrumentation"
    r"|pre[_. -]?shared|wi-?fi|wlan|wpa[23]?|hotspot"
    r"|openai|anthropic|claude|gemini|groq|mistral|cohere|hugging[_-]?face|openrouter|together|fireworks|replicate"
    r"|deepseek|perplexity|tavily|serp|serper|pinecone|weaviate|qdrant|supabase|firebase|mapbox|datadog|dd"
    r"|new[_-]?relic"
    r"|sentry|segment|mixpanel|amplitude|algolia|elastic|sendgrid|mailgun|mailchimp|twilio|stripe|paypal|plaid|shopify"
    r"|github|gitlab|jira|slack|discord|telegram|aws|s3|azure|gcp|google|cloudflare|cf|heroku|vercel|netlify|fastly"
    r"|linode|npm|pypi|docker|wandb|comet|langsmith|langchain|eleven[_-]?labs|deepgram|runpod|weather|etherscan|infura"
    r"|alchemy|binance|coinbase|kraken)"
)
_PASSERS: Final = (
    r"(?:db|database|mail|smtp|imap|pop3?|ftp|sftp|ssh|admin|root|user|become|sudo|login|key|keystore|store"
    r"|trust|default"
    r"|redis|mysql|mariadb|postgres|pg|mongo|rabbit|ldap|proxy|wifi|wlan|app|service|svc|api|auth|bind|vpn|my|sa"
    r"|cert|ssl"
    r"|tls|jks|p12|pfx|pem|master|vault|backup|rpc|ro|rw)"
)
_WORDS: Final = (
    r"pwd|Pwd|PWD|(?:^|[^A-Za-z0-9+/])(?:psk|PSK|pw)|[a-z]Psk|[A-Z]PSK|(?i:passw(?:or)?d|passw(?:o?r)t|passphrase|pass[_-]?code|pincode"
    r"|secret|token|credential|bearer|_auth|mnemonic|apikey|keypass|storepass"
    r"|(?:^|[^A-Za-z])creds?|[a-z0-9][_. -]creds?"
    r"|(?:seed|recovery|secret|backup)" + _JOINT + r"phrase"
    r"|(?:recovery|backup|unlock|activation|licen[sc]e|access|scratch|redeem|invite|pairing)" + _JOINT + "code"
    r"|key[ _]?(?:content|material)|wep[_-]?key[0-9]?|psk[0-9]"
    r"|(?:basic|registry|docker|npm|http|proxy|redis|smtp|api)" + _JOINT + "auth|auth" + _JOINT + "(?:pair|config)"
    r"|(?:session|auth|erlang|login|remember)"
    + _JOINT
    + "cookie|(?:t?otp|[m2]fa|two[_. -]?fa|factor|authenticator)"
    + _JOINT
    + "(?:seed|key)"
    r"|(?:recovery|unseal|key)" + _JOINT + "share|" + _OWNERS + _JOINT + r"key)|[a-z]Creds?"
)
_GENERIC: Final = (
    r"[A-Za-z0-9][_.-]pass|[a-z0-9]Pass|[a-z0-9][_. -][kK]ey|[a-z0-9]Key|[a-z0-9][_. -][pP]at|[a-z]Pat|[a-z0-9]Pw"
)
_GENERIC_CAPITALS: Final = r"[A-Z0-9]_(?:PASS|KEY|PAT|AUTH|CREDS?|OTP|SIGNING|WEBHOOK|DSN)(?:_[0-9]{1,2})?"
_PASSES: Final = f"(?i:{_PASSERS}{_JOINT}pass|[_-]pw|(?:bind|root|admin|user|ldap|db|sql|svc|app|wi-?fi|wlan) ?pw)"
_SUFFIX: Final = r"(?i:s|[_-]?(?:base|value|prod|dev|test|staging|live))?"

NAME_PATTERN: Final = (
    f"(?:(?:{_WORDS}|{_GENERIC}){_SUFFIX}(?:[^a-z]|$)|(?:{_GENERIC_CAPITALS}|{_PASSES})(?:[^A-Za-z]|$)"
    "|[a-z0-9] pass[:=])"
)
"""A name and the character after it: no small letter, so that `tokenizer` and `secretly` are none."""

_PASSWORD: Final = re.compile(
    rb"(?i).?psk|pass|pwd|.?[_-]?pw|(?:bind|root|admin|user|ldap|db|sql|svc|app|wi-?fi|wlan) ?pw"
    rb"|key[ _]?(?:content|material)|wep|.[_.-]?pass|mnemonic|seed|recovery|backup"
    rb"|(?:wi-?fi|wlan|wpa[23]?|hotspot|pre[_. -]?shared)[_. -]?key"
    rb"|[a-z0-9]{1,9}[_. -]?pass|pincode|redis[_. -]?auth|keypass|storepass|secret[_. -]?phrase|unlock"
)
_LOOSE: Final = re.compile(
    rb"[A-Za-z0-9][_. -]?(?:[kK]ey|KEY|PAT|[pP]at|AUTH|CREDS?|OTP|SIGNING|WEBHOOK|DSN)(?![A-Za-z])|(?:host|data"
    rb"|search|field|role"
    rb"|write|project|product|dd|cf|s3)[_. -]?key"
)
_OTHER_THING: Final = re.compile(
    rb"(?i)[_.-]?(?:count|counts|len|length|type|types|hash|digest|url|uri|path|file|name|names|size|limit|usage|index"
    rb"|py|pyi|js|ts|tsx|go|rs|java|rb|c|h|cc|cpp|md|rst|txt|json|ya?ml|toml|html|css|sh|pos|ttl|arn|ids|class"
    rb"|cls|field|header|format|prefix|policy|version|expir[a-z]*|created[a-z_]*|checksum)\Z"
)
_SPELLED: Final = re.compile(
    rb"(?i).?(?:passw(?:or)?d|passphrase|pass[_-]?code|pwd|psk|key[ _]?(?:content|material)|wep"
    rb"|(?:wi-?fi|wlan|wpa[23]?|hotspot|pre[_. -]?shared)[_. -]?key)"
)
_PASSWORD_REST: Final = re.compile(rb"(?i)pass(?:w|phrase|code|$)|pwd$")
_PUBLIC: Final = re.compile(
    rb"(?i)(?:cache|sort|primary|foreign|partition|public|pub|row|hash|group|order|object|bucket|dedup"
    rb"|idempotency|routing"
    rb"|lookup|unique|composite|registry|dict|json|header|column|index|artifact|host|test|mon|tur|translation|message)"
    rb"[_. -]?key\W?\Z"
)


def is_password_name(name: bytes) -> bool:
    """Say whether people choose the values of a name, so that they need not be random."""
    return _PASSWORD.match(name) is not None


def is_spelled_name(name: bytes) -> bool:
    """Say whether a name spells out that it is a password's: digits as of a hash are one then; `pass` counts tests."""
    return _SPELLED.match(name) is not None


def is_loose_name(name: bytes) -> bool:
    """Say whether a name also names what is no secret: `sort_key`, `cacheKey`, `HAS_AUTH`."""
    return _LOOSE.match(name) is not None


def is_public_name(name: bytes) -> bool:
    """Say whether a name, with the word before `key`, names what is a hash or a path more often than a secret."""
    return _PUBLIC.search(name) is not None


def ends_in_password(rest: bytes) -> bool:
    """Say whether what follows in a name makes it a password's: `sshKeyPassphrase`."""
    return _PASSWORD_REST.search(rest) is not None


def names_other_thing(rest: bytes) -> bool:
    """Say whether what follows in a name makes it the name of something about a secret: `token_count`."""
    return _OTHER_THING.match(rest) is not None
