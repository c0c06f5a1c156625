import pyarrow as pa

from transforms.lexical.signature_cache import keep_signatures, kept_signatures, unique_signatures
from transforms.lexical.signatures import FastEngine
from transforms.lexical.signing import sign_views
from transforms.store.files import Store


def signatures(*view_hashes):
    columns = {name: list(view_hashes) for name in ("view_hash", "body", "skeleton", "task_text")}
    return sign_views(pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns])), FastEngine())


def views(*view_hashes):
    return pa.array(view_hashes, pa.string())


def test_what_was_kept_comes_back_by_view_and_scheme(tmp_path):
    store = Store(str(tmp_path))
    keep_signatures(store, signatures("b", "a"), scheme="s1")
    keep_signatures(store, signatures("c", "a"), scheme="s1")
    keep_signatures(store, signatures("d"), scheme="s2")

    assert kept_signatures(store, views("c", "a", "d", "e"), scheme="s1").equals(signatures("a", "c"))
    assert kept_signatures(store, views("a"), scheme="s3").num_rows == 0


def test_a_file_without_record_or_with_other_content_is_passed_over(tmp_path):
    store = Store(str(tmp_path))
    for name in ("a", "b"):
        keep_signatures(store, signatures(name), scheme="s")
    first, second = [path for path in store.list("layers/signatures") if path.endswith(".parquet")]
    store.delete(first.replace(".parquet", ".json"))
    store.write_atomic(second, b"torn")

    assert kept_signatures(store, views("a", "b"), scheme="s").num_rows == 0


def test_nothing_new_writes_no_file(tmp_path):
    store = Store(str(tmp_path))
    keep_signatures(store, signatures(), scheme="s")

    assert store.list("layers") == []


def test_unique_signatures_are_ordered_by_view():
    assert unique_signatures(signatures("b", "a", "b")).equals(signatures("a", "b"))
