"""Secrets that stand in texts of their own form: keys, connection strings, headers, cookies, webhooks, signed URLs."""

import base64
import json
import random
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import quote

from tests.unseen_carriers import Planted
from tests.unseen_commands import COMMANDS, SQL
from tests.unseen_forms import (
    AZURE,
    COOKIES,
    FILES,
    HASHES,
    HEADER_FRAMES,
    HEADERS,
    HOOKS,
    SIGNED,
    STRINGS,
    URL_FRAMES,
    URLS,
)
from tests.unseen_names import human_password, strong_password
from tests.unseen_secrets import ALNUM, BASE64, HEX, URL_SAFE, Make, chars, one_of, uuid

Draw = Callable[[random.Random], tuple[str, Planted]]

PRIVATE: Final = "PRIVATE" + " KEY"


def _in(templates: Sequence[str], make: Make, *, encode: Callable[[str], str] = str) -> dict[str, Draw]:
    """Return a way to draw for each template; `~v` is the secret."""

    def at(template: str) -> Draw:
        def draw(rng: random.Random) -> tuple[str, Planted]:
            value = encode(make(rng))
            text = template.replace("~n", "\n").replace("~t", "\t").replace("~r", "\r")
            return template, Planted(value, text.replace("~v", value))

        return draw

    return {template: at(template) for template in templates}


def _percent(value: str) -> str:
    return quote(value, safe="")


def _login64(rng: random.Random) -> str:
    return base64.b64encode(f"{rng.choice(['admin', 'deploy', 'x'])}:{human_password(rng)}".encode()).decode()


def _hidden(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


_OPAQUE: Final = one_of(chars(ALNUM, 24), chars(ALNUM, 40), chars(URL_SAFE, 43), chars(HEX, 40), chars(HEX, 64), uuid)
_URL_PASSWORD: Final = one_of(human_password, strong_password, chars(ALNUM, 10), chars(HEX, 32))


def _urls() -> dict[str, Draw]:
    return _in(
        tuple(URL_FRAMES[index % len(URL_FRAMES)].replace("~u", url) for index, url in enumerate(URLS * 3)),
        _URL_PASSWORD,
        encode=_percent,
    )


def _raw_urls() -> dict[str, Draw]:
    """Passwords in URLs as people leave them: with signs that should have been encoded."""

    def make(rng: random.Random) -> str:
        return human_password(rng).replace("x", "") + rng.choice("!$&*;=+") + chars(ALNUM, 6)(rng)

    return _in(tuple(URL_FRAMES[index % 4].replace("~u", url) for index, url in enumerate(URLS)), make)


def _headers() -> dict[str, Draw]:
    templates = []
    for index, header in enumerate(HEADERS * 4):
        key, _, value = header.partition(": ")
        frame = HEADER_FRAMES[(index * 5 + index // len(HEADERS)) % len(HEADER_FRAMES)]
        templates.append(frame.replace("~h", header).replace("~k", key).replace("~w", value))
    return _in(tuple(templates), _OPAQUE)


def _key_block(rng: random.Random) -> list[str]:
    return [chars(BASE64, 64)(rng) for _ in range(rng.randint(4, 26))] + [chars(BASE64, rng.randint(8, 60))(rng)]


_KEY_FORMS: Final[dict[str, Callable[[str, list[str]], str]]] = {
    "pem": lambda name, lines: "\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]),
    "escaped": lambda name, lines: (
        'KEY="' + "\\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]) + '"'
    ),
    "twice escaped": lambda name, lines: "\\\\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]),
    "one line": lambda name, lines: " ".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]),
    "no breaks": lambda name, lines: f"-----BEGIN {name}-----{''.join(lines)}-----END {name}-----",
    "indented": lambda name, lines: (
        "key: |\n" + "\n".join(f"  {line}" for line in [f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"])
    ),
    "numbered": lambda name, lines: "\n".join(
        f"{number:4d}\t{line}"
        for number, line in enumerate([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"], 1)
    ),
    "quoted": lambda name, lines: "\n".join(
        f"> {line}" for line in [f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]
    ),
    "added": lambda name, lines: "\n".join(
        f"+{line}" for line in [f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]
    ),
    "concatenated": lambda name, lines: " +\n".join(
        f'"{line}\\n"' for line in [f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]
    ),
    "listed": lambda name, lines: ",\n".join(
        f"'{line}'" for line in [f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]
    ),
    "headless": lambda name, lines: "private_key: " + "".join(lines),
    "cut": lambda name, lines: "\n".join([f"-----BEGIN {name}-----", *lines]),
    "tail": lambda name, lines: "\n".join([*lines, f"-----END {name}-----"]),
    "wrapped": lambda name, lines: (
        "key: " + _hidden("\n".join([f"-----BEGIN {name}-----", *lines, f"-----END {name}-----"]))
    ),
    "encrypted": lambda name, lines: "\n".join(
        [
            f"-----BEGIN {name}-----",
            "Proc-Type: 4,ENCRYPTED",
            "DEK-Info: AES-128-CBC,AB12",
            "",
            *lines,
            f"-----END {name}-----",
        ]
    ),
}


def _keys() -> dict[str, Draw]:
    def of(form: str) -> Draw:
        def draw(rng: random.Random) -> tuple[str, Planted]:
            name = rng.choice(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "]) + PRIVATE
            lines = _key_block(rng)
            secret = _hidden(f"{lines[0]}\n{lines[1]}\n") if form == "wrapped" else rng.choice(lines[:-1])
            text = _KEY_FORMS[form](name, lines)
            return form, Planted(text[len(text) // 2 :][:40] if form == "wrapped" else secret, text)

        return draw

    return {form: of(form) for form in _KEY_FORMS}


def _web_keys() -> dict[str, Draw]:
    def of(form: str) -> Draw:
        def draw(rng: random.Random) -> tuple[str, Planted]:
            value = chars(URL_SAFE, 43)(rng)
            keys = {
                "ec": {
                    "kty": "EC",
                    "crv": "P-256",
                    "x": chars(URL_SAFE, 43)(rng),
                    "y": chars(URL_SAFE, 43)(rng),
                    "d": value,
                },
                "oct": {"kty": "oct", "alg": "HS256", "k": value},
                "rsa": {
                    "kty": "RSA",
                    "n": chars(URL_SAFE, 342)(rng),
                    "e": "AQAB",
                    "d": chars(URL_SAFE, 342)(rng),
                    "p": value,
                    "q": chars(URL_SAFE, 171)(rng),
                },
                "okp": {"crv": "Ed25519", "d": value, "x": chars(URL_SAFE, 43)(rng), "kty": "OKP"},
            }
            kind, _, style = form.partition(" ")
            return form, Planted(
                value,
                {
                    "": json.dumps,
                    "repr": str,
                    "compact": lambda key: json.dumps(key, separators=(",", ":")),
                    "lines": lambda key: json.dumps(key, indent=2),
                }[style](keys[kind]),
            )

        return draw

    return {
        f"{kind}{style}": of(f"{kind}{style}")
        for kind in ("ec", "oct", "rsa", "okp")
        for style in ("", " repr", " compact", " lines")
    }


def _manifests() -> dict[str, Draw]:
    return _in(
        (
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  username: YWRtaW4=\n  password: ~v\n",
            "apiVersion: v1\ndata:\n  password: ~v\nkind: Secret\n",
            "kind: Secret\ndata:\n  config: ~v\n",
            "data:\n  tls.key: ~v\n  tls.crt: x\nkind: Secret\ntype: kubernetes.io/tls\n",
            '{"kind":"Secret","data":{"password":"~v"}}',
            '{\n  "apiVersion": "v1",\n  "data": {\n    "app": "~v"\n  },\n  "kind": "Secret"\n}',
            "data:\n  .dockerconfigjson: ~v\nkind: Secret\n",
            "kind: Secret\nstringData:\n  any.conf: ~v\n",
            "- apiVersion: v1\n  data:\n    DB_PASS: ~v\n  kind: Secret\n",
            "$ kubectl get secret x -o yaml\napiVersion: v1\ndata:\n  auth: ~v\nkind: Secret",
        ),
        one_of(human_password, chars(ALNUM, 20), strong_password),
        encode=_hidden,
    )


WHOLES: Final[dict[str, dict[str, Draw]]] = {
    "url password": _urls(),
    "url raw password": _raw_urls(),
    "connection string": _in(STRINGS, one_of(human_password, chars(ALNUM, 14), chars(ALNUM, 24))),
    "azure string": _in(AZURE, chars(BASE64, 43)),
    "header": _headers(),
    "basic header": _in(
        tuple(
            frame.replace("~h", "Authorization: Basic ~v").replace("~k", "Authorization").replace("~w", "Basic ~v")
            for frame in HEADER_FRAMES
        ),
        _login64,
    ),
    "cookie": _in(COOKIES, one_of(chars(ALNUM, 26), chars(HEX, 32), chars(ALNUM, 32), chars(URL_SAFE, 43))),
    "webhook": _in(HOOKS, one_of(chars(ALNUM, 24), chars(HEX, 32), chars(ALNUM, 40), uuid)),
    "signed url": _in(SIGNED, one_of(chars(HEX, 64), chars(URL_SAFE, 43), chars(ALNUM, 32))),
    "settings file": _in(FILES, one_of(chars(ALNUM, 24), chars(ALNUM, 36), chars(BASE64, 43))),
    "command": _in(COMMANDS, one_of(chars(ALNUM, 12), chars(ALNUM, 20), human_password)),
    "call": _in(SQL, one_of(chars(ALNUM, 12), human_password, strong_password)),
    "password hash": _in(HASHES, chars(ALNUM + "./", 53)),
    "private key": _keys(),
    "web key": _web_keys(),
    "manifest": _manifests(),
}
