"""Lines of logs that hold hashes, ids and paths and no secret."""

import base64
import random
import uuid


def benign_lines(rng: random.Random, count: int) -> list[str]:
    """Return lines in which nothing is a secret."""

    def hexes(length: int) -> str:
        return f"{rng.getrandbits(length * 4):0{length}x}"

    def digest() -> str:
        return base64.b64encode(rng.randbytes(32)).decode()

    makers = [
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
