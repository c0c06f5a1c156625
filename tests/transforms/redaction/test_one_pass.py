import threading

import pytest
from numba.core import config

from transforms.kept import keep_bytes, kept_bytes
from transforms.redaction.one_pass import Re2Pass, compile_one_pass, database_key, needs_long_run

hyperscan = pytest.importorskip("hyperscan")

PATTERNS = [r"ab{2,}c", r"(?i:key)=[0-9]{3}", r"x\x00y"]
OF_RUNS = [r"ab{2,}c", r"[a-z]_[A-Za-z0-9]{32}", r"key", r"(a)(?:[0-9A-Fa-f]){32}\.(b)"]


@pytest.mark.parametrize("compile_patterns", [compile_one_pass, Re2Pass])
def test_the_pass_names_the_patterns_that_stand_in_a_text(compile_patterns):
    one_pass = compile_patterns(PATTERNS)
    texts = [b"", b"abc", b"abbc Key=123", b"\xff\xfe key=123 x\x00y", b"abbbbbc"]
    assert [one_pass(text) for text in texts] == [[], [], [0, 1], [1, 2], [0]]


@pytest.mark.parametrize("compile_patterns", [compile_one_pass, Re2Pass])
def test_patterns_of_long_runs_are_found_beside_others(compile_patterns):
    one_pass = compile_patterns(OF_RUNS)
    texts = [b"key _", b"abbc a_" + b"1" * 31, b"a_" + b"1" * 32, b"key a" + b"f" * 32 + b".b", b"a" * 40]
    assert [one_pass(text) for text in texts] == [[2], [0], [1], [2, 3], []]


def test_re2_leaves_out_what_it_cannot_read():
    assert Re2Pass([r"(?x) a b", r"ab"])(b"ab") == [1]


def test_threads_scan_at_once():
    one_pass = compile_one_pass(PATTERNS)
    text = b"abbc " * 20_000
    answers = []
    threads = [threading.Thread(target=lambda: answers.extend(one_pass(text) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[0]] * 80


def test_compiled_patterns_are_kept_for_the_next_process(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    text = b"abbc Key=123"
    assert compile_one_pass(PATTERNS)(text) == [0, 1]
    kept = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "trajsift").iterdir()}

    assert kept
    assert compile_one_pass(PATTERNS)(text) == [0, 1]
    assert compile_one_pass(PATTERNS[:1])(text) == [0]
    assert compile_one_pass([*PATTERNS[:2], "x"])(text + b"x") == [0, 1, 2]
    after = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "trajsift").iterdir()}
    assert after | kept == after


@pytest.mark.parametrize("body", [b"", b"no database", bytes(5000)])
def test_what_hyperscan_does_not_take_for_a_database_is_compiled_anew(tmp_path, monkeypatch, body):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    key = database_key(PATTERNS, range(len(PATTERNS)), hyperscan.HS_FLAG_SINGLEMATCH)
    keep_bytes(key, body)

    assert compile_one_pass(PATTERNS)(b"abbc Key=123") == [0, 1]
    assert kept_bytes(key) != body


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"gh[pousr]_[A-Za-z0-9]{36,255}", True),
        (r"(?:mainnet|ipfs)[a-z0-9]{32}", True),
        (r"sq(?:live)?[0-9a-f]{40}-us[0-9]{1,2}", True),
        (r"((?:a|b)_[A-Z2-7]{103})", True),
        (r"gh_[A-Za-z0-9]{31}", False),
        (r"gh_[A-Za-z0-9]{8,40}", False),
        (r"gh_[A-Za-z0-9_]{40}", False),
        (r"gh_[^A-Z]{40}", False),
        (r"gh_[A-Za-z0-9+/]{40}", False),
        (r"gh_[A-Za-z0-9]{40}|gl_", False),
        (r"(?:gh_[A-Za-z0-9]{40})?gl_", False),
        (r"(gh_[A-Za-z0-9]{40})*gl_", False),
        (r"gh_(?:[A-Za-z0-9]{40}|[a-z]{3})", False),
        (r"gh_\[a-z]{40}", False),
    ],
)
def test_a_pattern_needs_a_long_run_only_if_all_that_it_matches_has_one(pattern, needs):
    assert needs_long_run(pattern) == needs
