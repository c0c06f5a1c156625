from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from transforms.embedding.cache import (
    absent_hashes,
    find_vectors,
    keep_vectors,
    mean_vectors,
    vector_column,
    vector_matrix,
    view_vectors,
)
from transforms.embedding.contract import EncoderIdentity
from transforms.store.files import Store

IDENTITY = EncoderIdentity("toy", "1", "float32", "cpu")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path))


def test_kept_vectors_are_found_by_key_as_float16(store: Store):
    keep_vectors(store, IDENTITY, ["b", "a"], vectors=np.array([[1 / 3, 1], [0, 1]], dtype=np.float32))
    found = find_vectors(store, IDENTITY, {"b", "a", "c"})
    assert found.keys.tolist() == ["a", "b"]
    assert found.matrix.tolist() == [[0, 1], [float(np.float16(1 / 3)), 1]]
    assert found.rows(["b", "a", "b"]).tolist() == [1, 0, 1]


def test_only_wanted_vectors_are_read(store: Store):
    keep_vectors(store, IDENTITY, ["a", "b"], vectors=np.eye(2, dtype=np.float32))
    assert find_vectors(store, IDENTITY, ["b"]).keys.tolist() == ["b"]


@pytest.mark.parametrize("changed", [{"revision": "2"}, {"precision": "bfloat16"}, {"device_class": "cuda-sm90"}])
def test_vectors_of_another_identity_are_not_found(store: Store, changed: dict[str, str]):
    keep_vectors(store, IDENTITY, ["a"], vectors=np.ones((1, 2), dtype=np.float32))
    found = find_vectors(store, IDENTITY._replace(**changed), ["a"])
    assert found.keys.tolist() == []
    assert found.matrix.shape == (0, 0)


def test_absent_hashes_are_those_not_kept(store: Store):
    keep_vectors(store, IDENTITY, ["a", "b"], vectors=np.eye(2, dtype=np.float32))
    assert absent_hashes(store, IDENTITY, ["a", "c"]) == {"c"}
    assert absent_hashes(store, IDENTITY._replace(revision="2"), ["a"]) == {"a"}


def test_keeping_twice_gives_one_file_of_the_same_bytes(store: Store, tmp_path: Path):
    vectors = np.arange(4, dtype=np.float32).reshape(2, 2)
    keep_vectors(store, IDENTITY, ["a", "b"], vectors=vectors)
    (path,) = store.list("layers/windows")
    before = store.read_bytes(path)
    keep_vectors(store, IDENTITY, ["b", "a"], vectors=vectors[::-1])
    assert store.list("layers/windows") == [path]
    assert store.read_bytes(path) == before


def test_an_absent_key_is_named(store: Store):
    keep_vectors(store, IDENTITY, ["a"], vectors=np.ones((1, 2), dtype=np.float32))
    found = find_vectors(store, IDENTITY, ["a", "z"])
    with pytest.raises(KeyError, match="z"):
        found.rows(["a", "z"])
    with pytest.raises(KeyError, match="a"):
        find_vectors(store, IDENTITY, []).rows(["a"])


def test_vector_column_and_matrix_are_inverse():
    matrix = np.arange(6, dtype=np.float16).reshape(3, 2)
    column = vector_column(matrix)
    assert column.to_pylist() == [[0, 1], [2, 3], [4, 5]]
    assert vector_matrix(pa.chunked_array([column[1:]])).tolist() == [[2, 3], [4, 5]]


def test_vectors_of_a_view_are_given_in_any_order_of_ids_and_zeros_where_there_is_none():
    columns = {"traj_id": ["a", "a", "b"], "view": ["body", "task", "body"], "vector": [[1, 2], [9, 9], [3, 4]]}
    table = pa.table(columns)

    found = view_vectors(table, "body")

    assert found.ids.to_pylist() == ["a", "b"]
    assert found.of(pa.array(["b", "x", "a"])).tolist() == [[3, 4], [0, 0], [1, 2]]
    assert found.of(pa.array(["x", "x"]), pa.array(["b", "y"])).tolist() == [[3, 4], [0, 0]]
    assert view_vectors(table, "fused").of(pa.array(["a"])).tolist() == [[0]]


def test_mean_vectors_are_normalised_and_zero_for_no_rows():
    matrix = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float16)
    means = mean_vectors(matrix, [[0, 1], [], [0, 2], [1]])
    half = np.float32(np.sqrt(0.5))
    assert means.tolist() == [[half, half], [0, 0], [0, 0], [0, 1]]
