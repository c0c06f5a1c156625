"""How tools print a named value: the text around a secret, written without sight of the rules."""

import base64
import random
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import quote

Carry = Callable[["Named", random.Random], "Planted"]


class Planted(NamedTuple):
    """A text and the characters in it of which no half may be left."""

    secret: str
    text: str

    def is_left_in(self, redacted: str) -> bool:
        return is_still_in(self.secret, redacted)


def is_still_in(secret: str, redacted: str) -> bool:
    """Say whether a half of a secret is left."""
    half = len(secret) // 2
    return secret[:half] in redacted or secret[half:] in redacted


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


def carried(template: str, *, encode: Callable[[str], str] = str) -> Carry:
    def carry(named: Named, rng: random.Random) -> Planted:
        value = encode(named.value)
        return Planted(value, template.format(n=named, v=value, port=rng.randint(1024, 9999)))

    return carry


def as_base64(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def as_url(value: str) -> str:
    return quote(value, safe="")


CARRIERS: Final[dict[str, Carry]] = {
    "docker inspect": carried(
        '            "Env": [\n                "LANG=C",\n                "{n.upper}={v}"\n            ]\n'
    ),
    "secret as yaml": carried(
        "apiVersion: v1\ndata:\n  {n.kebab}: {v}\nkind: Secret\nmetadata:\n  name: app\n", encode=as_base64
    ),
    "secret as text": carried("stringData:\n  {n.kebab}: {v}\ntype: Opaque\n"),
    "plan": carried('  # app.main will be created\n      + {n.snake}      = "{v}"\n      + port = {port}\n'),
    "plan change": carried('      ~ {n.snake} = "{v}" -> (known after apply)\n'),
    "java properties": carried("server.port={port}\napp.{n.dotted}={v}\napp.name=web\n"),
    "power shell": carried('PS C:\\srv> $env:{n.upper} = "{v}"\n'),
    "power shell single": carried("$Env:{n.upper}='{v}'; ./run.ps1\n"),
    "ini": carried("[service]\nhost = db.example.org\n{n.snake} = {v}\ntimeout = 30\n"),
    "toml": carried('[service]\n{n.snake} = "{v}"\nretries = 3\n'),
    "toml dashed": carried("[auth]\n{n.kebab} = '{v}'\n"),
    "xml attribute": carried('<add key="{n.pascal}" value="{v}" />\n'),
    "xml own attribute": carried('<connection host="db" {n.camel}="{v}" port="{port}"/>\n'),
    "xml element": carried("  <{n.camel}>{v}</{n.camel}>\n"),
    "dict repr": carried("{{'host': 'db', '{n.snake}': '{v}', 'port': {port}}}\n"),
    "repr": carried("Settings(host='db', {n.snake}='{v}', port={port})\n"),
    "go struct": carried("config: {{Host:db Port:{port} {n.pascal}:{v} Debug:false}}\n"),
    "go pointer": carried('&main.Config{{Port:{port}, {n.pascal}:"{v}", Debug:false}}\n'),
    "query": carried("GET https://api.example.org/v1/items?page=2&{n.snake}={v}&limit=5 200\n", encode=as_url),
    "json in json": carried('{{"status": 200, "body": "{{\\"{n.camel}\\": \\"{v}\\", \\"ok\\": true}}"}}\n'),
    "json twice in json": carried('"{{\\"log\\": \\"{{\\\\\\"{n.snake}\\\\\\":\\\\\\"{v}\\\\\\"}}\\"}}"\n'),
    "set -x": carried("+ cd /srv/app\n+ export {n.upper}={v}\n+ {n.upper}={v}\n+ make\n"),
    "history": carried("  503  ls -la\n  504  export {n.upper}={v}\n  505  exit\n"),
    "history quoted": carried("  91  export {n.upper}='{v}' && python run.py\n"),
    "job log": carried("2024-03-07T10:11:12.1234567Z env:\n2024-03-07T10:11:12.1234570Z   {n.upper}: {v}\n"),
    "job debug": carried("##[debug]{n.upper}='{v}'\n"),
    "image build": carried("Step 4/9 : ENV {n.upper} {v}\n ---> 3f2a\n"),
    "image argument": carried("#7 [2/5] RUN build --build-arg {n.upper}={v}\n"),
    "cookie": carried("Cookie: theme=dark; {n.snake}={v}; lang=en\n", encode=as_url),
    "env dump": carried("HOME=/root\n{n.upper}={v}\nSHLVL=1\n"),
    "header dump": carried("[HTTP/2] [1] [{n.kebab}: {v}]\n"),
}

WITHIN_URL: Final[dict[str, Carry]] = {
    "pip.conf": carried("[global]\nindex-url = https://__token__:{v}@pkgs.example.org/simple/\n", encode=as_url),
    "remote": carried("origin\thttps://oauth2:{v}@git.example.org/team/app.git (fetch)\n", encode=as_url),
    "remote as user": carried("origin  https://{v}@git.example.org/team/app.git (push)\n", encode=as_url),
}

HEADERS: Final[dict[str, Carry]] = {
    "curl -v": carried("> GET /v1 HTTP/2\n> Host: api.example.org\n> Authorization: Bearer {v}\n> Accept: */*\n"),
    "curl -v key": carried("> x-api-key: {v}\r\n> user-agent: curl/8.5.0\r\n"),
    "curl http2": carried("* [HTTP/2] [1] [authorization: Bearer {v}]\n* [HTTP/2] [1] [accept: */*]\n"),
    "nghttp": carried("[  0.015] send HEADERS frame <length=42>\n          authorization: token {v}\n"),
    "npmrc": carried("registry=https://npm.example.org/\n//npm.example.org/:_authToken={v}\n"),
    "private token": carried("> PRIVATE-TOKEN: {v}\n"),
    "glued": carried("cloning with {v}...\n"),
    "bare line": carried("Your token:\n\n{v}\n\nKeep it safe.\n"),
    "print": carried(">>> print(key)\n{v}\n>>> exit()\n"),
    "argument": carried("$ ./deploy.sh production {v} --force\n"),
    "json list": carried('["deploy", "{v}", "--force"]\n'),
}
