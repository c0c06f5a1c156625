import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.reporting.frames import to_frames
from transforms.reporting.projection import cluster_map, project


def test_project_finds_the_two_main_directions() -> None:
    vectors = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, -0.5, 0.0]])
    assert np.allclose(project(vectors), np.array([[1, 0], [-1, 0], [0, 0.5], [0, -0.5]]), atol=1e-6)


def test_project_is_exact_where_floats_are_not() -> None:
    vectors = np.array([[4.0, 0.0], [-4.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    assert np.allclose(project(vectors * 30_000), project(vectors), atol=1e-6)


def test_project_puts_equal_points_in_the_middle_and_bears_none() -> None:
    assert project(np.ones((3, 2))).tolist() == [[0, 0], [0, 0], [0, 0]]
    assert project(np.zeros((0, 5))).shape == (0, 2)
    assert project(np.array([[0.5], [-0.5]])).tolist() == [[1, 0], [-1, 0]]


@settings(max_examples=50)
@given(st.lists(st.lists(st.floats(-1, 1), min_size=4, max_size=4), min_size=1, max_size=12))
def test_project_is_bounded_and_follows_its_points(rows: list[list[float]]) -> None:
    vectors = np.array(rows)
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    points = project(vectors)
    assert points.shape == (len(rows), 2)
    assert np.abs(points).max() <= 1
    assert np.array_equal(project(vectors[order]), points[order])


def test_map_shows_representatives_only(small_tables: dict[str, pa.Table]) -> None:
    shown = cluster_map(to_frames(small_tables), seed=0)
    assert [point["traj_id"] for point in shown["points"]] == ["aa01", "aa03", "bb01", "bb02"]
    assert [point["group_size"] for point in shown["points"]] == [2, 1, 1, 1]
    assert shown["labels"] == [{"family_id": "f1", "count": 4, "x": 0.7, "y": 0.7}]
