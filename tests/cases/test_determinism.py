"""DET-02, DET-04 and DET-06: order decides neither buckets nor ties, and company no pair at the threshold."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from tests.whole_runs import Curate, chat_rollout, write_jsonl
from transforms.embedding.hashed import HashedEncoder
from transforms.similarity.buckets import bucket_centres, content_order, near_pairs, share_out_rows
from transforms.similarity.large_cells import large_groups
from transforms.similarity.rescoring import pair_cosines
from transforms.similarity.search import semantic_groups


def _buckets(vectors: np.ndarray, *, seed: int) -> list[list[int]]:
    drawn = content_order(vectors, np.arange(len(vectors)), seed=seed).drawn
    shares = share_out_rows(vectors, drawn, bucket_centres(vectors, drawn))
    return [sorted(drawn[places].tolist()) for _, places in shares]


def test_det_02_buckets_depend_on_the_seed_and_not_on_the_order_of_rows() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(20_000, 64)).astype(np.float16)
    order = random.permutation(20_000)
    found = {}
    for seed in (0, 1):
        found[seed] = _buckets(vectors, seed=seed)
        shuffled = _buckets(vectors[order], seed=seed)
        assert [sorted(order[bucket].tolist()) for bucket in shuffled] == found[seed]
        assert len(found[seed]) == 100
    assert found[0] != found[1]


def _pair_at_the_threshold(offset: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors of 64 dimensions whose cosine is .95 + offset."""
    first, across = np.linalg.qr(np.random.default_rng(3).normal(size=(64, 2)))[0].T
    cosine = 0.95 + offset
    return first, cosine * first + np.sqrt(1 - cosine**2) * across


@pytest.mark.parametrize(("offset", "joins"), [(1e-6, True), (-1e-6, False)])
def test_det_06_a_pair_at_the_threshold_is_decided_alike_in_any_company(offset: float, joins: bool) -> None:
    pair = np.array(_pair_at_the_threshold(offset))
    alone = pair_cosines(pair, np.array([1]), np.array([0]))[0]
    for company in (0, 1, 14, 5999):
        others = np.random.default_rng(company).normal(size=(company, 64))
        vectors = np.concatenate([pair[:1], others, pair[1:]])
        last = len(vectors) - 1
        rows = np.arange(len(vectors))
        groups = [
            semantic_groups(vectors, rows, min_similarity=0.95),
            large_groups(vectors, rows, min_similarity=0.95, neighbours=20, seed=0),
        ]
        for stars in groups:
            assert (stars.keeper[last] == 0) == joins
            assert stars.similarity[last] == (alone if joins else 1)
        pairs = near_pairs(vectors, rows, min_similarity=0.95, seed=0)
        assert ((last, 0) in set(zip(pairs.later.tolist(), pairs.earlier.tolist(), strict=True))) == joins


def test_det_06_a_vector_does_not_depend_on_its_batch() -> None:
    texts = [f"run the tests of module {number} and read what fails {number * 7}" for number in range(16)]
    encoder = HashedEncoder(128)
    together = encoder.encode(texts)
    assert all(np.array_equal(encoder.encode([text])[0], row) for text, row in zip(texts, together, strict=True))
    assert np.array_equal(encoder.encode(texts[::-1])[::-1], together)


def test_det_04_a_tie_goes_to_the_smallest_id_in_any_order(tmp_path: Path, curate: Curate) -> None:
    texts = ["", " and more", " and still more"]
    records = []
    for number, text in enumerate(texts):
        record = chat_rollout("one", 0, reward=1.0, turns=12) | {"trajectory_id": f"r{number}"}
        record["messages"][-1]["content"] += text
        records.append(record)
    found = []
    for turn, order in enumerate(list(permutations(records))[::2]):
        curated = curate(write_jsonl(tmp_path / f"lake{turn}" / "part.jsonl", order), store=f"store{turn}")
        decisions = curated.table("decisions").select("traj_id", "decision", "reason", "reference_id", "similarity")
        found.append(decisions.rows())
    kept = [row[0] for row in found[0] if row[1] == "keep"]
    assert kept == [min(row[0] for row in found[0])]
    assert all(rows == found[0] for rows in found)
