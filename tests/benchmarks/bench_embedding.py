"""Texts per CPU second: ours against plain `SentenceTransformer.encode`, on the same windows of a lake's rollouts.

Windows are cut by MiniLM's tokens from texts as the embed stage cuts them, and both sides see 128 tokens of each. Each
pair of turns runs both, in one process and alternating order; the ratio is the median over pairs. Loading is left out
on both sides. Beside it stand how many windows of the lake are equal, and the hashed encoder's documents per CPU
second.

    python -m tests.benchmarks.bench_embedding --lake FOLDER
"""

import argparse
import importlib.util
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from schemas.settings import EmbeddingSettings
from transforms.embedding.choice import choose_encoder
from transforms.embedding.contract import Encoder, Vectors
from transforms.embedding.devices import import_torch
from transforms.embedding.hashed import HashedEncoder
from transforms.embedding.sources import locate_model
from transforms.embedding.torch_forward import load_model
from transforms.views.windows import windows_of

_BAR: Final = 1.7
_LEAST_COSINE: Final = 0.999
_TOKENS: Final = 128


def main() -> None:
    """Print a line an encoder, and the ratios of the default one last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lake", type=Path, required=True, help="folder of rollouts as JSON or JSONL")
    parser.add_argument("--windows", type=int, default=256, help="windows that are encoded")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of turns")
    chosen = parser.parse_args()
    import_torch().set_num_threads(1)
    texts = _texts(chosen.lake)
    _measure_hashed(texts)
    plain = load_model(locate_model("minilm"), device="cpu", precision="float32")
    plain.max_seq_length = _TOKENS
    encoders = _encoders()
    cut = encoders["auto"]
    windows = [
        window
        for text in texts
        for window in windows_of(text, cut.token_spans, window_tokens=cut.window_tokens, max_windows=8)
    ]
    unique = sorted(set(windows))
    reuse = 1 - len(unique) / len(windows)
    print(f"{len(texts)} rollouts, {len(windows)} windows, {len(unique)} unique: reuse {reuse:.1%}")
    sample = random.Random(17).sample(unique, min(chosen.windows, len(unique)))
    for name, encoder in reversed(encoders.items()):
        _compare(name, encoder, plain, sample, pairs=chosen.pairs)


def _encoders() -> dict[str, Encoder]:
    """Return the default encoder first, then each that can work on this machine."""
    found: dict[str, Encoder] = {}
    backends = [("auto", "auto"), ("torch", "float32")]
    if importlib.util.find_spec("openvino") is not None:
        backends += [("openvino", "float32"), ("openvino", "auto")]
    for backend, precision in backends:
        settings = EmbeddingSettings.model_validate({"encoder": "minilm", "backend": backend, "precision": precision})
        name = backend if backend == "auto" else f"{backend} {precision}"
        found[name] = choose_encoder(settings, device="cpu", window_tokens=_TOKENS).open()
    return found


def _compare(name: str, encoder: Encoder, plain: Any, sample: Sequence[str], *, pairs: int) -> None:
    def by_plain() -> Vectors:
        vectors: Vectors = plain.encode(list(sample), batch_size=32, show_progress_bar=False)
        return vectors

    def by_ours() -> Vectors:
        return encoder.encode(sample)

    expected, ours = by_plain(), by_ours()
    cosine = float(np.sum(expected * ours, axis=1).min())
    ratios, seconds = [], []
    for pair in range(pairs):
        if pair % 2:
            plain_s, ours_s = _cpu_s(by_plain), _cpu_s(by_ours)
        else:
            ours_s, plain_s = _cpu_s(by_ours), _cpu_s(by_plain)
        ratios.append(plain_s / ours_s)
        seconds.append((plain_s, ours_s))
    plain_s, ours_s = (statistics.median(column) for column in zip(*seconds, strict=True))
    ratio = statistics.median(ratios)
    verdict = "reached" if ratio >= _BAR and cosine >= _LEAST_COSINE else "not reached"
    speeds = f"{len(sample) / ours_s:.1f} windows/CPU-s against {len(sample) / plain_s:.1f}"
    print(
        f"{name} ({encoder.identity.precision}, {encoder.identity.device_class}): {speeds}, "
        f"least cosine {cosine:.5f}, {ratio:.2f}× (bar {_BAR}× at {_LEAST_COSINE}: {verdict})"
    )


def _measure_hashed(texts: Sequence[str]) -> None:
    encoder = HashedEncoder()
    for size in (6_000, 20_000):
        documents = [text[:size] for text in texts if len(text) >= size][:200]
        encoder.encode(documents[:5])
        best = min(_cpu_s(partial(encoder.encode, documents)) for _ in range(3))
        print(
            f"hashed, {len(documents)} documents of {size / 1e3:.0f} KB: {len(documents) / best:.0f} documents/CPU-s"
        )


def _cpu_s(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _texts(lake: Path) -> list[str]:
    """Return the strings of each rollout of the lake's JSON and JSONL files, joined."""
    texts = []
    for path in sorted(lake.rglob("*")):
        if path.suffix not in {".json", ".jsonl", ".traj"} or not path.is_file():
            continue
        content = path.read_bytes()
        try:
            tree = (
                [orjson.loads(line) for line in content.splitlines()]
                if path.suffix == ".jsonl"
                else orjson.loads(content)
            )
        except orjson.JSONDecodeError:
            continue
        rollouts = tree if isinstance(tree, list) else [tree]
        texts += ["\n".join(_strings(rollout)) for rollout in rollouts]
    return [text for text in texts if len(text) > 500]


def _strings(tree: object) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    branches = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [text for branch in branches for text in _strings(branch)]


if __name__ == "__main__":
    main()
