import pytest

from transforms.redaction.engine import Redactor
from transforms.synthesis.credentials import SECRET_KINDS, draw_secret
from transforms.synthesis.vocabulary import stream


@pytest.mark.parametrize("kind", SECRET_KINDS)
def test_every_secret_stands_in_its_line_and_is_drawn_anew(kind: str):
    secrets = [draw_secret(stream(0, "secret", number), kind) for number in range(20)]
    assert all(secret.kind == kind and secret.value in secret.line for secret in secrets)
    assert all(secret.line.endswith("\n") for secret in secrets)
    assert len({secret.value for secret in secrets}) == 20


@pytest.mark.parametrize("kind", SECRET_KINDS)
def test_redaction_finds_every_kind(kind: str):
    for number in range(20):
        secret = draw_secret(stream(1, "secret", number), kind)
        assert secret.value not in Redactor().redact_text(f"seen:\n{secret.line}done\n")
