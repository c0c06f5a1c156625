from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from transforms.embedding.encoding import TextFile
from transforms.similarity.profiles import KeepProfiles, absent_profiles, find_profiles, keep_profiles
from transforms.store.files import Store


def test_profiles_are_found_by_hash(tmp_path: Path):
    store = Store(str(tmp_path))
    keep_profiles(store, {"h1": ["grep"], "h2": []})
    keep_profiles(store, {})
    assert find_profiles(store, {"h1", "h3"}) == {"h1": ["grep"]}
    assert absent_profiles(store, {"h1", "h2", "h3"}) == {"h3"}


def test_keep_profiles_reads_the_wanted_skeletons(tmp_path: Path):
    store = Store(str(tmp_path / "store"))
    path = tmp_path / "bodies.parquet"
    pq.write_table(pa.table({"view_hash": ["v1", "v2"], "skeleton": ["edit main.py ok", "cat - ok"]}), path)
    with TestPipeline() as pipeline:
        kept = (
            pipeline
            | beam.Create([TextFile("bodies", path, "view_hash", ("skeleton",), {"v1": "h1"})])
            | KeepProfiles(store)
        )
        assert_that(kept, equal_to([("bodies", 1)]))
    assert find_profiles(store, {"h1", "h2"}) == {"h1": ["edit", "edit main.py"]}
