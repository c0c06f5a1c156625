"""The search for near-duplicates: CPU against semhash, growth, and a million texts in one bucket.

python -m tests.benchmarks.bench_near_duplicates            # semhash is run where it is installed
python -m tests.benchmarks.bench_near_duplicates --texts 5000
"""

import argparse
import importlib.util
import random
import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.stages.parts import read_parts
from schemas.tables import SCHEMAS
from tests.benchmarks.bench_lexical import copies_stage, cpu_seconds, sign_stage, write_bodies
from tests.benchmarks.lexical_corpus import Corpus, make_corpus
from transforms.embedding.sources import MINILM_PACKAGE
from transforms.lexical.candidates import lexical_groups
from transforms.lexical.copies import GROUPING_SCHEMA
from transforms.lexical.signatures import FastEngine, Signatures, sign_strings


def main() -> None:
    """Print growth, memory, and the ratio to semhash last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=20_000)
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
    """Print the CPU of both on the same texts, and of how many planted groups each lost a member more."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        write_bodies(corpus.texts, work / "bodies")
        ours = cpu_seconds(lambda: sign_stage(work))
        signatures = read_parts(work / "signed", SCHEMAS["signatures"])
        order = np.argsort([int(name) for name in signatures["view_hash"].to_pylist()])
        signatures = signatures.take(order)
        ours += cpu_seconds(lambda: copies_stage(work, signatures))
        keepers = read_parts(work / "groupings", GROUPING_SCHEMA).sort_by("row")["keeper"].to_pylist()
    kept = {row for row, keeper in enumerate(keepers) if row == keeper}
    print(f"trajsift: {ours:.1f} CPU-s, {len(kept)} kept, {_lost(corpus, kept)} planted groups lost whole")
    try:
        from semhash import SemHash
    except ImportError:
        print("semhash is not installed: no comparison")
        return
    records = [{"text": text, "id": str(row)} for row, text in enumerate(corpus.texts)]
    model = _static_model()
    found: list[set[int]] = []
    theirs = cpu_seconds(lambda: found.append(_kept_by_semhash(SemHash, records, model)))
    print(f"semhash: {theirs:.1f} CPU-s, {len(found[0])} kept, {_lost(corpus, found[0])} planted groups lost whole")
    print(f"near-duplicates: {theirs / ours:.1f} × less CPU than semhash (bar 15)")


def _static_model() -> object:
    """Return word vectors of the size of semhash's own, which must be downloaded: those of the packaged MiniLM."""
    from model2vec import StaticModel
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    package = importlib.util.find_spec(MINILM_PACKAGE)
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "model"
    (vectors,) = [each for name, each in load_file(folder / "model.safetensors").items() if "word_embeddings" in name]
    projection = np.random.default_rng(1).normal(size=(vectors.shape[1], 256)).astype(np.float32)
    return StaticModel(
        (vectors - vectors.mean(axis=0)) @ projection, Tokenizer.from_file(str(folder / "tokenizer.json"))
    )


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


def _kept_by_semhash(semhash: Any, records: Sequence[dict[str, str]], model: object) -> set[int]:
    index = semhash.from_records(records=records, columns=["text"], model=model)
    return {int(record["id"]) for record in index.self_deduplicate().selected}


def _lost(corpus: Corpus, kept: set[int]) -> int:
    return len(set(corpus.groups) - {corpus.groups[row] for row in kept})


def _compile() -> None:
    sign_strings(FastEngine(), ["a b c d e f"])
    rng = random.Random(1)
    rows = np.array([[rng.randrange(9) for _ in range(128)] for _ in range(600)], dtype=np.uint32)
    lexical_groups(rows, np.arange(600), min_similarity=0.8)


if __name__ == "__main__":
    main()
