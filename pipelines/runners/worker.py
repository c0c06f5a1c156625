"""A worker process of the run: Beam's own, without its talk over the progress display; errors go back to the run.

The run's process id is its one argument: a worker whose run is gone ends itself.
"""

import logging
import os
import sys
import threading
import time

import psutil

_POLL_S = 0.5


def main() -> None:
    """Serve as a Beam worker until the run ends."""
    name, run_process = sys.argv[:2]
    threading.Thread(target=_end_with, args=(int(run_process),), daemon=True).start()
    logging.disable(logging.ERROR)
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main([name])
    # Native threads of the libraries can abort a process that takes itself down, which would read as a lost worker.
    os._exit(0)


def _end_with(process: int) -> None:
    """End this worker once the run's process is gone, also when nobody has yet asked how it ended."""
    while True:
        try:
            is_gone = psutil.Process(process).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            is_gone = True
        if is_gone:
            os._exit(1)
        time.sleep(_POLL_S)


if __name__ == "__main__":
    main()
