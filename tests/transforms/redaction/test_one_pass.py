import threading

import pytest

from transforms.redaction.one_pass import Re2Pass, compile_one_pass

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
