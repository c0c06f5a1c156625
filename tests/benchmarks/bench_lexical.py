"""The lexical stage against datasketch on the same texts: documents per CPU-second, precision and recall.

Precision and recall are those of pairs, as of any MinHash: pairs that share a band and whose estimate reaches a
threshold, against pairs whose exact similarity is .7. Beside them stand those of what the stage makes of them: rows
dropped against their keepers, and rows kept although a better kept row is similar, there and at the product's .8.

What is timed is the stage as a run has it: reading the files of texts, signing in a Beam pipeline, writing the table;
and beside it the search for copies. Compiling happens before, once per installation, and is printed apart. The ratio
hangs on `--texts`: a pipeline costs the same however few texts it has, so that few of them show a smaller ratio; the
bar is for the default.

    python -m tests.benchmarks.bench_lexical
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.options.pipeline_options import PipelineOptions
from datasketch import MinHash

from pipelines.runners.execution import Execution
from pipelines.stages.parts import WriteParts, read_parts
from schemas.tables import SCHEMAS
from tests.benchmarks.lexical_corpus import NOISE, Corpus, make_corpus, true_pairs
from transforms.lexical.bands import band_buckets, num_equal
from transforms.lexical.copies import GROUPING_SCHEMA, MEMBER, CopyRules, GroupCopies, save_views
from transforms.lexical.shingles import jaccard, shingles
from transforms.lexical.signatures import NUM_SLOTS, FastEngine, Signatures, sign_strings
from transforms.lexical.signing import SignViews
from transforms.store.tables import work_writer
from transforms.views.rendering import BODY_SCHEMA

NUM_TEXTS: Final = 20_000
"""Texts that the bar is for."""

_TRUE: Final = 0.7
_VERIFIED: Final = 0.71
"""Estimate at or above which a pair counts as found: the error of 128 slots is .04 there, the same to both sides, and
recall has more to spare than precision."""
_PRODUCT: Final = 0.8
"""What the product's settings ask for, of the truth as of the estimate."""
_FILES: Final = 4


def main() -> None:
    """Print the figures, the ratio last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=NUM_TEXTS)
    parser.add_argument("--reference-texts", type=int, default=4_000, help="texts that datasketch signs")
    parser.add_argument("--turns", type=int, default=3, help="turns of which the best counts, for both")
    options = parser.parse_args()
    print(f"compiling, or loading what was compiled: {cpu_seconds(_warm_up):.1f} CPU-s")
    corpus = make_corpus(options.texts)
    megabytes = sum(len(text.encode()) for text in corpus.texts) / 1e6
    print(f"{len(corpus.texts)} texts, {megabytes:.0f} MB, {len(set(corpus.groups))} groups")
    truth = true_pairs(corpus)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        write_bodies(corpus.texts, work / "bodies")
        sample = corpus.texts[: options.reference_texts]
        stage, reference = float("inf"), float("inf")
        for _ in range(options.turns):
            stage = min(stage, cpu_seconds(lambda: sign_stage(work)))
            reference = min(reference, cpu_seconds(lambda: reference_signatures(sample)))
        signatures = read_parts(work / "signed", SCHEMAS["signatures"])
        order = np.argsort([int(name) for name in signatures["view_hash"].to_pylist()])
        signatures = signatures.take(pa.array(order))
        search = min(cpu_seconds(lambda: copies_stage(work, signatures)) for _ in range(options.turns))
        keepers = keepers_of(work)
        copies_stage(work, signatures, min_similarity=_PRODUCT)
        product_keepers = keepers_of(work)
        empty = min(cpu_seconds(_empty_pipeline) for _ in range(options.turns))
    kernel = min(cpu_seconds(lambda: sign_strings(FastEngine(), corpus.texts)) for _ in range(options.turns))
    minhash = signatures["minhash"].combine_chunks().flatten().to_numpy().reshape(-1, NUM_SLOTS)
    _print_pairs("fast engine", minhash, truth, corpus)
    _print_pairs(f"datasketch, first {len(sample)}", reference_signatures(sample), truth, corpus)
    _print_stars(keepers, truth, corpus, min_similarity=_TRUE, verified=_VERIFIED)
    _print_stars(product_keepers, truth, corpus, min_similarity=_PRODUCT, verified=_PRODUCT)
    _print_grades(minhash, truth, corpus)
    ours, theirs = len(corpus.texts) / stage, len(sample) / reference
    print(f"kernel {len(corpus.texts) / kernel:,.0f} docs per CPU-s ({megabytes / kernel:.0f} MB/s)")
    print(f"sign stage {ours:,.0f} docs per CPU-s ({stage:.2f} CPU-s, an empty pipeline of these steps {empty:.2f})")
    both = len(corpus.texts) / (stage + search)
    print(
        f"copies stage {search:.2f} CPU-s; both {both:,.0f} docs per CPU-s, {both / theirs:.1f} × datasketch's signing"
    )
    print(f"datasketch bulk {theirs:,.0f} docs per CPU-s")
    print(f"lexical stage, {len(corpus.texts):,} texts: {ours / theirs:.1f} × datasketch (bar 25 at {NUM_TEXTS:,})")


def write_bodies(texts: Sequence[str], folder: Path) -> None:
    """Write texts as the files that the stage reads, about 8 MB of text a row group; a view is named by its number."""
    folder.mkdir()
    for part in range(_FILES):
        numbers = range(part, len(texts), _FILES)
        names = [str(number) for number in numbers]
        columns = {name: names for name in ("view_hash", "traj_id")} | {"body": [texts[n] for n in numbers]}
        columns |= {"skeleton": ["bash:ls - ok\n" * 20] * len(names), "task_text": ["Repair it."] * len(names)}
        with (folder / f"{part}.parquet").open("wb") as file, work_writer(file, BODY_SCHEMA) as writer:
            table = pa.table([columns[name] for name in BODY_SCHEMA.names], schema=BODY_SCHEMA)
            writer.write_table(table, row_group_size=1400)


def sign_stage(work: Path) -> None:
    """Sign the texts as the stage does."""
    shutil.rmtree(work / "signed", ignore_errors=True)
    with Execution(PipelineOptions([])).pipeline() as pipeline:
        _ = (
            pipeline
            | "Files" >> beam.Create(sorted((work / "bodies").glob("*.parquet")))
            | "SpreadFiles" >> beam.Reshuffle()
            | "SignViews" >> SignViews("fast")
            | "Write" >> WriteParts(work / "signed", SCHEMAS["signatures"])
        )


def copies_stage(work: Path, signatures: pa.Table, *, min_similarity: float = _VERIFIED) -> None:
    """Find copies as the stage does, all texts in one cell, the first text the best."""
    shutil.rmtree(work / "groupings", ignore_errors=True)
    save_views(work, signatures)
    count = signatures.num_rows
    members = np.zeros(count, dtype=MEMBER)
    for name in ("row", "rank", "text", "signature"):
        members[name] = np.arange(count)
    members["actions"] = -1
    np.save(work / "members.npy", members)
    with Execution(PipelineOptions([])).pipeline() as pipeline:
        _ = (
            pipeline
            | "Shards" >> beam.Create([(0, count)])
            | "SpreadShards" >> beam.Reshuffle()
            | "GroupCopies" >> GroupCopies(work / "members.npy", work, CopyRules(min_similarity, None, 1.0))
            | "Write" >> WriteParts(work / "groupings", GROUPING_SCHEMA)
        )


def keepers_of(work: Path) -> list[int]:
    """Return the keeper that `copies_stage` found for each text."""
    keepers: list[int] = read_parts(work / "groupings", GROUPING_SCHEMA).sort_by("row")["keeper"].to_pylist()
    return keepers


def reference_signatures(texts: Sequence[str]) -> Signatures:
    """Return signatures by datasketch's own bulk call, shingles made as the reference does."""
    encoded = ([shingle.encode() for shingle in shingles(text)] for text in texts)
    return np.array([each.hashvalues for each in MinHash.generator(encoded, num_perm=NUM_SLOTS)]).astype(np.uint32)


def _warm_up() -> None:
    sign_strings(FastEngine(), ["a b c d e f", "ls"])
    num_equal(np.zeros(NUM_SLOTS, np.uint32), np.zeros(NUM_SLOTS, np.uint32))


def _empty_pipeline() -> None:
    with Execution(PipelineOptions([])).pipeline() as pipeline:
        _ = (
            pipeline
            | "Files" >> beam.Create([1, 2])
            | "Spread" >> beam.Reshuffle()
            | "A" >> beam.Map(str)
            | beam.Map(len)
        )


def _found_pairs(minhash: Signatures) -> dict[tuple[int, int], float]:
    """Return all pairs that share one of 18 bands of 7 and whose estimate reaches the threshold."""
    buckets = band_buckets(minhash, np.arange(len(minhash)), num_bands=18, num_rows=7).of
    met: dict[int, list[int]] = {}
    pairs: set[tuple[int, int]] = set()
    for text, row in enumerate(buckets.tolist()):
        for bucket in row:
            if bucket >= 0:
                pairs.update((other, text) for other in met.setdefault(bucket, []))
                met[bucket].append(text)
    estimates = {(i, j): float((minhash[i] == minhash[j]).mean()) for i, j in pairs}
    return {pair: estimate for pair, estimate in estimates.items() if estimate >= _VERIFIED}


def _print_pairs(name: str, minhash: Signatures, truth: dict[tuple[int, int], float], corpus: Corpus) -> None:
    found = _found_pairs(minhash)
    within = {pair for pair, similarity in truth.items() if similarity >= _TRUE and pair[1] < len(minhash)}
    right = sum((truth.get(pair) or _exact(corpus, *pair)) >= _TRUE for pair in found)
    print(
        f"{name}: {len(within)} pairs of J >= .7, precision {right / len(found):.3f}, "
        f"recall {len(within & found.keys()) / len(within):.3f} (bars .97, .975), bands (18, 7), "
        f"estimate >= {_VERIFIED:g}"
    )


def _print_stars(
    keepers: Sequence[int],
    truth: Mapping[tuple[int, int], float],
    corpus: Corpus,
    *,
    min_similarity: float,
    verified: float,
) -> None:
    """Print what the stage's groups got right: dropped rows against their keepers, and what they missed."""
    dropped = [(row, keeper) for row, keeper in enumerate(keepers) if row != keeper]
    right = sum((truth.get((min(pair), max(pair))) or _exact(corpus, *pair)) >= min_similarity for pair in dropped)
    missed = {
        text
        for (left, text), similarity in truth.items()
        if similarity >= min_similarity and keepers[left] == left and keepers[text] == text
    }
    print(
        f"groups of the copies stage for J >= {min_similarity:g}, estimate >= {verified:g}: "
        f"{len(dropped)} rows dropped, precision {right / len(dropped):.3f}, "
        f"recall {right / (right + len(missed)):.3f}, rows of another group joined {_foreign(dropped, corpus)}"
    )


def _foreign(dropped: Sequence[tuple[int, int]], corpus: Corpus) -> int:
    return sum(corpus.groups[row] != corpus.groups[keeper] for row, keeper in dropped)


def _print_grades(minhash: Signatures, truth: dict[tuple[int, int], float], corpus: Corpus) -> None:
    """Print, per step of true similarity, how many pairs are found and how far estimates lie off."""
    found = _found_pairs(minhash)
    print("  similarity    pairs   found   mean error   spread")
    for low in (0.0, 0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0):
        high = {0.0: 0.3, 0.3: 0.5, 0.5: 0.6, 0.8: 0.9, 0.9: 1.0, 1.0: 1.1}.get(low, low + 0.05)
        pairs = [pair for pair, similarity in truth.items() if low <= similarity < high]
        if pairs:
            errors = [float((minhash[i] == minhash[j]).mean()) - truth[i, j] for i, j in pairs]
            hit = sum(pair in found for pair in pairs) / len(pairs)
            figures = f"{len(pairs):>8} {hit:>7.3f} {np.mean(errors):>+12.4f} {np.std(errors):>8.4f}"
            print(f"  {low:.2f}-{min(high, 1):.2f} {figures}")
    foreign = sum(corpus.groups[left] != corpus.groups[right] for left, right in found)
    print(f"  pairs of two groups found: {foreign}; noise levels {', '.join(f'{each:g}' for each in NOISE)}")


def _exact(corpus: Corpus, left: int, right: int) -> float:
    return jaccard(shingles(corpus.texts[left]), shingles(corpus.texts[right]))


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU-seconds that a piece of work takes in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
