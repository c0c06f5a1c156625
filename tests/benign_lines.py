"""Lines of logs that hold hashes, ids and paths and no secret."""

import base64
import random
import string
import uuid
from typing import Final

_NIX: Final = "0123456789abcdfghijklmnpqrsvwxyz"


def benign_lines(rng: random.Random, count: int) -> list[str]:
    """Return lines in which nothing is a secret."""

    def hexes(length: int) -> str:
        return f"{rng.getrandbits(length * 4):0{length}x}"

    def digest() -> str:
        return base64.b64encode(rng.randbytes(32)).decode()

    def sixty_four(num_bytes: int) -> str:
        return base64.b64encode(rng.randbytes(num_bytes)).decode()

    def letters(length: int) -> str:
        return "".join(rng.choices(string.ascii_lowercase, k=length))

    makers = [
        lambda: f"      integrity: sha512-{sixty_four(64)}",
        lambda: f'  resolved "https://registry.example.org/{letters(7)}/-/{letters(7)}-1.2.3.tgz#{hexes(40)}"',
        lambda: f"    --hash=sha256:{hexes(64)} \\",
        lambda: f"{letters(6)}-{rng.randrange(9)}.0-py3-none-any.whl sha256={sixty_four(32).rstrip('=')}",
        lambda: f"FROM registry.example.org/{letters(5)}@sha256:{hexes(64)}",
        lambda: f"Digest: sha256:{hexes(64)}\tStatus: Downloaded newer image for {letters(6)}:latest",
        lambda: f"/nix/store/{''.join(rng.choices(_NIX, k=32))}-{letters(6)}-1.2.{rng.randrange(9)}/bin/{letters(4)}",
        lambda: f"256 SHA256:{sixty_four(32).rstrip('=')} {letters(5)}@host (ED25519)",
        lambda: f"MD5:{':'.join(hexes(2) for _ in range(16))}",
        lambda: f".{letters(6)} {{ color: #{hexes(6)}; background: #{hexes(8)}; }}",
        lambda: f'<img src="data:image/svg+xml;base64,{sixty_four(200)}" alt="key">',
        lambda: (
            f"!function(e,t){{var n={letters(2)}[{rng.randrange(99)}],r=e.{letters(3)}.key||t.{letters(2)};"
            f"return n.token=r.{letters(4)}({rng.randrange(999)}),n}}"
        ),
        lambda: f"h1:{sixty_four(32)} go.mod {letters(6)} v1.{rng.randrange(99)}.0",
        lambda: f'checksum = "{hexes(64)}"',
        lambda: f'cache_key: {letters(5)}-{hexes(64)}, etag: W/"{hexes(32)}"',
        lambda: f"trace_id={hexes(32)} span_id={hexes(16)} parent={hexes(16)}",
        lambda: (
            f"PASS tests/{letters(8)}/test_{letters(6)}.py::test_key_{letters(5)}[{hexes(8)}] in {rng.random():.3f}s"
        ),
        lambda: f"/home/{letters(5)}/.cache/pip/http-v2/{hexes(1)}/{hexes(1)}/{hexes(1)}/{hexes(56)}",
        lambda: f"sort(key=lambda item: item.{letters(6)}_{rng.randrange(9)})",
        lambda: f":ref:`sphx_glr_auto_{letters(8)}_plot_{letters(9)}_{letters(7)}.py`",
        lambda: f"commit {hexes(40)}",
        lambda: f"{hexes(7)} Fix off-by-one in tokenizer (#{rng.randrange(9999)})",
        lambda: f"sha256:{hexes(64)}  dist/pkg-{rng.randrange(9)}.{rng.randrange(99)}.tar.gz",
        lambda: f"index {hexes(11)}..{hexes(11)} 100644",
        lambda: f'"id": "{uuid.UUID(int=rng.getrandbits(128))}",',
        lambda: f"request_id={uuid.UUID(int=rng.getrandbits(128))} status=200",
        lambda: f"/tmp/pytest-of-root/pytest-{rng.randrange(99)}/{hexes(32)}/test_token_{rng.randrange(99)}.py",
        lambda: f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}",',
        lambda: f"{digest()}",
        lambda: f"data:image/png;base64,{base64.b64encode(rng.randbytes(300)).decode()}",
        lambda: f'  File "/usr/lib/python3.11/site-packages/mod_{rng.randrange(99)}.py", line {rng.randrange(900)}',
        lambda: f"tests/test_auth.py::test_password_{rng.randrange(99)} PASSED [ {rng.randrange(99)}%]",
        lambda: f"max_tokens={rng.randrange(9999)}, token_count: {rng.randrange(10**9)}",
        lambda: f"self.token = self.tokens{rng.randrange(99)}[index + 1]",
        lambda: f"token = tokenizer{rng.randrange(99)}.next_token()",
        lambda: "password = os.environ['DB_PASSWORD']",
        lambda: 'api_key: str | None = None  # read from "${API_KEY_V2}"',
        lambda: f"https://example.org:{rng.randrange(9999)}/a@b/{hexes(12)}",
        lambda: f"git clone git@github.com:org/disk-{hexes(32)}.git",
        lambda: f"risk-{hexes(40)} task-{hexes(40)} cache-key-{hexes(32)}",
        lambda: f"0x{hexes(16)} in libc.so.6 (+0x{hexes(5)})",
        lambda: (
            f"user_id: mia_li_{rng.randrange(9999)}, reservation {hexes(6).upper()}, "
            f"payment credit_card_{rng.randrange(10**7)}"
        ),
    ]
    return [rng.choice(makers)() for _ in range(count)]
