import pytest

from transforms.redaction.given import noise_after, password_after


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
