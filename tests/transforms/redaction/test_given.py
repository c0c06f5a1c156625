import pytest

from transforms.redaction.given import answer_after, noise_after, pair_after, password_after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=a9=Bc#d?ef x", "a9=Bc#d?ef"),
        ("password: harbor77!Lantern\n", "harbor77!Lantern"),
        ("password harborLantern771 works", "harborLantern771"),
        ("password for staging? it's harbor7-Lantern2", "harbor7-Lantern2"),
        ("password until friday -> harbor7-Lantern2", "harbor7-Lantern2"),
    ],
)
def test_a_password_is_found_behind_a_link_and_in_words(text, expected):
    place = password_after(text.encode(), len("password"))
    assert place is not None
    assert text[slice(*place)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "password=get_password",
        "password is required here",
        "password /etc/shadow/a1/b2",
        "password of the user",
        "password until friday -> see the wiki",
        "password) -> Session2Token",
    ],
)
def test_words_code_and_paths_are_no_passwords(text):
    assert password_after(text.encode(), len("password")) is None


def test_what_is_full_of_signs_is_taken_to_the_next_blank():
    value = "a1(b2)#c3%d4^e5(f6!g7"
    assert noise_after(f"=  {value} x".encode(), 0) == (3, 3 + len(value))
    assert noise_after(b"=make(first)[0]+second*2 x", 0) is None


@pytest.mark.parametrize("link", ["=", ": ", " -> ", " => ", " is `", ' = "'])
def test_a_value_full_of_signs_is_found_behind_any_link(link):
    value = "k7*nen5w%k#de3-mlm@b+21c4"
    text = f"secret{link}{value}\n".encode()
    place = noise_after(text, len("secret"))
    assert place is not None
    assert text[slice(*place)].decode() == value


def _answer(text: str) -> str | None:
    start = text.index("password")
    place = answer_after(text.encode(), start, end=start + len("password"), accept=lambda value: value.isalnum())
    return text[slice(*place)] if place else None


@pytest.mark.parametrize(
    "text",
    [
        "> ann: what's the db password again?\n> ops: {}",
        "[10:02] ann: could you send me the password\n[10:03] bob: {}\n[10:04] ann: ty",
        "<ann> pls share the password for staging\n<bob> it's `{}`",
        "ann: which password?\\nbob: sure, {}\\n",
        "ann 10:02\nwhat's the password?\nbob 10:03\n{}\n",
        '{{"user":"ann","text":"what is the password?"}}\n{{"user":"bob","text":"{}"}}\n',
        "the db password?\n{}",
    ],
)
def test_what_somebody_answers_to_a_question_for_a_password_is_one(text):
    assert _answer(text.format("harbor7Lantern2")) == "harbor7Lantern2"


@pytest.mark.parametrize(
    "text",
    [
        "text: the db password\nusername: harbor7Lantern2",
        "> ann: what's the password?\n> ops: harbor7Lantern2 is the host",
        "> ann: what's the password?\n\n\n> ops: harbor7Lantern2",
    ],
)
def test_a_field_and_a_sentence_below_a_name_are_no_answers(text):
    assert _answer(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '{{"Name": "/prod/password", "Type": "SecureString", "Value": "{}", "Version": 3}}',
        '{{"name":"password","value":"{}"}}',
        '{{"password": {{"sensitive": true, "type": "string", "value": "{}"}}}}',
        '{{"k": "password", "v": "{}"}}',
        '{{\\"key\\": \\"password\\", \\"secure\\": true, \\"value\\": \\"{}\\"}}',
        '{{"Key": "password",\n  "EncryptedValue": "{}"}}',
    ],
)
def test_the_value_beside_a_name_in_an_object_is_found(text):
    line = text.format("harbor7Lantern2")
    place = pair_after(line.encode(), line.index("password") + len("password"), accept=lambda value: True)
    assert place is not None
    assert line[slice(*place)] == "harbor7Lantern2"


def test_a_value_of_another_object_belongs_to_no_name():
    line = '[{"name": "password"}, {"name": "host", "value": "harbor7Lantern2"}]'
    assert pair_after(line.encode(), line.index("password") + len("password"), accept=lambda value: True) is None
