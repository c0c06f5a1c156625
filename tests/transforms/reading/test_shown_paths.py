import random
import secrets
import string

from transforms.reading.shown_paths import found_by_shown_path, shown_paths
from transforms.redaction.engine import Redactor


def _token() -> str:
    return "gh" + "p_" + secrets.token_hex(18)


def _drawn() -> str:
    """Return letters and digits, alike in every run: one drawn value in a hundred reads as a name."""
    return "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=20))


def test_paths_without_secrets_are_shown_as_they_are():
    paths = ["a/b.jsonl", "keys/token-counts.json", "run <GITHUB_TOKEN_1>/c.json", "ü/d.jsonl"]
    assert shown_paths(paths, Redactor()) == {path: path for path in paths}


def test_secrets_in_folders_and_files_are_replaced_and_numbered_within_the_path():
    first, second = _token(), _token()
    paths = [f"run-{first}/{second}.jsonl", f"{second}/{second}.jsonl"]
    assert list(shown_paths(paths, Redactor()).values()) == [
        "run-<GITHUB_TOKEN_1>/<GITHUB_TOKEN_2>.jsonl",
        "<GITHUB_TOKEN_1>/<GITHUB_TOKEN_1>.jsonl",
    ]


def test_a_path_is_shown_alike_whatever_stands_beside_it():
    odd = [f"a/{_token()}.jsonl", f"b/PASSWORD={_drawn()}.json", f"c/{_token()}", "d/plain.json"]
    filling = [f"x/{number:04d}.jsonl" for number in range(1200)]
    together = shown_paths([*filling[:600], *odd, *filling[600:]], Redactor())
    assert {path: together[path] for path in odd} == {
        path: shown for each in odd for path, shown in shown_paths([each], Redactor()).items()
    }
    assert [together[path] == path for path in odd] == [False, False, False, True]


def test_settings_of_redaction_hold_for_paths():
    token = _token()
    mail = "runs/ann.onym" + "@" + "example.org/a.jsonl"
    assert shown_paths([token], Redactor(enabled=False)) == {token: token}
    assert shown_paths([token], Redactor(allow=[token])) == {token: token}
    assert shown_paths([mail], Redactor()) == {mail: mail}
    assert shown_paths([mail], Redactor(personal_data=True)) == {mail: "runs/<EMAIL_1>/a.jsonl"}


def test_bytes_that_are_no_text_are_written_out_beside_a_secret():
    name = b"\xff-%b.jsonl" % _token().encode()
    uri = name.decode("utf-8", "surrogateescape")
    assert shown_paths([uri], Redactor()) == {uri: "\\udcff-<GITHUB_TOKEN_1>.jsonl"}


def test_files_that_are_shown_alike_are_all_found():
    paths = sorted(f"a/{_token()}.jsonl" for _ in range(2))
    assert found_by_shown_path([*paths, "b.jsonl"], Redactor()) == {
        "a/<GITHUB_TOKEN_1>.jsonl": paths,
        "b.jsonl": ["b.jsonl"],
    } | {path: [path] for path in paths}
