"""A worker process of the run: Beam's own, without its talk over the progress display; errors still come through."""

import logging
import sys


def main() -> None:
    """Serve as a Beam worker until the run ends."""
    logging.disable(logging.WARNING)
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)


if __name__ == "__main__":
    main()
