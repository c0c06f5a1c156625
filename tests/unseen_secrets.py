"""Secrets of public token formats in the places where tools print them, written without sight of the rules.

A kind is a way to draw a value; a carrier is a way a tool prints it. Every kind is drawn in many carriers, and the bar
is held kind by kind. Before the rules were mended after it, they took .9581 of 59 kinds (200 each, seed 1).
"""

import base64
import json
import random
import re
import string
from collections.abc import Callable
from typing import Final

from tests.unseen_carriers import CARRIERS, HEADERS, WITHIN_URL, Named, Planted, as_base64, as_url

ALNUM: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
UPPER: Final = string.ascii_uppercase + string.digits
BASE32: Final = string.ascii_uppercase + "234567"
BASE64: Final = ALNUM + "+/"
URL_SAFE: Final = ALNUM + "-_"

Make = Callable[[random.Random], str]


def chars(alphabet: str, length: int) -> Make:
    return lambda rng: "".join(rng.choices(alphabet, k=length))


def joined(*pieces: str | Make) -> Make:
    return lambda rng: "".join(piece if isinstance(piece, str) else piece(rng) for piece in pieces)


def one_of(*makes: Make) -> Make:
    return lambda rng: rng.choice(makes)(rng)


def password(rng: random.Random) -> str:
    """Draw a password as people and generators choose them."""
    words = ["Sunrise", "maple", "Falcon", "winter", "Corvus", "orbit", "Tango", "velvet"]
    return rng.choice(
        [
            lambda: "".join(rng.choices(ALNUM, k=rng.randint(12, 20))),
            lambda: "".join(rng.choices(ALNUM + "!%*^_-+?", k=rng.randint(12, 18))) + rng.choice("4z!"),
            lambda: rng.choice(words) + str(rng.randint(10, 9999)) + rng.choice("!?*_"),
            lambda: "-".join([*rng.choices(words, k=3), str(rng.randint(1, 99))]),
        ]
    )()


def uuid(rng: random.Random) -> str:
    return "-".join(chars(HEX, length)(rng) for length in (8, 4, 4, 4, 12))


def jwt(rng: random.Random) -> str:
    def part(claims: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(claims, separators=(",", ":")).encode()).decode().rstrip("=")

    header = part({"alg": rng.choice(["HS256", "RS256", "ES384"]), "typ": "JWT"})
    claims = part({"sub": str(rng.randrange(10**9)), "iat": 1_700_000_000 + rng.randrange(10**7), "scope": "admin"})
    return f"{header}.{claims}.{chars(URL_SAFE, rng.choice([43, 86, 342]))(rng)}"


FIXED: Final[dict[str, Make]] = {
    "aws_access_key": joined(one_of(*(joined(name) for name in ("AK" + "IA", "AS" + "IA"))), chars(BASE32, 16)),
    "github": joined(one_of(*(joined(f"gh{kind}" + "_") for kind in "pousr")), chars(ALNUM, 36)),
    "github_fine": joined("github" + "_pat_", chars(ALNUM, 22), "_", chars(ALNUM, 59)),
    "gitlab": one_of(
        joined("gl" + "pat-", chars(URL_SAFE, 20)),
        joined("gl" + "ptt-", chars(HEX, 40)),
        joined("gl" + "dt-", chars(URL_SAFE, 20)),
        joined("gl" + "rt-", chars(URL_SAFE, 20)),
    ),
    "npm": joined("np" + "m_", chars(ALNUM, 36)),
    "pypi": joined("pypi-" + "AgEIcHlwaS5vcmc", chars(URL_SAFE, 150)),
    "openai": one_of(
        joined("sk-", chars(ALNUM, 20), "T3Blbk" + "FJ", chars(ALNUM, 20)),
        joined("sk-" + "proj-", chars(URL_SAFE, 74), "T3Blbk" + "FJ", chars(URL_SAFE, 74)),
        joined("sk-" + "svcacct-", chars(URL_SAFE, 74), "T3Blbk" + "FJ", chars(URL_SAFE, 74)),
    ),
    "anthropic": joined("sk-" + "ant-api03-", chars(URL_SAFE, 93), "AA"),
    "huggingface": joined("h" + "f_", chars(string.ascii_letters, 34)),
    "sendgrid": joined("S" + "G.", chars(URL_SAFE, 22), ".", chars(URL_SAFE, 43)),
    "discord_bot": joined(
        one_of(joined("MT"), joined("Nz"), joined("OD")),
        chars(ALNUM, 24),
        ".G",
        chars(URL_SAFE, 5),
        ".",
        chars(URL_SAFE, 38),
    ),
    "telegram_bot": joined(chars("123456789", 10), ":AA", chars(URL_SAFE, 33)),
    "digitalocean": joined(one_of(*(joined(f"do{kind}" + "_v1_") for kind in "por")), chars(HEX, 64)),
    "netlify": joined("nf" + "p_", chars(ALNUM, 36)),
    "databricks": joined("da" + "pi", chars(HEX, 32)),
    "newrelic": joined("NR" + "AK-", chars(UPPER, 27)),
    "sentry_token": one_of(
        joined("sntry" + "u_", chars(HEX, 64)), joined("sntry" + "s_eyJ", chars(ALNUM, 120), "_", chars(ALNUM, 43))
    ),
    "heroku": joined("HR" + "KU-AA", chars(URL_SAFE, 58)),
    "shopify": joined(one_of(*(joined(f"shp{kind}" + "_") for kind in ("at", "ss", "ca", "pa"))), chars(HEX, 32)),
    "square": one_of(
        joined("EA" + "AA", chars(URL_SAFE, 60)),
        joined("sq0" + "csp-", chars(URL_SAFE, 43)),
        joined("sq0" + "atp-", chars(URL_SAFE, 22)),
    ),
    "mailgun": joined("ke" + "y-", chars(HEX, 32)),
    "stripe": one_of(
        joined("sk_" + "live_", chars(ALNUM, 24)),
        joined("sk_" + "live_51", chars(ALNUM, 97)),
        joined("rk_" + "live_", chars(ALNUM, 24)),
        joined("wh" + "sec_", chars(ALNUM, 32)),
    ),
    "slack": one_of(
        joined("xox" + "b-", chars("123456789", 12), "-", chars("123456789", 13), "-", chars(ALNUM, 24)),
        joined(
            "xox" + "p-",
            chars("123456789", 12),
            "-",
            chars("123456789", 12),
            "-",
            chars("123456789", 12),
            "-",
            chars(HEX, 32),
        ),
        joined("xa" + "pp-1-A", chars(UPPER, 10), "-", chars("123456789", 13), "-", chars(HEX, 64)),
    ),
    "slack_webhook": joined(
        "https://hooks.slack" + ".com/services/T", chars(UPPER, 10), "/B", chars(UPPER, 10), "/", chars(ALNUM, 24)
    ),
    "discord_webhook": joined(
        "https://discord" + ".com/api/webhooks/", chars("123456789", 19), "/", chars(URL_SAFE, 68)
    ),
    "google": one_of(
        joined("AI" + "za", chars(URL_SAFE, 35)),
        joined("GOC" + "SPX-", chars(URL_SAFE, 28)),
        joined("ya" + "29.a0", chars(URL_SAFE, 180)),
    ),
    "docker_hub": joined("dckr" + "_pat_", chars(URL_SAFE, 27)),
    "vault": joined("hv" + "s.CAESI", chars(URL_SAFE, 90)),
    "azure_client": joined(chars(ALNUM, 3), "8Q~", chars(ALNUM + "._~-", 33), "a"),
    "jwt": jwt,
}

NAMES: Final[dict[str, list[tuple[str, ...]]]] = {
    "aws_access_key": [("aws", "access", "key", "id")],
    "azure_client": [("azure", "client", "secret")],
    "slack_webhook": [("slack", "webhook", "url")],
    "discord_webhook": [("discord", "webhook", "url")],
}

KEYED: Final[dict[str, tuple[list[tuple[str, ...]], Make]]] = {
    "aws_secret": ([("aws", "secret", "access", "key"), ("secret", "access", "key")], chars(BASE64, 40)),
    "twilio_auth": ([("twilio", "auth", "token")], chars(HEX, 32)),
    "vercel": ([("vercel", "token")], chars(ALNUM, 24)),
    "datadog": (
        [("datadog", "api", "key"), ("dd", "api", "key"), ("dd", "app", "key")],
        one_of(chars(HEX, 32), chars(HEX, 40)),
    ),
    "newrelic_license": ([("new", "relic", "license", "key")], joined(chars(HEX, 36), "NR" + "AL")),
    "heroku_uuid": ([("heroku", "api", "key")], uuid),
    "cloudflare": (
        [("cloudflare", "api", "token"), ("cf", "api", "key")],
        one_of(chars(URL_SAFE, 39), chars(HEX, 37)),
    ),
    "algolia": ([("algolia", "admin", "key"), ("algolia", "api", "key")], chars(HEX, 32)),
    "azure_key": ([("azure", "storage", "key"), ("account", "key")], joined(chars(BASE64, 86), "==")),
    "generic_password": (
        [("db", "password"), ("password",), ("admin", "passwd"), ("smtp", "pass"), ("user", "pwd")],
        password,
    ),
    "generic_token": ([("access", "token"), ("deploy", "token"), ("auth", "token"), ("token",)], chars(ALNUM, 32)),
    "generic_api_key": (
        [("api", "key"), ("apikey",), ("service", "api", "key")],
        one_of(chars(ALNUM, 32), chars(HEX, 40)),
    ),
    "generic_secret": (
        [("client", "secret"), ("secret", "key"), ("app", "secret"), ("jwt", "secret")],
        chars(URL_SAFE, 40),
    ),
    "passphrase": ([("passphrase",), ("key", "passphrase")], password),
    "encryption_key": ([("encryption", "key"), ("signing", "key"), ("master", "key")], chars(HEX, 64)),
}


def _private_key(rng: random.Random) -> Planted:
    name = rng.choice(["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", ""]) + "PRIVATE" + " KEY"
    lines = [chars(BASE64, 64)(rng) for _ in range(rng.randint(3, 25))]
    newline = rng.choice(["\n", "\r\n", "\\n", "\\\\n", "\n    "])
    block = newline.join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"])
    frame = rng.choice(["{}", "key: |\n    {}\n", '{{"private_key": "{}"}}', "PRIVATE_KEY='{}'", "cat id_rsa\n{}\n$ "])
    return Planted(rng.choice(lines), frame.format(block))


def _service_account(rng: random.Random) -> Planted:
    lines = [chars(BASE64, 64)(rng) for _ in range(26)]
    key = "\n".join([f"-----BEGIN {'PRIVATE'} KEY-----", *lines, f"-----END {'PRIVATE'} KEY-----", ""])
    account = {"type": "service_account", "project_id": "app", "private_key": key, "client_email": "a@app.example.org"}
    text = json.dumps(account, indent=rng.choice([None, 2]))
    return Planted(rng.choice(lines), json.dumps({"content": text}) if rng.random() < 0.3 else text)


CONNECTIONS: Final = {
    "postgres": [
        "postgres://app:{u}@db.example.org:5432/app",
        "postgresql+psycopg2://app:{u}@10.0.0.4/app?sslmode=require",
        "host=db port=5432 dbname=app user=app password={v} sslmode=require",
    ],
    "mysql": [
        "mysql://root:{u}@127.0.0.1:3306/shop",
        "mysql+pymysql://root:{u}@db/shop",
        "Server=db;Database=shop;Uid=root;Pwd={v};",
    ],
    "mongodb": [
        "mongodb://admin:{u}@mongo:27017/admin",
        "mongodb+srv://admin:{u}@cluster0.ab1cd.mongodb.net/app?retryWrites=true",
    ],
    "amqp": ["amqp://guest:{u}@rabbit:5672/%2f", "amqps://app:{u}@b-1.mq.example.org:5671"],
    "redis": [
        "redis://:{u}@cache:6379/0",
        "rediss://default:{u}@cache.example.org:6380",
        "cache.example.org:6380,password={v},ssl=True",
    ],
    "mssql": [
        "Server=tcp:db.example.org,1433;Initial Catalog=app;User ID=sa;Password={v};Encrypt=True;",
        "jdbc:sqlserver://db:1433;databaseName=app;user=sa;password={v};",
        "mssql+pyodbc://sa:{u}@db/app?driver=ODBC+Driver+17",
    ],
}


def _connect(kind: str) -> Callable[[random.Random], Planted]:
    def draw(rng: random.Random) -> Planted:
        value, template = password(rng), rng.choice(CONNECTIONS[kind])
        secret = as_url(value) if "{u}" in template else value
        line = template.format(u=secret, v=secret)
        frame = rng.choice(
            [
                "{}",
                'DATABASE_URL="{}"',
                '{{"url": "{}"}}',
                "ERROR could not connect to {} (timeout)",
                "  dsn: {}",
                "engine = connect('{}')",
            ]
        )
        return Planted(secret, frame.format(line))

    return draw


def _netrc(rng: random.Random) -> Planted:
    value = one_of(password, chars(ALNUM, 40))(rng)
    gap = rng.choice([" ", "\n  ", "\n\t"])
    return Planted(value, f"machine api.example.org{gap}login deploy{gap}password {value}\n")


def _basic(rng: random.Random) -> Planted:
    value = as_base64(f"deploy:{password(rng)}")
    frame = rng.choice(
        [
            "> Authorization: Basic {}\n",
            '"authorization": "Basic {}"',
            "[HTTP/2] [1] [authorization: Basic {}]",
            '"auth": "{}"',
        ]
    )
    return Planted(value, frame.format(value))


def _sas(rng: random.Random) -> Planted:
    value = as_url(as_base64(chars(ALNUM, 32)(rng)))
    return Planted(
        value,
        f"https://app.blob.example.org/c/f.csv?sv=2022-11-02&ss=b&srt=o&sp=r&se=2025-01-01T00:00:00Z&sig={value}",
    )


def _storage_string(rng: random.Random) -> Planted:
    value = chars(BASE64, 86)(rng)
    return Planted(
        value, f"DefaultEndpointsProtocol=https;AccountName=app;AccountKey={value}==;EndpointSuffix=core.example.org"
    )


def _sentry_dsn(rng: random.Random) -> Planted:
    value = chars(HEX, 32)(rng)
    return Planted(
        value,
        rng.choice(["dsn='{}'", "SENTRY_DSN={}", 'Sentry.init({{dsn: "{}"}})']).format(
            f"https://{value}@o4505.ingest.sentry.io/4506"
        ),
    )


def _session_cookie(rng: random.Random) -> Planted:
    value = one_of(chars(ALNUM, 32), chars(HEX, 64))(rng)
    name = rng.choice(["sessionid", "session", "connect.sid", "JSESSIONID", "PHPSESSID", "auth_session", "csrftoken"])
    frame = rng.choice(
        [
            "Set-Cookie: {}={}; Path=/; HttpOnly\n",
            "< set-cookie: {}={}; Secure; SameSite=Lax\n",
            "Cookie: lang=en; {}={}\n",
        ]
    )
    return Planted(value, frame.format(name, value))


WHOLE: Final[dict[str, Callable[[random.Random], Planted]]] = {
    "private_key": _private_key,
    "service_account": _service_account,
    "netrc": _netrc,
    "basic_auth": _basic,
    "azure_sas": _sas,
    "azure_connection": _storage_string,
    "sentry_dsn": _sentry_dsn,
    "session_cookie": _session_cookie,
    **{kind: _connect(kind) for kind in CONNECTIONS},
}

KINDS: Final = (*FIXED, *KEYED, *WHOLE)


def draw_unseen(kind: str, rng: random.Random) -> tuple[str, Planted]:
    """Return the carrier's name and a secret of the kind in it."""
    if kind in WHOLE:
        return kind, WHOLE[kind](rng)
    if kind in KEYED:
        names, make = KEYED[kind]
        carriers = CARRIERS
    else:
        names = NAMES.get(kind, [(kind.split("_")[0], "token"), (kind.split("_")[0], "api", "key"), ("value",)])
        make, carriers = FIXED[kind], CARRIERS | HEADERS | ({} if "webhook" in kind else WITHIN_URL)
    carrier = rng.choice(sorted(carriers))
    planted = carriers[carrier](Named(rng.choice(names), make(rng)), rng)
    if "webhook" in kind:
        planted = planted._replace(secret=re.split("/|%2F", planted.secret)[-1])
    return carrier, planted
