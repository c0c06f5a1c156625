"""Secrets of kinds and in places that the rules were not written on.

The rules were frozen before this was written. What they missed at the first run was then mended as a kind where it
was one (`tests/benchmarks/count_redaction.py` counts what is left). A kind is `fixed` when its own letters give it
away and `contextual` when only what stands around it does.
"""

import base64
import json
import random
import string
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

_LETTERS: Final = string.ascii_letters
_ALNUM: Final = _LETTERS + string.digits
_LOWER: Final = string.ascii_lowercase + string.digits
_UPPER: Final = string.ascii_uppercase + string.digits
_HEX: Final = "0123456789abcdef"
_URL: Final = _ALNUM + "-_"
_SIGNS: Final = _ALNUM + "!#%*+?"


class HeldOut(NamedTuple):
    """A planted secret: what must vanish, and the text that it stands in."""

    kind: str
    secret: str
    text: str


def _draw(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choices(alphabet, k=length))


def _uuid(rng: random.Random) -> str:
    return "-".join(_draw(rng, _HEX, length) for length in (8, 4, 4, 4, 12))


def _jwt_part(rng: random.Random, **claims: object) -> str:
    return base64.urlsafe_b64encode(json.dumps({**claims, "r": _draw(rng, _ALNUM, 9)}).encode()).decode().rstrip("=")


FIXED: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "figma": lambda r: "fi" + "gd_" + _draw(r, _URL, 40),
    "netlify": lambda r: "nf" + "p_" + _draw(r, _ALNUM, 36),
    "buildkite": lambda r: "bk" + "ua_" + _draw(r, _LOWER, 40),
    "clojars": lambda r: "CLO" + "JARS_" + _draw(r, _LOWER, 60),
    "dynatrace": lambda r: "dt" + "0c01." + _draw(r, _UPPER, 24) + "." + _draw(r, _UPPER, 64),
    "easypost": lambda r: "EZ" + "AK" + _draw(r, _ALNUM, 54),
    "flutterwave": lambda r: "FLW" + "SECK_TEST-" + _draw(r, "abcdef" + string.digits, 32) + "-X",
    "frameio": lambda r: "fi" + "o-u-" + _draw(r, _URL, 64),
    "prefect": lambda r: "pn" + "u_" + _draw(r, _LOWER, 36),
    "readme": lambda r: "rd" + "me_" + _draw(r, _LOWER, 70),
    "shippo": lambda r: "ship" + "po_live_" + _draw(r, _HEX, 40),
    "sendinblue": lambda r: "xkey" + "sib-" + _draw(r, _HEX, 64) + "-" + _draw(r, _LOWER, 16),
    "huggingface_oauth": lambda r: "h" + "f_" + _draw(r, _LETTERS, 34),
    "heroku": lambda r: "HR" + "KU-AA" + _draw(r, _URL, 58),
    "planetscale": lambda r: "psca" + "le_tkn_" + _draw(r, _URL, 43),
    "gitlab_runner": lambda r: "gl" + "rt-" + _draw(r, _URL, 20),
    "github_refresh": lambda r: "gh" + "r_" + _draw(r, _ALNUM, 76),
    "stripe_restricted": lambda r: "rk" + "_live_" + _draw(r, _ALNUM, 99),
    "slack_legacy": lambda r: (
        "xo" + "xp-" + "-".join(_draw(r, string.digits, 12) for _ in range(3)) + "-" + _draw(r, _HEX, 32)
    ),
    "jwt_three_parts": lambda r: ".".join(
        [_jwt_part(r, alg="RS256"), _jwt_part(r, sub="u", exp=1), _draw(r, _URL, 86)]
    ),
    "aws_temporary": lambda r: "AS" + "IA" + _draw(r, string.ascii_uppercase + "234567", 16),
    "anthropic_admin": lambda r: "sk-" + "ant-admin01-" + _draw(r, _URL, 93),
    "openai_service": lambda r: "sk-" + "svcacct-" + _draw(r, _URL, 74) + "T3Blbk" + "FJ" + _draw(r, _URL, 74),
}
"""Tokens that their own letters give away, most of them of vendors that none of our own rules names."""

_PEM_KINDS: Final = ("RSA ", "EC ", "DSA ", "ENCRYPTED ", "")


def _pem(rng: random.Random) -> tuple[str, str]:
    lines = [_draw(rng, _ALNUM + "+/", 64) for _ in range(rng.randrange(3, 12))]
    label = rng.choice(_PEM_KINDS) + "PRIVATE" + " KEY"
    indent, newline = rng.choice([("", "\n"), ("    ", "\n"), ("", "\\n"), ("", "\r\n")])
    return lines[1], newline.join(
        indent + line for line in [f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"]
    )


_NAMES: Final = ("ZEPHYR", "ORBIT", "LUMEN", "QUARRY", "HELIX", "MAPLE")


def _framed(alphabet: str, length: int, *frames: str) -> Callable[[random.Random], tuple[str, str]]:
    def make(rng: random.Random) -> tuple[str, str]:
        secret = _draw(rng, alphabet, length)
        name = rng.choice(_NAMES)
        frame = rng.choice(frames)
        return secret, frame.replace("@@", secret).replace("<N>", name).replace("<n>", name.lower())

    return make


CONTEXTUAL: Final[Mapping[str, Callable[[random.Random], tuple[str, str]]]] = {
    "pem": _pem,
    "dotenv": _framed(_ALNUM, 32, '<N>_API_TOKEN="@@"', "<N>_CLIENT_SECRET=@@", "export <N>_ACCESS_TOKEN='@@'"),
    "docker_run": _framed(
        _ALNUM, 28, "docker run -e <N>_TOKEN=@@ <n>/app:1", "docker build --build-arg <N>_API_KEY=@@ ."
    ),
    "compose": _framed(_ALNUM, 20, "    environment:\n      - POSTGRES_PASSWORD=@@", "      MYSQL_ROOT_PASSWORD: @@"),
    "kubernetes_env": _framed(
        _ALNUM, 30, "        - name: <N>_API_KEY\n          value: @@", '{"name":"<N>_TOKEN","value":"@@"}'
    ),
    "terraform": _framed(
        _ALNUM, 24, 'resource "db" "x" {\n  master_password = "@@"\n}', 'variable "t" { api_token = "@@" }'
    ),
    "properties": _framed(_ALNUM, 18, "spring.datasource.password=@@", "<n>.security.client-secret=@@"),
    "python_code": _framed(
        _ALNUM, 40, 'client = Client(api_key="@@")', "headers = {'X-Api-Key': '@@'}", "TOKEN = '@@'"
    ),
    "javascript_code": _framed(
        _ALNUM, 36, "const config = { apiKey: '@@', debug: true };", "process.env.API_SECRET = `@@`;"
    ),
    "go_code": _framed(_ALNUM, 36, 'cfg := Config{APIKey: "@@", Region: "x"}', 'os.Setenv("<N>_SECRET", "@@")'),
    "xml": _framed(
        _ALNUM, 16, "<server><id>r</id><password>@@</password></server>", '<add key="ApiKey" value="@@" />'
    ),
    "connection_string": _framed(
        _ALNUM,
        20,
        "Server=db;Database=a;User Id=sa;Password=@@;Encrypt=true",
        "Endpoint=sb://x/;SharedAccessKeyName=r;SharedAccessKey=@@AbCdEfGhIjKlMnOpQrStUvWx=",
    ),
    "url_userinfo": _framed(
        _ALNUM, 22, "redis://:@@@cache:6379/0", "amqps://svc:@@@mq.internal/vh", "https://bot:@@@git.internal/a.git"
    ),
    "url_query": _framed(
        _ALNUM, 32, "GET /v1/items?page=2&access_token=@@ HTTP/1.1", "wss://feed.internal/s?apikey=@@"
    ),
    "header": _framed(
        _ALNUM,
        40,
        "> X-Auth-Token: @@",
        "< private-token: @@",
        "-H 'Authorization: Token @@'",
        "Proxy-Authorization: Bearer @@",
    ),
    "basic": lambda rng: (
        secret := base64.b64encode(f"svc:{_draw(rng, _ALNUM, 18)}".encode()).decode(),
        f"Authorization: Basic {secret}",
    ),
    "cookie": _framed(_URL, 43, "Set-Cookie: session=@@; HttpOnly; Path=/", "Cookie: theme=dark; sid=@@; lang=en"),
    "command_line": _framed(
        _ALNUM, 26, "<n> login --token @@ --yes", "<n> push --api-key=@@", "helm install x --set auth.password=@@"
    ),
    "curl_user": _framed(
        _ALNUM,
        16,
        "curl --user deploy:@@ https://ci.internal/job",
        "curl -sS -X POST -u 'deploy:@@' https://ci.internal",
    ),
    "database_client": _framed(
        _ALNUM, 14, "PGPASSWORD=@@ psql -h db -U app", "mysql -h db -u app -p@@ app", "redis-cli -h c -a @@ ping"
    ),
    "npmrc": _framed(_ALNUM, 36, "//registry.internal/:_authToken=@@", "//registry.internal/:_password=@@"),
    "netrc": _framed(
        _ALNUM, 18, "machine git.internal login bot password @@", "machine h\n  login bot\n  password @@"
    ),
    "spoken": _framed(
        _ALNUM, 24, "The API key is @@, please keep it.", "use this token: @@", "his password was changed to @@ today"
    ),
    "escaped_json": _framed(_ALNUM, 32, '{\\"auth\\": {\\"api_key\\": \\"@@\\"}}', '"{\\"refresh_token\\":\\"@@\\"}"'),
    "aws_pair": _framed(
        _ALNUM + "+/", 40, "aws_secret_access_key=@@", '"SecretAccessKey": "@@"', "AWS_SECRET_ACCESS_KEY: @@"
    ),
    "signed_password": _framed(_SIGNS, 16, 'password: "@@"', '"db_password": "@@",', "DB_PASSWORD='@@'"),
}
"""Values that only their surroundings give away, under names of services that do not exist."""

PLACES: Final = (
    "{}",
    "$ {}\n",
    "step 3\n{}\ndone",
    "2031-04-05T06:07:08Z  INFO  worker-2 | {}",
    "+    {}",
    "```\n{}\n```",
    "Observation: {} (exit 0)",
    "ä {} 中",
)
GLUED: Final = ("x{}", "key_{}", "v2{}", "\\n{}", "\\t{}\\r", "({})", "{},", "'{}'", "{}|", "={}", ">{}<")


def draw_fixed(rng: random.Random, kind: str) -> HeldOut:
    """Return a token at a place of its own, at a line's start or glued to its neighbours."""
    secret = FIXED[kind](rng)
    return HeldOut(kind, secret, rng.choice(PLACES).format(rng.choice((*GLUED, "{}", "{}")).format(secret)))


def draw_contextual(rng: random.Random, kind: str) -> HeldOut:
    """Return a value in the surroundings that give it away."""
    secret, text = CONTEXTUAL[kind](rng)
    return HeldOut(kind, secret, rng.choice(PLACES).format(text))
