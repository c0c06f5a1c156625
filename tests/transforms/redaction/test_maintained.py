import random
import string

from numba.core import config

from transforms.redaction.maintained import find_maintained, maintained_rules


def _rule(rule_id: str):
    return next(rule for rule in maintained_rules() if rule.rule_id == rule_id)


def _token(seed: int) -> str:
    return "bk" + "ua_" + "".join(random.Random(seed).choices(string.ascii_lowercase + string.digits, k=40))


def test_the_package_has_its_rules():
    assert len(maintained_rules()) > 400
    assert all(rule.kind.isupper() and rule.trigger for rule in maintained_rules())


def test_every_rule_has_a_form_that_compiles():
    assert all(rule.pattern.groups >= 0 for rule in maintained_rules())


def test_rules_read_anew_are_those_that_were_kept(tmp_path, monkeypatch):
    before = maintained_rules.__wrapped__()
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    assert maintained_rules.__wrapped__() == before
    assert len(list((tmp_path / "trajsift").iterdir())) == 1
    assert maintained_rules.__wrapped__() == before


def test_a_token_is_found_alone_and_glued_to_words():
    token, rule = _token(1), _rule("betterleaks.buildkite-user-access-token")
    text = f"a {token} x_{token},".encode()
    assert sorted(set(find_maintained(text, [rule]))) == [
        (2, 47, "BUILDKITE_USER_ACCESS_TOKEN"),
        (50, 95, "BUILDKITE_USER_ACCESS_TOKEN"),
    ]


def test_a_token_inside_base64_is_none():
    rule = _rule("betterleaks.buildkite-user-access-token")
    assert list(find_maintained(f"Zm9vYmFyYmF6{_token(2)}".encode(), [rule])) == []


def test_a_context_rule_gives_its_value():
    value = "".join(random.Random(3).choices(string.ascii_lowercase + string.digits, k=32))
    found = list(find_maintained(f"é adafruit_key = {value}\n".encode(), [_rule("betterleaks.adafruit-api-key")]))
    assert found == [(18, 50, "ADAFRUIT_API_KEY")]


def test_nothing_is_found_across_a_nul():
    value = "".join(random.Random(4).choices(string.ascii_lowercase + string.digits, k=32))
    assert (
        list(find_maintained(f"adafruit_key =\x00{value}\n".encode(), [_rule("betterleaks.adafruit-api-key")])) == []
    )


def test_a_piece_of_a_long_name_or_of_a_hash_is_no_token():
    rules = maintained_rules()
    for text in [b"sphx_glr_auto_examples_svm_plot_svm_tie_breaking.py", b"4b1d" * 18]:
        assert list(find_maintained(b"a" + text, rules)) == []


def test_where_matches_crowd_all_random_values_are_taken():
    rule = _rule("betterleaks.buildkite-user-access-token")
    tokens = [_token(seed) for seed in range(100)]
    found = sorted(find_maintained(" ".join(tokens).encode(), [rule]))
    assert found == [(index * 46, index * 46 + 45, "BUILDKITE_USER_ACCESS_TOKEN") for index in range(100)]
