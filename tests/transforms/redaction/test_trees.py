import secrets

from transforms.redaction.engine import Redactor
from transforms.redaction.trees import redact_tree


def test_texts_and_keys_of_a_tree_lose_their_secrets_and_nothing_else_changes():
    token, other = ("gh" + "p_" + secrets.token_hex(18) for _ in range(2))
    tree = {"a": [1, None, token, {"b": f"x {other}"}], token: True, other: 2.5, "c": (False, "words")}
    assert redact_tree(tree, Redactor()) == {
        "a": [1, None, "<GITHUB_TOKEN_1>", {"b": "x <GITHUB_TOKEN_1>"}],
        "<GITHUB_TOKEN_1>": True,
        "<GITHUB_TOKEN_1>~2": 2.5,
        "c": [False, "words"],
    }
