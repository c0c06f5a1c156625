import base64
import json
import pickle
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Header, Message, MessageCall, Rollout
from tests.rule_examples import draw_example
from transforms.redaction.engine import Redactor


def _rollout(*messages: Message, **header: str) -> Rollout:
    return Rollout(Header("test", **header), messages, native_id="n", canonical_sha256="0" * 64, record_key="0")


def _contents(rollout: Rollout) -> list[str | None]:
    return [message.content for message in rollout.messages]


def test_placeholders_are_numbered_by_first_appearance_and_shared_inside_a_rollout(make_secret):
    rng = random.Random(1)
    first, second = make_secret("github", rng)[0], make_secret("github", rng)[0]
    rollout = _rollout(
        Message("user", f"use {first} or {second}"), Message("assistant", f"I take {second}, not {first}")
    )
    redacted, counts = Redactor().redact_rollout(rollout)
    assert _contents(redacted) == [
        "use <GITHUB_TOKEN_1> or <GITHUB_TOKEN_2>",
        "I take <GITHUB_TOKEN_2>, not <GITHUB_TOKEN_1>",
    ]
    assert counts == {"GITHUB_TOKEN": 4}


def test_a_secret_known_from_its_context_vanishes_where_it_stands_bare(make_secret):
    secret, assignment = make_secret("env_token", random.Random(2))
    redacted, counts = Redactor().redact_rollout(
        _rollout(Message("assistant", f"send X-Thing {secret}"), Message("tool", assignment))
    )
    assert _contents(redacted) == ["send X-Thing <SECRET_1>", "export DEPLOY_TOKEN=<SECRET_1>"]
    assert counts == {"SECRET": 2}


def test_every_text_of_a_rollout_is_scanned(make_secret):
    secret = make_secret("stripe", random.Random(3))[0]
    call = MessageCall("run", json.dumps({"a": [secret]}), arguments_raw=f"raw {secret}")
    message = Message(
        "assistant",
        secret,
        parts_json=json.dumps([{"text": secret}]),
        reasoning=secret,
        calls=(call,),
        extra_json=json.dumps({"x": secret}),
    )
    texts = dict.fromkeys(["task_text", "submission", "answer", "error_message", "tools_json"], secret)
    rollout = replace(_rollout(message, **texts), parse_warnings=(f"odd value {secret}",))
    redacted, counts = Redactor().redact_rollout(rollout)
    assert secret not in repr(redacted)
    assert counts == {"STRIPE_KEY": 12}


def test_the_names_of_reward_components_are_redacted(make_secret):
    secret = make_secret("github", random.Random(9))[0]
    rollout = replace(_rollout(Message("user", "go")), header=Header("test", reward_components={f"m {secret}": 0.5}))
    redacted, counts = Redactor().redact_rollout(rollout)
    assert redacted.header.reward_components == {"m <GITHUB_TOKEN_1>": 0.5}
    assert counts == {"GITHUB_TOKEN": 1}


def test_an_id_that_is_a_secret_has_one_placeholder_wherever_it_stands(make_secret):
    secret = make_secret("stripe", random.Random(3))[0]
    message = Message("tool", "ok", tool_call_id=secret)
    redacted, counts = Redactor().redact_rollout(replace(_rollout(message, task_id=secret), native_id=secret))
    expected = _rollout(Message("tool", "ok", tool_call_id="<STRIPE_KEY_1>"), task_id="<STRIPE_KEY_1>")
    assert redacted == replace(expected, native_id="<STRIPE_KEY_1>")
    assert counts == {"STRIPE_KEY": 3}


def test_ids_that_look_like_personal_data_stand(make_secret):
    rollout = _rollout(Message("tool", make_secret("stripe", random.Random(3))[0]), task_id="415-555-0134")
    redacted, counts = Redactor(personal_data=True).redact_rollout(rollout)
    assert redacted.header.task_id == "415-555-0134"
    assert counts == {"STRIPE_KEY": 1}


def test_a_secret_split_over_parts_has_one_placeholder(make_secret):
    secret = make_secret("github", random.Random(10))[0]
    texts = [f"take {secret[:15]}", f"{secret[15:]} and go"]
    parts = json.dumps([{"type": "text", "text": text} for text in texts])
    message = Message("user", "\n".join(texts), content_state="parts", parts_json=parts)
    redacted, counts = Redactor().redact_rollout(_rollout(message))
    mended = Message(
        "user",
        "take <GITHUB_TOKEN_1>\n and go",
        content_state="parts",
        parts_json='[{"type":"text","text":"take <GITHUB_TOKEN_1>"},{"type":"text","text":" and go"}]',
    )
    assert redacted == _rollout(mended)
    assert counts == {"GITHUB_TOKEN": 1}


def test_a_secret_split_over_two_messages_has_one_placeholder(make_secret):
    secret = make_secret("anthropic", random.Random(11))[0]
    redacted, _ = Redactor().redact_rollout(
        _rollout(Message("tool", f"key {secret[:40]}"), Message("tool", f"{secret[40:]}\n"))
    )
    assert _contents(redacted) == ["key <ANTHROPIC_KEY_1>", "\n"]


@pytest.mark.parametrize(
    ("form", "kind"), [("00D{a12}!AQ{a90}", "SALESFORCE_TOKEN"), ("v^1.1#i^1#p^3#r^0#{a120}==", "EBAY_TOKEN")]
)
def test_a_token_with_signs_in_it_is_mended_wherever_it_is_cut(form, kind):
    secret, _ = draw_example(form, random.Random(14))
    for cut in (6, 17, 40):
        redacted, _ = Redactor().redact_rollout(
            _rollout(Message("tool", f"key {secret[:cut]}"), Message("tool", f"{secret[cut:]}\n"))
        )
        assert _contents(redacted) == [f"key <{kind}_1>", "\n"]


def test_headings_and_signs_after_a_word_stand():
    messages = [Message("user", "the key"), Message("assistant", "# Heading"), Message("user", "!done")]
    assert Redactor().redact_rollout(_rollout(*messages)) == (_rollout(*messages), {})


def test_a_word_after_a_whole_secret_stands_in_the_next_message(make_secret):
    secret = make_secret("github", random.Random(12))[0]
    redacted, _ = Redactor().redact_rollout(_rollout(Message("tool", secret), Message("assistant", "Thanks, done")))
    assert _contents(redacted) == ["<GITHUB_TOKEN_1>", "Thanks, done"]


def test_a_secret_of_the_maintained_catalogue_is_found_glued_to_words():
    secret = "bk" + "ua_" + "a1b2c3d4e5" * 4
    redacted = Redactor().redact_text(f"nx_{secret} {secret}, and\\n{secret}x")
    assert redacted == (
        "nx_<BUILDKITE_USER_ACCESS_TOKEN_1> <BUILDKITE_USER_ACCESS_TOKEN_1>, and\\n<BUILDKITE_USER_ACCESS_TOKEN_2>"
    )


def test_a_secret_wrapped_in_base64_is_found_at_any_place_of_the_letters(make_secret):
    secret = make_secret("github_fine", random.Random(13))[0]
    for before in ["", "x", "xy", "xyz"]:
        wrapped = base64.b64encode(f"{before} {secret} end".encode()).decode()
        assert Redactor().redact_text(f"echo {wrapped} | base64 -d") == "echo <ENCODED_SECRET_1> | base64 -d"


def test_decoded_argument_strings_are_scanned_and_the_rest_of_the_json_stands(make_secret):
    secret = make_secret("github", random.Random(4))[0]
    escaped = f'{{"big":12345678901234567890,"text":"\\u{ord(secret[0]):04x}{secret[1:]}\\n","z":1.50}}'
    redacted, _ = Redactor().redact_rollout(_rollout(Message("assistant", None, calls=(MessageCall("w", escaped),))))
    assert redacted.messages[0].calls[0].arguments_json == (
        '{"big":12345678901234567890,"text":"<GITHUB_TOKEN_1>\\n","z":1.5}'
    )


def test_a_key_speaks_for_its_decoded_value():
    arguments = json.dumps({"api_key": "a1&\u00e9" + "b2c3" * 4, "path": "a1/b2.txt"})
    redacted, counts = Redactor().redact_rollout(
        _rollout(Message("assistant", None, calls=(MessageCall("set", arguments),)))
    )
    assert redacted.messages[0].calls[0].arguments_json == '{"api_key":"<SECRET_1>","path":"a1/b2.txt"}'
    assert counts == {"SECRET": 1}


def test_a_clean_rollout_is_handed_back_itself():
    rollout = _rollout(Message("user", "list the files"), task_text="List the files.")
    redacted, counts = Redactor().redact_rollout(rollout)
    assert redacted is rollout
    assert counts == {}


def test_allowed_literals_stand(make_secret):
    rng = random.Random(5)
    allowed, other = make_secret("aws_key", rng)[0], make_secret("aws_key", rng)[0]
    redactor = Redactor(allow=[allowed])
    assert redactor.redact_text(f"{allowed} and {other}") == f"{allowed} and <AWS_KEY_1>"


def test_disabled_changes_nothing(make_secret):
    text = make_secret("github", random.Random(6))[1]
    assert Redactor(enabled=False).redact_text(text) == text


def test_numbers_of_placeholders_already_there_are_not_taken(make_secret):
    secret = make_secret("github", random.Random(8))[0]
    assert Redactor().redact_text(f"{secret} <GITHUB_TOKEN_1>") == "<GITHUB_TOKEN_2> <GITHUB_TOKEN_1>"


def test_a_pickled_redactor_works_the_same(make_secret):
    text = make_secret("jwt", random.Random(9))[1]
    redactor = Redactor(allow=["x"], personal_data=True)
    assert pickle.loads(pickle.dumps(redactor)).redact_text(text) == redactor.redact_text(text) == "<JWT_1>"


@given(data=st.data(), seed=st.integers(0, 2**32))
def test_redacting_twice_changes_nothing(data, seed, make_secret, secret_kinds):
    rng = random.Random(seed)
    noise = st.text(alphabet="ab1 =:'\"\\/@<>_-\n\u00e9\U0001f600AKI", max_size=12)
    pieces = []
    for kind in data.draw(st.lists(st.sampled_from(secret_kinds), max_size=5)):
        pieces += [data.draw(noise), make_secret(kind, rng)[data.draw(st.integers(0, 1))]]
    text = "".join([*pieces, data.draw(noise)])
    rollout = _rollout(Message("user", text), Message("assistant", text[::-1], extra_json=json.dumps({"token": text})))
    once, _ = Redactor(personal_data=True).redact_rollout(rollout)
    assert Redactor(personal_data=True).redact_rollout(once) == (once, {})


def test_what_stands_behind_a_placeholder_begins_no_text(make_secret):
    text = make_secret("aws_key", random.Random(3))[0] + "1/1@A1"
    rollout = _rollout(Message("user", text), Message("assistant", text[::-1]))
    once, _ = Redactor().redact_rollout(rollout)
    assert Redactor().redact_rollout(once) == (once, {})


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_passes_without_an_error_and_twice_is_once(text):
    once = Redactor(personal_data=True).redact_text(text)
    assert Redactor(personal_data=True).redact_text(once) == once
