import base64
import json
import random

import pytest

from schemas.records import Header, Message, MessageCall, Rollout
from tests.unseen_prints import KINDS, draw_print
from transforms.redaction.encoded import encoded_rule
from transforms.redaction.engine import Redactor
from transforms.redaction.fields import scanned_texts
from transforms.redaction.matching import compile_rules
from transforms.redaction.named import named_values
from transforms.redaction.notes import note_rollout
from transforms.redaction.suspects import could_decode, could_speak, name_ends
from transforms.redaction.units import Page, encode

PROMPT = "Do not print passwords, keys or tokens. Answer 42 first.\n"
VALUE = "harborA1b2C3d4E5f6G7h8"
NOISE = "aB3dE5fG7hJ9kL2mN4pQ"


def _rollout(*contents: str, **header: str) -> Rollout:
    return Rollout(Header("test", **header), tuple(Message("user", text) for text in contents), None, "0" * 64, "0")


def _could_speak(rollout: Rollout) -> bool:
    scanned = scanned_texts(rollout)
    return could_speak(rollout, scanned, encode("\0".join(scanned.texts)))


@pytest.mark.parametrize(
    "text", [PROMPT, "no name", "é\0token of the house", '{"max_tokens": 4096}', "a\0b\0token_count 7"]
)
def test_names_that_stand_in_prose_speak_for_nothing(text):
    assert not _could_speak(_rollout("before 1234567890", text, "after A1b2C3d4E5f6G7h8"))


@pytest.mark.parametrize("text", [f"token={VALUE}", f"the token:\n{VALUE}", f"\0é\0'{VALUE}'  # api key\n"])
@pytest.mark.parametrize("place", range(3))
def test_a_name_with_a_value_speaks_wherever_it_stands(text, place):
    contents = [PROMPT, "words", "words 7"]
    contents[place] = text
    assert _could_speak(_rollout(*contents))


def test_a_name_in_escaped_json_speaks():
    call = MessageCall("run", json.dumps({"cmd": f"export\tAPI_TOKEN={VALUE}"}))
    assert _could_speak(Rollout(Header("t"), (Message("assistant", "", calls=(call,)),), None, "0" * 64, "0"))
    assert _could_speak(_rollout("x", extra_json=json.dumps([{"name": "API_KEY", "value": VALUE}])))


def test_a_name_over_two_contents_is_left_to_the_whole_rollout():
    assert _could_speak(_rollout("the tok", "en is here"))


def test_many_names_are_left_to_the_whole_rollout():
    assert _could_speak(_rollout("token of the house\n" * 100))
    assert len(name_ends(b"token " * 1000)) < 100


def test_what_the_whole_rollout_holds_is_never_passed_over():
    rng = random.Random(11)
    for kind in sorted(KINDS):
        for _ in range(15):
            texts = [PROMPT, "words 7", draw_print(kind, rng)[1].text, "tail\n", "1234 A1b2C3d4"]
            rng.shuffle(texts)
            rollout = _rollout(*texts)
            if any(named_values(Page(note_rollout(rollout).units).text)):
                assert _could_speak(rollout)


def test_a_secret_split_over_parts_is_found_where_only_names_are_flagged():
    value = "".join(random.Random(5).choices("abcdefghjkmnpqrs23456789ABCDEFGH", k=30))
    parts = json.dumps([{"text": f"api_key={value[:6]}"}, {"text": f"{value[6:]} and on"}])
    message = Message("user", f"api_key={value[:6]}\n{value[6:]} and on", "parts", parts_json=parts)
    rollout = Rollout(Header("t"), (message,), None, "0" * 64, "0")
    assert value[6:] not in repr(Redactor().redact_rollout(rollout)[0])


@pytest.mark.parametrize("text", [f"session cookie was {NOISE}-{NOISE}", f"the vault, hence {NOISE}{NOISE}"])
def test_a_random_token_near_a_word_for_credentials_speaks_without_a_name_beside(text):
    assert _could_speak(_rollout(PROMPT, "words 7", text))
    assert not _could_speak(_rollout(PROMPT, "words 7", text.replace(NOISE, "harbor-of-the-seven-seas")))


def test_a_random_token_that_is_an_id_or_away_from_such_words_speaks_for_nothing():
    assert not _could_speak(_rollout(PROMPT, f"session call_{NOISE}{NOISE}"))
    assert not _could_speak(_rollout(PROMPT, f"see {NOISE}{NOISE}"))


def test_a_phrase_that_only_a_mark_in_the_next_text_lets_be_seen_is_left_to_the_whole_rollout():
    rollout = _rollout("password='Correct-Horse-Battery-Staple'", "7")
    assert Redactor().redact_rollout(rollout)[1] == {"PASSWORD": 1}
    assert _could_speak(rollout)


def _could_decode(rollout: Rollout) -> bool:
    scanned = scanned_texts(rollout)
    (rule,) = compile_rules([encoded_rule()])
    return could_decode(rollout, scanned, encode("\0".join(scanned.texts)), rule=rule)


@pytest.mark.parametrize("place", range(3))
def test_a_run_of_base64_that_decodes_to_a_secret_is_told_from_one_that_looks_like_it(place):
    wrapped = base64.b64encode(f"export API_TOKEN={VALUE}".encode()).decode()
    contents = ["path/to/c2VjcmV0/x ", "é\0words ", "cGFzc3dvcmQ "]
    assert not _could_decode(_rollout(*contents))
    contents[place] += f"{wrapped}\n"
    assert _could_decode(_rollout(*contents))
    assert Redactor().redact_rollout(_rollout(*contents))[1] == {"ENCODED_SECRET": 1}


def test_a_run_of_base64_over_two_contents_is_left_to_the_whole_rollout():
    assert _could_decode(_rollout("the c2Vj", "cmV0/x"))
