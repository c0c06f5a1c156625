"""Secrets as terminals, debuggers, shells and loggers print them, written before the rules were read.

A carrier is a text with marks: `~v` for the value, `~snake`, `~kebab`, `~camel`, `~pascal`, `~upper`, `~flat`,
`~spaced`, `~title`, `~header` for its name in that writing. Every kind of value is drawn in every carrier it fits.
"""

import random
import re
import string
from typing import Final

from tests.unseen_carriers import Planted
from tests.unseen_secrets import ALNUM, HEX, URL_SAFE, Make, chars, joined, jwt, one_of, uuid

BASE58: Final = "".join(sorted(set(ALNUM) - set("0OIl")))
_WORDS: Final = ("harbor", "Lantern", "cobalt", "Meadow", "raven", "Thistle", "ember", "Quarry", "drift", "Saffron")
_SEED_WORDS: Final = (
    "abandon",
    "ladder",
    "tunnel",
    "orbit",
    "velvet",
    "rocket",
    "ginger",
    "pelican",
    "suffer",
    "whale",
)


def _words_password(rng: random.Random) -> str:
    return rng.choice(["-", "_", "."]).join(rng.sample(_WORDS, 3)) + str(rng.randint(10, 999))


def _human_password(rng: random.Random) -> str:
    return rng.choice(_WORDS).capitalize() + rng.choice("@!#") + str(rng.randint(100, 99_999))


def _symbol_password(rng: random.Random) -> str:
    inner = "".join(rng.choices(ALNUM + "!@#%^*+?~", k=rng.randint(8, 14)))
    return rng.choice(string.ascii_letters) + inner + rng.choice(string.digits) + rng.choice("!*+?z")


def _groups(alphabet: str, size: int, count: int) -> Make:
    return lambda rng: "-".join(chars(alphabet, size)(rng) for _ in range(count))


UPPER36: Final = string.ascii_uppercase + string.digits
LOWER36: Final = string.ascii_lowercase + string.digits

# Each kind: the names it goes by, words in lower case, and how to draw a value.
KINDS: Final[dict[str, tuple[list[tuple[str, ...]], Make]]] = {
    "hex 32": ([("api", "key"), ("weather", "api", "key")], chars(HEX, 32)),
    "hex 40": ([("access", "token"), ("deploy", "token")], chars(HEX, 40)),
    "hex 64": ([("signing", "secret"), ("webhook", "secret")], chars(HEX, 64)),
    "hex 24": ([("app", "secret"), ("app", "key", "secret")], chars(HEX, 24)),
    "base64 44": ([("encryption", "key"), ("storage", "account", "key")], joined(chars(ALNUM + "+/", 43), "=")),
    "base64 88": ([("shared", "access", "key"), ("master", "key")], joined(chars(ALNUM + "+/", 86), "==")),
    "base64url 43": ([("client", "secret"), ("oauth", "client", "secret")], chars(URL_SAFE, 43)),
    "alnum 20": ([("api", "token"), ("billing", "api", "token")], chars(ALNUM, 20)),
    "alnum 32": ([("secret", "key"), ("django", "secret", "key")], chars(ALNUM, 32)),
    "alnum 16": ([("auth", "key"), ("api", "secret")], chars(ALNUM, 16)),
    "lower 24": ([("personal", "access", "token"), ("bot", "token")], chars(LOWER36, 24)),
    "uuid": ([("api", "key"), ("secret", "token")], uuid),
    "upper uuid": ([("client", "secret"), ("auth", "token")], lambda rng: uuid(rng).upper()),
    "jwt": ([("session", "token"), ("id", "token")], jwt),
    "base32 seed": ([("totp", "secret"), ("mfa", "secret")], chars(string.ascii_uppercase + "234567", 32)),
    "dotted": ([("refresh", "token"), ("bearer", "token")], joined(chars(ALNUM, 8), ".", chars(URL_SAFE, 36))),
    "colon pair": ([("bot", "api", "token"), ("auth", "token")], joined(chars("123456789", 9), ":", chars(ALNUM, 28))),
    "unknown prefix": ([("api", "key"), ("live", "api", "key")], joined("zk_live_", chars(ALNUM, 24))),
    "dashed prefix": ([("access", "token"), ("registry", "token")], joined("ktp-", chars(LOWER36, 26))),
    "aws like": ([("secret", "access", "key"), ("aws", "secret", "access", "key")], chars(ALNUM + "+/", 40)),
    "wallet": ([("private", "key"), ("wallet", "private", "key")], joined("0x", chars(HEX, 64))),
    "base58": ([("private", "key"), ("signer", "private", "key")], joined("5", chars(BASE58, 50))),
    "license": ([("license", "key"), ("activation", "key")], _groups(UPPER36, 5, 5)),
    "recovery": ([("recovery", "code"), ("backup", "code")], _groups(LOWER36, 5, 2)),
    "password words": ([("password",), ("db", "password")], _words_password),
    "password human": ([("password",), ("root", "password"), ("admin", "passwd")], _human_password),
    "password symbols": ([("password",), ("smtp", "password"), ("pwd",)], _symbol_password),
    "password random": ([("db", "pass"), ("passphrase",), ("password",)], one_of(chars(ALNUM, 12), chars(ALNUM, 18))),
    "credential": ([("credential",), ("service", "credentials")], chars(URL_SAFE, 30)),
    "app password": ([("app", "password"), ("mail", "app", "password")], lambda rng: " ".join(_four(rng))),
    "seed phrase": ([("seed", "phrase"), ("mnemonic",)], lambda rng: " ".join(rng.choices(_SEED_WORDS, k=12))),
}


def _four(rng: random.Random) -> list[str]:
    return [chars(string.ascii_lowercase, 4)(rng) for _ in range(4)]


CARRIERS: Final = (
    # Debuggers and notebooks.
    '(gdb) p cfg->~snake\n$3 = 0x55d0c81a2eb0 "~v"\n(gdb) c',
    '(lldb) frame variable\n(const char *) ~snake = 0x0000000100003f9a "~v"\n(int) retries = 3',
    "(Pdb) p self._~snake\n'~v'\n(Pdb) n",
    "> /app/client.py(41)connect()\n(Pdb) pp ~snake\n'~v'",
    "In [4]: os.environ['~upper']\nOut[4]: '~v'\n\nIn [5]: ",
    '"source": [\n  "~upper = \\"~v\\"\\n",\n  "run()"\n]',
    ">>> config.~snake\n'~v'\n>>> ",
    "irb(main):002:0> ENV['~upper']\n=> \"~v\"",
    'iex(3)> Application.get_env(:shop, :~snake)\n"~v"',
    'dlv> print cfg.~pascal\n"~v"',
    # Dumps of objects in many languages.
    "{ host: 'a.example.org', ~camel: '~v', retries: 3 }",
    "Map(2) { '~kebab' => '~v', 'host' => 'b' }",
    'array(2) {\n  ["~snake"]=>\n  string(40) "~v"\n  ["host"]=>\n  string(1) "b"\n}',
    "Array\n(\n    [host] => b\n    [~snake] => ~v\n)\n",
    '#<Shop::Client:0x000078f1 @host="b", @~snake="~v", @retries=3>',
    '{:host=>"b", :~snake=>"~v"}',
    "2024/05/01 10:11:12 loaded {Host:b ~pascal:~v Retries:3}",
    'main.Config{Host:"b", ~pascal:"~v", Retries:3}',
    '(*main.Config)(0xc0001)({\n Host: (string) (len=1) "b",\n ~pascal: (string) (len=40) "~v"\n})',
    'Config { host: "b", ~snake: Some("~v"), retries: 3 }',
    'Config { ~snake: Secret("~v") }',
    "ServiceConfig[host=b, ~camel=~v, retries=3]",
    "ServiceConfig(host=b, ~camel=~v)",
    '%Shop.Config{host: "b", ~snake: "~v"}',
    '[{host,<<"b">>},{~snake,<<"~v">>}]',
    '{:host "b", :~kebab "~v"}',
    '((host . "b") (~kebab . "~v"))',
    '(setq my-~kebab "~v")',
    'Config {host = "b", ~camel = "~v"}',
    '▿ Config\n  - host: "b"\n  ▿ ~camel: Optional("~v")',
    "Host   : b\n~pascal : ~v\nCount  : 3",
    "$VAR1 = {\n          '~snake' => '~v',\n          'host' => 'b'\n        };",
    '$~snake\n[1] "~v"\n\n$host\n[1] "b"',
    'Dict{Symbol, String} with 1 entry:\n  :~snake => "~v"',
    "~snake =\n\n    '~v'\n",
    "Namespace(host='b', ~snake='~v', lr=0.1)",
    "host            b\n~snake    ~v\ndtype: object",
    "('~snake', '~v')",
    '["~upper", "~v"]',
    # Shells.
    "PS C:\\> $env:~upper = '~v'",
    'C:\\> setx ~upper "~v"',
    "C:\\> set ~upper=~v",
    "set -gx ~upper ~v",
    "setenv ~upper ~v",
    'declare -x ~upper="~v"',
    "+ export ~upper=~v\n+ ~upper=~v\n+ ./run",
    "printf %s '~v' | gh secret set ~upper",
    'echo "~v" | docker secret create ~snake -',
    "echo -n ~v > /run/secrets/~snake",
    "cat > /etc/app/~snake <<< '~v'",
    "$ cat /run/secrets/~snake\n~v\n$ ",
    "$ echo $~upper\n~v\n$ ",
    "$ printenv ~upper\n~v",
    'expect "~title:"\nsend "~v\\r"',
    # Clouds, containers, CI.
    "aws ssm put-parameter --name /prod/~kebab --value '~v' --type SecureString",
    '{\n  "Name": "prod/~snake",\n  "VersionId": "1",\n  "SecretString": "~v"\n}',
    "az keyvault secret set --vault-name v --name ~kebab --value '~v'",
    "=== shop-prod Config Vars\n\n~upper:       ~v\nHOST:  b",
    "====== Data ======\nKey        Value\n---        -----\n~snake    ~v\nhost   b",
    "kubectl create secret generic shop --from-literal=~kebab='~v'",
    "    env:\n    - name: ~upper\n      value: '~v'\n    - name: HOST",
    "    Environment:\n      ~upper:  ~v\n      HOST:  b",
    '"Env": [\n  "PATH=/bin",\n  "~upper=~v"\n]',
    'ENV ~upper "~v"\nRUN make',
    "Step 4/9 : ARG ~upper=~v\n ---> Running in 5d0c81a2eb0f",
    '  + resource "app" "a" {\n      + ~snake = "~v"\n    }',
    '      ~ ~snake = "old" -> "~v"'.replace("~ ", "\u007e ", 1),
    'ok: [web1] => {\n    "msg": "~spaced is ~v"\n}',
    "ansible-playbook site.yml -e '~snake=~v'",
    "::set-output name=~snake::~v",
    "withEnv(['HOST=b', '~upper=~v']) {",
    "fly secrets set ~upper='~v' --app shop",
    "wrangler: ? Enter a secret value for ~upper › ~v",
    # Package managers and build tools.
    "npm config set shop:~kebab '~v'",
    "poetry config http.~kebab '~v'",
    "git config --global shop.~flat '~v'",
    "shop.~flat=~v\nuser.name=A B",
    '<add key="~pascal" value="~v" />',
    "<server>\n  <id>b</id>\n  <~camel>~v</~camel>\n</server>",
    "systemProp.~camel=~v",
    "mvn -D~flat='~v' verify",
    # Data bases.
    "-[ RECORD 1 ]---+-----\nid        | 7\n~snake | ~v\n",
    " id | ~snake | host\n----+---------+------\n  7 | ~v | b\n(1 row)",
    "*************************** 1. row ***************************\n       id: 7\n  ~snake: ~v\n",
    "+----+---------+\n| id | ~snake |\n+----+---------+\n|  7 | ~v |\n+----+---------+",
    '127.0.0.1:6379> SET prod:~snake "~v"\nOK',
    '127.0.0.1:6379> HGET prod ~snake\n"~v"',
    "{ _id: ObjectId('65f0c1'), host: 'b', ~camel: '~v' }",
    "INSERT INTO settings (name, ~snake) VALUES ('prod', '~v');",
    "UPDATE settings SET value = '~v' WHERE name = '~snake';",
    "UPDATE accounts SET ~snake = '~v' WHERE id = 7;",
    "~snake|~v",
    "id,~snake,host\n7,~v,b\n",
    # Loggers.
    'time=10:11 level=info msg="loaded" ~snake=~v host=b',
    '{"level":"info","ts":1.7,"msg":"loaded","~camel":"~v"}',
    "10:11:12 INFO  c.e.Main - Using ~spaced [~v] for b",
    "10:11:12 DEBUG c.e.Main - ~camel={~v}",
    'info: Shop.Client[0]\n      Using ~spaced "~v" for b',
    "WARNING:root:~spaced ~v was rejected by b",
    'INFO shop::client: connecting host="b" ~snake="~v"',
    "I0501 10:11:12.1 client.go:41] ~spaced: ~v",
    "AuthError: the ~spaced provided (~v) is not valid",
    "401 invalid ~spaced '~v'",
    "input_value='~v' for field ~snake",
    "~snake\n  String should match pattern [type=x, input_value='~v', input_type=str]",
    "E   where '~v' = Client().~snake",
    # Servers and the wire.
    "proxy_set_header ~header '~v';",
    'SetEnv ~upper "~v"',
    "    header_up ~header '~v'",
    "> ~header: ~v\n> Accept: */*",
    "* [HTTP/2] [1] [~header: ~v]",
    'write(3, "GET / HTTP/1.1\\r\\n~header: ~v\\r\\n\\r\\n", 90) = 90',
    'client.set~pascal("~v");',
    '.~snake("~v")',
    'headers.put("~header", "~v");',
    'os.getenv("~upper", "~v")',
    # Chats, mails, documents.
    ":key: Your new ~spaced is `~v`, keep it safe",
    "*~title*: ~v",
    "Here is the ~spaced you asked for:\n\n    ~v\n\nRegards",
    "the ~spaced for staging? it's ~v",
    "| ~title | ~v |\n| Host | b |",
    "**~title** → `~v`",
    '<input type="hidden" name="~snake" value="~v">',
    "<tr><td>~title</td><td>~v</td></tr>",
    "<dt>~title</dt>\n<dd>~v</dd>",
    "<key>~camel</key>\n\t<string>~v</string>",
    '<string name="~snake">~v</string>',
    ":~kebab: ~v",
    "? Enter your ~spaced: ~v\n✔ Saved",
    "'~v'  # ~spaced",
    'const value = "~v"; // ~spaced of the shop',
    '{"value": "~v", "name": "~upper"}',
    "~upper ?= ~v",
    "~upper := ~v",
    "-  ~camel: ~v\n+  ~camel: ${~upper}",
)
_QUOTED: Final = tuple(carrier for carrier in CARRIERS if re.search(r"[\"'`>]~v[\"'`<\\]", carrier))


def draw_print(kind: str, rng: random.Random) -> tuple[str, Planted]:
    """Draw a carrier and a value of the kind in it; a value of several words comes only where quotes hold it."""
    names, make = KINDS[kind]
    words, value = rng.choice(names), make(rng)
    carrier = rng.choice(_QUOTED if " " in value else CARRIERS)
    return carrier, Planted(value, fill(carrier, words, value))


def fill(carrier: str, words: tuple[str, ...], value: str) -> str:
    """Return the carrier with the value and its name's writings in place of the marks."""
    titled = [word.capitalize() for word in words]
    writings = {
        "snake": "_".join(words),
        "kebab": "-".join(words),
        "camel": words[0] + "".join(titled[1:]),
        "pascal": "".join(titled),
        "upper": "_".join(words).upper(),
        "flat": "".join(words),
        "dotted": ".".join(words),
        "spaced": " ".join(words),
        "title": " ".join([titled[0], *words[1:]]),
        "header": "-".join(["X", *titled]),
        "v": value,
        "n": "\n",
        "t": "\t",
        "r": "\r",
        "q": '"',
    }
    return re.sub(r"~(" + "|".join(writings) + r")", lambda mark: writings[mark[1]], carrier)
