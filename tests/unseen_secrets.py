"""Secrets of public token formats in the places where tools print them, written without sight of the rules.

A kind is a way to draw a value; a carrier is a way a tool prints it. Every kind is drawn in many carriers, and the bar
is held kind by kind.
"""

import base64
import json
import random
import string
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import quote

ALNUM: Final = string.ascii_letters + string.digits
HEX: Final = "0123456789abcdef"
UPPER: Final = string.ascii_uppercase + string.digits
BASE32: Final = string.ascii_uppercase + "234567"
BASE64: Final = ALNUM + "+/"
URL_SAFE: Final = ALNUM + "-_"

Make = Callable[[random.Random], str]
Carry = Callable[["Named", random.Random], "Planted"]


class Planted(NamedTuple):
    """A text and the characters in it of which no half may be left."""

    secret: str
    text: str

    def is_left_in(self, redacted: str) -> bool:
        half = len(self.secret) // 2
        return self.secret[:half] in redacted or self.secret[half:] in redacted


class Named(NamedTuple):
    """A value and the words of the name it goes by."""

    words: tuple[str, ...]
    value: str

    @property
    def upper(self) -> str:
        return "_".join(self.words).upper()

    @property
    def snake(self) -> str:
        return "_".join(self.words)

    @property
    def kebab(self) -> str:
        return "-".join(self.words)

    @property
    def dotted(self) -> str:
        return ".".join(self.words)

    @property
    def pascal(self) -> str:
        return "".join(word.capitalize() for word in self.words)

    @property
    def camel(self) -> str:
        return self.words[0] + "".join(word.capitalize() for word in self.words[1:])


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


def _carry(template: str, *, encode: Callable[[str], str] = str) -> Carry:
    def carry(named: Named, rng: random.Random) -> Planted:
        value = encode(named.value)
        return Planted(value, template.format(n=named, v=value, port=rng.randint(1024, 9999)))

    return carry


def _base64(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def _url(value: str) -> str:
    return quote(value, safe="")


CARRIERS: Final[dict[str, Carry]] = {
    "docker inspect": _carry(
        '            "Env": [\n                "PATH=/usr/bin:/bin",\n                "{n.upper}={v}",\n                "LANG=C"\n'
    ),
    "secret as yaml": _carry(
        "apiVersion: v1\ndata:\n  {n.kebab}: {v}\nkind: Secret\nmetadata:\n  name: app\n", encode=_base64
    ),
    "secret as text": _carry("stringData:\n  {n.kebab}: {v}\ntype: Opaque\n"),
    "plan": _carry('  # app.main will be created\n      + {n.snake}      = "{v}"\n      + port = {port}\n'),
    "plan change": _carry('      ~ {n.snake} = "{v}" -> (known after apply)\n'),
    "java properties": _carry("server.port={port}\napp.{n.dotted}={v}\napp.name=web\n"),
    "power shell": _carry('PS C:\\srv> $env:{n.upper} = "{v}"\n'),
    "power shell single": _carry("$Env:{n.upper}='{v}'; ./run.ps1\n"),
    "ini": _carry("[service]\nhost = db.example.org\n{n.snake} = {v}\ntimeout = 30\n"),
    "toml": _carry('[service]\n{n.snake} = "{v}"\nretries = 3\n'),
    "toml dashed": _carry("[auth]\n{n.kebab} = '{v}'\n"),
    "xml attribute": _carry('<add key="{n.pascal}" value="{v}" />\n'),
    "xml own attribute": _carry('<connection host="db" {n.camel}="{v}" port="{port}"/>\n'),
    "xml element": _carry("  <{n.camel}>{v}</{n.camel}>\n"),
    "dict repr": _carry("{{'host': 'db', '{n.snake}': '{v}', 'port': {port}}}\n"),
    "repr": _carry("Settings(host='db', {n.snake}='{v}', port={port})\n"),
    "go struct": _carry("config: {{Host:db Port:{port} {n.pascal}:{v} Debug:false}}\n"),
    "go pointer": _carry('&main.Config{{Port:{port}, {n.pascal}:"{v}", Debug:false}}\n'),
    "query": _carry("GET https://api.example.org/v1/items?page=2&{n.snake}={v}&limit=5 200\n", encode=_url),
    "json in json": _carry('{{"status": 200, "body": "{{\\"{n.camel}\\": \\"{v}\\", \\"ok\\": true}}"}}\n'),
    "json twice in json": _carry('"{{\\"log\\": \\"{{\\\\\\"{n.snake}\\\\\\":\\\\\\"{v}\\\\\\"}}\\"}}"\n'),
    "set -x": _carry("+ cd /srv/app\n+ export {n.upper}={v}\n+ {n.upper}={v}\n+ make\n"),
    "history": _carry("  503  ls -la\n  504  export {n.upper}={v}\n  505  exit\n"),
    "history quoted": _carry("  91  export {n.upper}='{v}' && python run.py\n"),
    "job log": _carry("2024-03-07T10:11:12.1234567Z env:\n2024-03-07T10:11:12.1234570Z   {n.upper}: {v}\n"),
    "job debug": _carry("##[debug]{n.upper}='{v}'\n"),
    "image build": _carry("Step 4/9 : ENV {n.upper} {v}\n ---> 3f2a\n"),
    "image argument": _carry("#7 [2/5] RUN build --build-arg {n.upper}={v}\n"),
    "cookie": _carry("Cookie: theme=dark; {n.snake}={v}; lang=en\n", encode=_url),
    "env dump": _carry("HOME=/root\n{n.upper}={v}\nSHLVL=1\n"),
    "header dump": _carry("[HTTP/2] [1] [{n.kebab}: {v}]\n"),
}

WITHIN_URL: Final[dict[str, Carry]] = {
    "pip.conf": _carry("[global]\nindex-url = https://__token__:{v}@pkgs.example.org/simple/\n", encode=_url),
    "remote": _carry("origin\thttps://oauth2:{v}@git.example.org/team/app.git (fetch)\n", encode=_url),
    "remote as user": _carry("origin  https://{v}@git.example.org/team/app.git (push)\n", encode=_url),
}

HEADERS: Final[dict[str, Carry]] = {
    "curl -v": _carry("> GET /v1 HTTP/2\n> Host: api.example.org\n> Authorization: Bearer {v}\n> Accept: */*\n"),
    "curl -v key": _carry("> x-api-key: {v}\r\n> user-agent: curl/8.5.0\r\n"),
    "curl http2": _carry("* [HTTP/2] [1] [authorization: Bearer {v}]\n* [HTTP/2] [1] [accept: */*]\n"),
    "nghttp": _carry("[  0.015] send HEADERS frame <length=42>\n          authorization: token {v}\n"),
    "npmrc": _carry("registry=https://npm.example.org/\n//npm.example.org/:_authToken={v}\n"),
    "private token": _carry("> PRIVATE-TOKEN: {v}\n"),
    "glued": _carry("cloning with {v}...\n"),
    "bare line": _carry("Your token:\n\n{v}\n\nKeep it safe.\n"),
    "print": _carry(">>> print(key)\n{v}\n>>> exit()\n"),
    "argument": _carry("$ ./deploy.sh production {v} --force\n"),
    "json list": _carry('["deploy", "{v}", "--force"]\n'),
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


def _connection(template: str) -> Make:
    return joined(template)


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
        secret = _url(value) if "{u}" in template else value
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
    value = _base64(f"deploy:{password(rng)}")
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
    value = _url(_base64(chars(ALNUM, 32)(rng)))
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
    return carrier, carriers[carrier](Named(rng.choice(names), make(rng)), rng)
