"""Made-up secrets: random text in the shape of credentials, so that redaction has something to find."""

import base64
import random
import string
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from transforms.synthesis.vocabulary import make_words

_LETTERS: Final = string.ascii_letters + string.digits
_UPPER: Final = string.ascii_uppercase + string.digits


class Secret(NamedTuple):
    """A planted secret: its kind, the text that must not survive, and the line it stands in."""

    kind: str
    value: str
    line: str


def draw_secret(rng: random.Random, kind: str) -> Secret:
    """Return a random secret of a kind of `SECRET_KINDS`."""
    value, template = _MAKERS[kind](rng)
    return Secret(kind, value, template % value)


def _text(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choices(alphabet, k=length))


def _url_text(rng: random.Random, num_bytes: int) -> str:
    return base64.urlsafe_b64encode(rng.randbytes(num_bytes)).decode().rstrip("=")


def _cloud_key(rng: random.Random) -> tuple[str, str]:
    return "AK" + "IA" + _text(rng, _UPPER, 16), "export AWS_ACCESS_KEY_ID=%s\n"


def _cloud_secret(rng: random.Random) -> tuple[str, str]:
    return _text(rng, _LETTERS, 40), "aws_secret_access_key = %s\n"


def _forge_token(rng: random.Random) -> tuple[str, str]:
    return "gh" + "p_" + _text(rng, _LETTERS, 36), "origin https://%s@git.internal/app.git (fetch)\n"


def _chat_token(rng: random.Random) -> tuple[str, str]:
    digits = _text(rng, string.digits, 12)
    return "xo" + "xb-" + digits + "-" + _text(rng, _LETTERS, 24), "notifier token=%s\n"


def _model_key(rng: random.Random) -> tuple[str, str]:
    return "sk" + "-proj-" + _text(rng, _LETTERS, 48), "OPENAI_API_KEY=%s\n"


def _url_password(rng: random.Random) -> tuple[str, str]:
    user, host = make_words(rng, 2)
    return _text(rng, _LETTERS, 20), f"DATABASE_URL=postgres://{user}:%s@{host}.internal:5432/app\n"


def _bearer(rng: random.Random) -> tuple[str, str]:
    return _text(rng, _LETTERS, 40), "> Authorization: Bearer %s\n"


def _web_token(rng: random.Random) -> tuple[str, str]:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"' + _text(rng, _LETTERS, 18).encode() + b'"}').decode().rstrip("=")
    return f"{head}.{body}.{_url_text(rng, 32)}", "session cookie %s\n"


def _assignment(rng: random.Random) -> tuple[str, str]:
    return _text(rng, _LETTERS, 24), f"{make_words(rng, 1)[0].upper()}_API_KEY=%s\n"


def _private_key(rng: random.Random) -> tuple[str, str]:
    body = "\n".join(_text(rng, _LETTERS + "+/", 64) for _ in range(6))
    return body, "-----BEGIN " + "RSA PRIVATE KEY-----\n%s\n-----END " + "RSA PRIVATE KEY-----\n"


_MAKERS: Final[Mapping[str, Callable[[random.Random], tuple[str, str]]]] = {
    "cloud_key": _cloud_key,
    "cloud_secret": _cloud_secret,
    "forge_token": _forge_token,
    "chat_token": _chat_token,
    "model_key": _model_key,
    "url_password": _url_password,
    "bearer": _bearer,
    "web_token": _web_token,
    "assignment": _assignment,
    "private_key": _private_key,
}
SECRET_KINDS: Final = tuple(_MAKERS)
