"""The search for near-duplicates: CPU and errors against semhash, growth, and a million texts in one bucket.

Both sides do one thing: drop each text that resembles a kept one by a word 5-gram Jaccard of .8, the product's rule
for copies. Counted against the exact similarities of the planted groups are

* groups lost: no text of the group is kept;
* wrong joins: dropped texts that resemble no kept one (.8), and the far ones of them (.7);
* missed copies: kept texts that resemble a better kept one.

semhash gets vectors that model2vec distils from the packaged MiniLM, which costs it nothing here, and of several
thresholds the one that serves it best; the index is built once and counted once. The ratio hangs on `--texts`: ours
has a pipeline's fixed cost in it, so that few texts show a smaller ratio; the bar is for the default.

    pip install semhash 'model2vec[distill]'
    python -m tests.benchmarks.bench_near_duplicates            # no comparison where they are not installed
    python -m tests.benchmarks.bench_near_duplicates --texts 5000
"""

import argparse
import os
import random
import resource
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from pipelines.stages.parts import read_parts
from schemas.tables import SCHEMAS
from tests.benchmarks.bench_lexical import copies_stage, cpu_seconds, keepers_of, sign_stage, write_bodies
from tests.benchmarks.lexical_corpus import Corpus, make_corpus, true_pairs
from transforms.embedding.sources import locate_model
from transforms.lexical.candidates import lexical_groups
from transforms.lexical.signatures import FastEngine, Signatures, sign_strings

NUM_TEXTS: Final = 20_000
"""Texts that the bar is for."""

_COPY: Final = 0.8
_FAR: Final = 0.7
_THRESHOLDS: Final = (0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999)
"""Cosines at which semhash joins; the first is its default."""


class Errors(NamedTuple):
    """What one side got wrong, as the module counts it; groups first, so that the smallest is the best."""

    groups_lost: int
    wrong_joins: int
    far_joins: int
    missed_copies: int

    def __str__(self) -> str:
        return (
            f"{self.groups_lost} planted groups lost, {self.wrong_joins} wrong joins ({self.far_joins} of them far), "
            f"{self.missed_copies} copies missed"
        )


def main() -> None:
    """Print growth, memory, and the ratio to semhash last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=NUM_TEXTS)
    parser.add_argument("--million", type=int, default=1_000_000, help="texts of the one bucket")
    options = parser.parse_args()
    _compile()
    print_growth([25_000, 50_000, 100_000, 200_000])
    print_one_bucket(options.million)
    print_against_semhash(make_corpus(options.texts))


def print_growth(sizes: Sequence[int]) -> None:
    """Print the CPU of bands, verification and stars at several sizes, four of ten texts being copies."""
    times = []
    for size in sizes:
        signatures = planted(size)
        rows = np.arange(size)
        times.append(
            min(cpu_seconds(lambda s=signatures, r=rows: lexical_groups(s, r, min_similarity=0.8)) for _ in range(2))
        )
        print(f"stars of {size:>7,} texts: {times[-1]:.2f} CPU-s, {times[-1] / size * 1e6:.1f} µs a text")
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"growth of the union step: exponent {exponent:.2f} over {len(sizes)} points")


def print_one_bucket(count: int) -> None:
    """Print CPU and memory for texts of one bucket: all equal, all near-equal, and sharing a band and no more."""
    rng = np.random.default_rng(3)
    equal = np.tile(rng.integers(0, 2**32, 128, dtype=np.uint32), (count, 1))
    _print_bucket("equal", equal)
    for start in range(0, count, 100_000):
        part = equal[start : start + 100_000]
        part[np.arange(len(part))[:, None], rng.integers(0, 128, (len(part), 6))] = rng.integers(
            0, 2**32, (len(part), 6), dtype=np.uint32
        )
    _print_bucket("near-equal", equal)
    few = min(count, 200_000)
    unlike = equal[:few]
    unlike[:] = rng.integers(0, 2**32, (few, 128), dtype=np.uint32)
    unlike[:, :7] = 5
    _print_bucket("unlike but for one band", unlike)


def print_against_semhash(corpus: Corpus) -> None:
    """Print the CPU of both on the same texts, and the errors of both."""
    truth = true_pairs(corpus)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        write_bodies(corpus.texts, work / "bodies")
        ours = cpu_seconds(lambda: sign_stage(work))
        signatures = read_parts(work / "signed", SCHEMAS["signatures"])
        order = np.argsort([int(name) for name in signatures["view_hash"].to_pylist()])
        signatures = signatures.take(order)
        ours += cpu_seconds(lambda: copies_stage(work, signatures, min_similarity=_COPY))
        kept = {row for row, keeper in enumerate(keepers_of(work)) if row == keeper}
    mine = errors_of(kept, corpus, truth)
    print(f"trajsift: {ours:.1f} CPU-s, {len(kept)} kept, {mine}")
    try:
        model = _distilled_model()
        from semhash import SemHash
    except ImportError as error:
        print(f"no comparison: {error}")
        return
    theirs, best = _best_of_semhash(SemHash, model, corpus, truth)
    verdict = "no more" if mine.groups_lost <= best.groups_lost else "MORE"
    print(f"planted groups lost: {mine.groups_lost} against {best.groups_lost} of semhash: {verdict}")
    print(f"wrong joins: {mine.wrong_joins} against {best.wrong_joins} of semhash")
    ratio = f"{theirs / ours:.1f} × less CPU than semhash"
    print(f"near-duplicates, {len(corpus.texts):,} texts: {ratio} (bar 15 at {NUM_TEXTS:,})")


def errors_of(kept: set[int], corpus: Corpus, truth: Mapping[tuple[int, int], float]) -> Errors:
    """Count what a set of kept texts gets wrong of the planted groups."""
    like_kept: dict[int, float] = defaultdict(float)
    missed: set[int] = set()
    for (left, right), similarity in truth.items():
        if left in kept and right in kept and similarity >= _COPY:
            missed.add(right)
        for text, other in ((left, right), (right, left)):
            if other in kept:
                like_kept[text] = max(like_kept[text], similarity)
    dropped = [like_kept[text] for text in range(len(corpus.texts)) if text not in kept]
    return Errors(
        groups_lost=len(set(corpus.groups) - {corpus.groups[text] for text in kept}),
        wrong_joins=sum(similarity < _COPY for similarity in dropped),
        far_joins=sum(similarity < _FAR for similarity in dropped),
        missed_copies=len(missed),
    )


def _best_of_semhash(
    semhash: Any, model: object, corpus: Corpus, truth: Mapping[tuple[int, int], float]
) -> tuple[float, Errors]:
    """Return CPU-seconds and errors of semhash where it loses the fewest groups, and then makes the fewest errors."""
    records = [{"text": text, "id": str(row)} for row, text in enumerate(corpus.texts)]
    built: list[Any] = []
    index = cpu_seconds(lambda: built.append(semhash.from_records(records=records, columns=["text"], model=model)))
    print(f"semhash: {index:.1f} CPU-s for the index")
    runs: list[tuple[int, int, float, Errors]] = []
    for threshold in _THRESHOLDS:
        found: list[Any] = []
        cpu = cpu_seconds(lambda t=threshold, f=found: f.append(built[0].self_deduplicate(threshold=t)))
        kept = {int(record["id"]) for record in found[0].selected}
        errors = errors_of(kept, corpus, truth)
        print(f"semhash at {threshold:g}: {index + cpu:.1f} CPU-s, {len(kept)} kept, {errors}")
        runs.append((errors.groups_lost, errors.wrong_joins + errors.missed_copies, index + cpu, errors))
    _, _, cpu, errors = min(runs)
    return cpu, errors


def _distilled_model() -> object:
    """Return static word vectors distilled from the packaged MiniLM; semhash's own lie on the hub."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}
    from model2vec import StaticModel
    from model2vec.distill import distill

    with tempfile.TemporaryDirectory() as folder:
        cpu = cpu_seconds(
            lambda: distill(model_name=locate_model("minilm").folder, device="cpu").save_pretrained(folder)
        )
        print(f"distilling MiniLM for semhash: {cpu:.0f} CPU-s, not counted")
        return StaticModel.from_pretrained(folder)


def planted(count: int) -> Signatures:
    """Return signatures, four of ten of which are copies of another in about nine slots of ten."""
    rng = np.random.default_rng(count)
    signatures = rng.integers(0, 2**32, (count, 128), dtype=np.uint32)
    copies = rng.choice(count, int(0.4 * count), replace=False)
    sources = rng.integers(0, count, len(copies))
    for copy, source in zip(copies.tolist(), sources.tolist(), strict=True):
        mask = rng.random(128) < 0.9
        signatures[copy, mask] = signatures[source, mask]
    return signatures


def _print_bucket(name: str, signatures: Signatures) -> None:
    rows = np.arange(len(signatures))
    keepers: list[int] = []
    cpu = cpu_seconds(
        lambda: keepers.append(int((lexical_groups(signatures, rows, min_similarity=0.8).keeper == rows).sum()))
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(rows):,} texts of one bucket, {name}: {keepers[0]:,} keepers, {cpu:.1f} CPU-s, peak {peak:,.0f} MB")


def _compile() -> None:
    sign_strings(FastEngine(), ["a b c d e f"])
    rng = random.Random(1)
    rows = np.array([[rng.randrange(9) for _ in range(128)] for _ in range(600)], dtype=np.uint32)
    lexical_groups(rows, np.arange(600), min_similarity=0.8)


if __name__ == "__main__":
    main()
