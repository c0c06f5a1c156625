"""Families by the default engine against the package hdbscan on the same points, 384-d, planted families in noise.

Both sides have the default sizes. CPU-seconds of one thread in one process; imports and loading of compiled code are
told apart. Ours is all of `find_families`, equal points and tight groups included. Agreement is the adjusted Rand
index to the planted families, noise counted as one. The ratio at the largest size that hdbscan ran is printed last,
and hangs on that size, as hdbscan is quadratic.

    python -m tests.benchmarks.bench_families
"""

import argparse
import os
import time
from collections.abc import Callable

from threadpoolctl import threadpool_limits

from schemas.settings.similarity import FamiliesSettings
from tests.benchmarks.planted_vectors import planted_families
from transforms.similarity.engines import FamilyEngine, FastHdbscanEngine, HdbscanEngine
from transforms.similarity.families import find_families

HDBSCAN_POINTS = 13_000

_SETTINGS = FamiliesSettings()
_SIZES, _LEAST = (_SETTINGS.min_cluster_size, _SETTINGS.min_samples), _SETTINGS.min_similarity


def cost_of(work: Callable[[], object]) -> float:
    """Return the CPU-seconds of a piece of work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def load_engine() -> None:
    """Import fast_hdbscan and load its compiled code."""
    points, _ = planted_families(400)
    engine = FastHdbscanEngine(*_SIZES, min_similarity=_LEAST, small_points=0)
    find_families(points, [f"t{row:03}" for row in range(400)], [1] * 400, engine=engine, seed=0)


def bench_engine(engine: FamilyEngine, count: int) -> tuple[float, float]:
    """Return CPU-seconds and agreement of an engine on `count` planted points."""
    from sklearn.metrics import adjusted_rand_score

    points, truth = planted_families(count)
    ids = [f"t{row:06}" for row in range(count)]
    start = time.process_time()
    found = find_families(points, ids, [1] * count, engine=engine, seed=0)
    return time.process_time() - start, float(adjusted_rand_score(truth, found.labels))


def bench_package(count: int) -> tuple[float, float]:
    """Return CPU-seconds and agreement of hdbscan as it comes."""
    import hdbscan
    from sklearn.metrics import adjusted_rand_score

    points, truth = planted_families(count)
    start = time.process_time()
    found = hdbscan.HDBSCAN(min_cluster_size=_SIZES[0], min_samples=_SIZES[1], core_dist_n_jobs=1).fit(points)
    return time.process_time() - start, float(adjusted_rand_score(truth, found.labels_))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, nargs="*", default=[1000, 2000, 3250, HDBSCAN_POINTS, 65_000])
    arguments = parser.parse_args()
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    ratio = ""
    with threadpool_limits(1):
        print(f"importing hdbscan {cost_of(lambda: __import__('hdbscan')):.2f} CPU-s")
        print(f"importing and loading fast_hdbscan {cost_of(load_engine):.2f} CPU-s")
        for count in arguments.points:
            engine = FastHdbscanEngine(*_SIZES, min_similarity=_LEAST, max_points=100_000, small_points=0)
            cost, agreement = bench_engine(engine, count)
            print(f"{count} points: fast_hdbscan {cost:.2f} CPU-s, ARI {agreement:.4f}", flush=True)
            if count <= 4000:
                exact_cost, exact = bench_engine(HdbscanEngine(*_SIZES, min_similarity=_LEAST), count)
                print(f"  matrix engine {exact_cost:.2f} CPU-s, ARI {exact:.4f}")
            if count <= HDBSCAN_POINTS:
                package_cost, package = bench_package(count)
                print(f"  package hdbscan {package_cost:.2f} CPU-s, ARI {package:.4f}", flush=True)
                ratio = f"{package_cost / cost:.1f} x less CPU than hdbscan, ARI {agreement:.4f} against {package:.4f}"
    print(f"families: {ratio}")


if __name__ == "__main__":
    main()
