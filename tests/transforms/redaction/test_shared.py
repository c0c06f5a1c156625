import json
import random

import pytest

from schemas.records import Header, Message, Rollout
from tests.unseen_prints import KINDS, draw_print
from transforms.redaction.catalogue import compiled_catalogue
from transforms.redaction.engine import Redactor
from transforms.redaction.fields import scanned_texts
from transforms.redaction.shared import SharedTexts

LINES = "Answer in one line.\n" * 40
PROMPT = f"{LINES}Do not print passwords, keys or tokens.\n{LINES}"
NOISE = "aB3dE5fG7hJ9kL2mN4pQ"


def _rollout(*contents: str, components: tuple[str, ...] = (), **header: str) -> Rollout:
    messages = tuple(Message("user", text) for text in contents)
    header_ = Header("test", reward_components=dict.fromkeys(components, 1.0), **header)
    return Rollout(header_, messages, None, "0" * 64, "0")


def _shared() -> SharedTexts:
    catalogue = compiled_catalogue(False)
    return SharedTexts(catalogue.one_pass, names=catalogue.names_index)


def _known_at_last(rollout: Rollout) -> list[bool]:
    shared = _shared()
    return [list(shared.known_of(rollout)) for _ in range(3)][-1]


def test_clean_texts_are_known_from_their_second_sight_on():
    rollout = _rollout(PROMPT, "on", tools_json='[{"name": "ls"}]', sampling_json='{"n": 1}', components=("tests",))
    shared = _shared()
    assert [any(shared.known_of(rollout)) for _ in range(3)] == [False, True, True]
    assert list(shared.known_of(rollout)) == [True] * 5
    assert scanned_texts(rollout, shared.known_of(rollout)).texts == ["0", "on"]


def test_texts_without_names_have_none():
    assert _known_at_last(_rollout(LINES)) == [False, False, True, False, False]


@pytest.mark.parametrize(
    "text", [f"the token is {NOISE}", NOISE, "<SECRET_1>", "id, token, port", "gh" + "p_" + "a1B2" * 9, "a" * 100_000]
)
def test_what_could_hold_a_secret_reads_beyond_its_end_or_is_long_is_never_known(text):
    assert not any(_known_at_last(_rollout(text)))


def test_strings_of_json_are_judged_as_they_are_redacted():
    assert _known_at_last(_rollout("x", sampling_json='{"stop_tokens": ["end"]}'))[1]
    escaped = json.dumps({"cmd": "export\tAPI_TOKEN=harborA1b2C3d4E5f6G7h8"})
    assert not _known_at_last(_rollout("x", tools_json=escaped))[0]


def test_a_random_token_elsewhere_is_found_beside_a_known_text_with_names():
    redactor = Redactor()
    for _ in range(3):
        clean = redactor.redact_rollout(_rollout(PROMPT, "words 7"))
    assert clean[1] == {}
    found = _rollout(PROMPT, f"session cookie was {NOISE}-{NOISE}")
    assert redactor.redact_rollout(found)[1] == {"SECRET": 1}


def test_a_value_below_a_known_table_head_is_no_less_found():
    value = "harborA1b2C3d4E5f6G7h8"
    redactor = Redactor()
    for _ in range(3):
        redacted = redactor.redact_rollout(_rollout("id,api_token,port", f"x\n1,{value},80\n"))
    assert redacted == Redactor().redact_rollout(_rollout("id,api_token,port", f"x\n1,{value},80\n"))


def test_what_was_seen_before_changes_no_redaction():
    rng = random.Random(3)
    redactor = Redactor()
    for kind in sorted(KINDS):
        text = draw_print(kind, rng)[1].text
        rollout = _rollout(text, "words 7", tools_json=json.dumps([{"description": text}]), components=(text[:40],))
        first, *others = [redactor.redact_rollout(rollout) for _ in range(4)]
        assert others == [first] * 3


def test_secrets_beside_a_known_text_with_names_are_the_same():
    rng = random.Random(4)
    redactor = Redactor()
    for number, kind in enumerate(sorted(KINDS) * 2):
        rollout = _rollout(f"{PROMPT}Of kind {number}.\n", draw_print(kind, rng)[1].text, "words 7")
        first, *others = [redactor.redact_rollout(rollout) for _ in range(3)]
        assert others == [first] * 2
