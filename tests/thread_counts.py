"""Results that must not depend on the number of threads: a script run in a process of its own per count."""

import os
import subprocess
import sys
from collections.abc import Sequence


def printed_by_threads(script: str, *, counts: Sequence[int]) -> list[list[str]]:
    """Return the words that a script prints, for each number of threads that BLAS and compiled loops may use."""
    printed = []
    for count in counts:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, str(count))
        result = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
        )
        printed.append(result.stdout.split())
    return printed
