"""Near pairs in k-means buckets against FAISS Flat, and a cell of 400,000 vectors through the semantic stage.

CPU-seconds of one thread in one process. Recall is that of FAISS `range_search` on the same vectors; one bucket per
vector is the search as SemDeDup has it. Growth is told at 10, 50 and 100 thousand vectors. The large cell runs in a
process of its own, whose peak resident memory counts the mapped file. The ratio at 50,000 is printed last.

    python -m tests.benchmarks.bench_semantic
"""

import argparse
import multiprocessing
import tempfile
import time
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tests.benchmarks.planted_vectors import DIMENSIONS, near_vectors, write_large_cell
from transforms.similarity import buckets
from transforms.similarity.buckets import near_pairs
from transforms.similarity.redundancy import MEMBER, group_redundant
from transforms.similarity.rescoring import unit_rows

MIN_SIMILARITY = 0.93
MEASURED_ROWS = 50_000


def flat_pairs(vectors: NDArray[np.float16]) -> tuple[float, NDArray[np.int64]]:
    """Return the CPU-seconds of FAISS Flat and the codes of all pairs it finds."""
    units = unit_rows(vectors)
    start = time.process_time()
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(units)
    limits, _, found = index.range_search(units, MIN_SIMILARITY)
    cost = time.process_time() - start
    rows = np.repeat(np.arange(len(vectors)), np.diff(limits).astype(np.int64))
    return cost, (rows * len(vectors) + found)[found < rows]


def bucket_pairs(vectors: NDArray[np.float16], *, buckets_per_row: int = 2) -> tuple[float, NDArray[np.int64]]:
    """Return the CPU-seconds of the bucket search, verification included, and the codes of the pairs it finds."""
    buckets._NEAREST = buckets_per_row
    start = time.process_time()
    pairs = near_pairs(vectors, np.arange(len(vectors)), min_similarity=MIN_SIMILARITY, seed=0)
    cost = time.process_time() - start
    buckets._NEAREST = 2
    return cost, pairs.later * len(vectors) + pairs.earlier


def run_large_cell(path: Path, result: "multiprocessing.Queue[tuple[float, float, int]]") -> None:
    """Group one cell; puts CPU-seconds, peak resident MB and the number of kept members."""
    vectors = np.load(path, mmap_mode="r")
    members = np.zeros(len(vectors), dtype=MEMBER)
    for name in ("row", "rank", "vector", "repeats"):
        members[name] = np.arange(len(vectors))
    with threadpool_limits(1):
        start = time.process_time()
        stars = group_redundant(members, vectors, min_similarity=0.95, neighbours=20, seed=0)
        cost = time.process_time() - start
    kept = int((stars["row"].to_numpy() == stars["keeper"].to_numpy()).sum())
    # getrusage would tell the peak of the process that started this one where that was higher.
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
    result.put((cost, peak, kept))


def bench_large_cells(count: int) -> None:
    """Print what a cell of `count` vectors costs, of planted groups and of one vector only."""
    context = multiprocessing.get_context("spawn")
    for is_identical in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vectors.npy"
            write_large_cell(path, count, is_identical=is_identical)
            result = context.Queue()
            worker = context.Process(target=run_large_cell, args=(path, result))
            worker.start()
            cost, peak, kept = result.get()
            worker.join()
        name = "identical" if is_identical else "planted"
        print(f"stage, {count} {name} vectors: {cost:.1f} CPU-s, peak {peak:.0f} MB, {kept} kept")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", type=int, default=400_000, help="vectors of the large cell; 0 leaves it out")
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 50_000, 100_000])
    arguments = parser.parse_args()
    faiss.omp_set_num_threads(1)
    if arguments.large:
        bench_large_cells(arguments.large)
    ratios: dict[int, str] = {}
    with threadpool_limits(1):
        for rows in arguments.rows:
            vectors = near_vectors(rows)
            cost, found = bucket_pairs(vectors)
            one_cost, one = bucket_pairs(vectors, buckets_per_row=1)
            print(f"{len(vectors)} vectors: buckets {cost:.2f} CPU-s, {len(found)} pairs", flush=True)
            if rows <= MEASURED_ROWS:
                flat_cost, truth = flat_pairs(vectors)
                recall, one_recall = (np.isin(truth, each).mean() for each in (found, one))
                print(f"  FAISS Flat {flat_cost:.2f} CPU-s, {len(truth)} pairs; one bucket {one_cost:.2f} CPU-s, "
                      f"recall {one_recall:.4f}")  # fmt: skip
                ratios[rows] = f"{flat_cost / cost:.1f} x less CPU than FAISS Flat at recall {recall:.4f}"
    for rows, ratio in ratios.items():
        print(f"{rows} vectors: {ratio}")


if __name__ == "__main__":
    main()
