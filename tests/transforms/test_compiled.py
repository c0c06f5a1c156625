import os
import subprocess
import sys

import pytest

from transforms.compiled import compiled

_SIGN = """
from transforms.lexical.signatures import FastEngine, sign_strings
print(sign_strings(FastEngine(), ["a b c d e f"]).minhash.sum())
"""


def test_a_function_that_can_be_kept_nowhere_is_compiled_all_the_same():
    scope: dict[str, object] = {}
    exec("def twice(number):\n    return 2 * number", scope)  # numba knows no file to keep it beside

    assert compiled(scope["twice"])(21) == 42


@pytest.mark.slow
def test_several_processes_compile_at_a_time_into_one_place(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _SIGN]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate()[0] for process in running]
    third = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)

    assert [process.returncode for process in running] == [0, 0]
    assert {*printed, third.stdout} == {printed[0]}
    assert any(tmp_path.rglob("*.nbc"))
