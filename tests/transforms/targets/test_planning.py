import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from transforms.pairing.order import position_key
from transforms.store.keys import short_id
from transforms.targets.catalog import TARGETS
from transforms.targets.planning import buckets_of, file_names, number_rows, plan_shards, spread_copies, with_row_ids

MEBIBYTE = 2**20


def planned(keys: list[str], *, copies: list[int] | None = None, tokens: int = 1) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"r{row}" for row in range(len(keys))],
            "split": ["train"] * len(keys),
            "position_key": keys,
            "copies": copies or [1] * len(keys),
            "tokens": [tokens] * len(keys),
        },
        schema_overrides={"position_key": pl.String, "id": pl.String, "split": pl.String},
    )


def test_used_rows_get_the_ids_and_positions_they_lack() -> None:
    uses = pl.DataFrame(
        {
            "dataset": ["kto", "rl", "kto", "kto"],
            "traj_id": ["t", None, "u", "v"],
            "task_key": ["k", "k", "k", "k"],
            "used": [True, True, False, True],
            "row_id": [None, None, None, "own"],
            "position_key": [None, None, None, "00ff"],
        }
    )
    filled = with_row_ids(uses, seed=1)
    kto_id, rl_id = short_id("kto", "t"), short_id("rl", "k")
    assert filled["row_id"].to_list() == [kto_id, rl_id, None, "own"]
    assert filled["position_key"].to_list() == [
        position_key(1, "kto", kto_id),
        position_key(1, "rl", rl_id),
        None,
        "00ff",
    ]


def test_copies_are_rows_of_their_own() -> None:
    rows = spread_copies(planned(["8000000000000000", "0000000000000001"], copies=[2, 1]))
    assert rows.select("id", "position_key", "copy_index").rows() == [
        ("r0", "8000000000000000", 0),
        ("r0", "0000000000000000", 1),
        ("r1", "0000000000000001", 0),
    ]


def test_a_split_has_as_many_shards_as_its_bytes_need_and_empty_ones_have_no_file() -> None:
    target = TARGETS["kto"]
    rows = planned(["ffffffffffffffff", "0000000000000000", "0000000000000001"], tokens=MEBIBYTE)
    sharded = plan_shards(target, spread_copies(rows), shard_bytes=4 * MEBIBYTE)
    assert sharded["bucket"].to_list() == ["kto-train-00002", "kto-train-00000", "kto-train-00000"]
    buckets = list(buckets_of(target, number_rows(sharded)))
    assert [(bucket.name, bucket.rows["id"].to_list(), bucket.rows["index"].to_list()) for bucket in buckets] == [
        ("kto-train-00000", ["r1", "r2"], [0, 1]),
        ("kto-train-00002", ["r0"], [2]),
    ]
    assert file_names(buckets, edition="e1") == [
        "kto/train-e1-00000-of-00002.parquet",
        "kto/train-e1-00001-of-00002.parquet",
    ]


@given(
    st.lists(st.integers(0, 16**16 - 1), min_size=1, max_size=30, unique=True),
    st.integers(1, 40),
    st.randoms(use_true_random=False),
)
def test_shards_hold_every_row_once_in_order_whatever_the_input_order(keys: list[int], size: int, mix: object) -> None:
    rows = planned([f"{key:016x}" for key in keys], tokens=5)
    shuffled = rows.sample(fraction=1, shuffle=True, seed=mix.randrange(1000))  # type: ignore[attr-defined]
    found = []
    for each in (rows, shuffled):
        sharded = number_rows(plan_shards(TARGETS["sft"], spread_copies(each), shard_bytes=size))
        found.append([(bucket.name, bucket.rows.rows()) for bucket in buckets_of(TARGETS["sft"], sharded)])
    assert found[0] == found[1]
    ordered = [row[2] for _, members in found[0] for row in members]
    assert ordered == sorted(rows["position_key"].to_list())
