import random
from itertools import pairwise

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.containment import Sketches
from transforms.lexical.copies import MEMBER, CopyRules, GroupCopies, group_cells, load_views, save_views
from transforms.lexical.signatures import FastEngine, sign_strings
from transforms.lexical.signing import sign_views
from transforms.lexical.text_buffers import buffer_of_texts
from transforms.lexical.word_order import word_orders

BASE = " ".join(f"w{number}" for number in range(300))
TEXTS = [BASE, f"{BASE} and more", "other", f"{BASE} and still more", "", " ".join(BASE.split()[:120])]
SIGNED = sign_strings(FastEngine(), TEXTS)
SIGNATURES = SIGNED.minhash
SKETCHES = Sketches(SIGNED.bottom, SIGNED.bottom_bounds.astype(np.int64), SIGNED.num_shingles)
ORDERS = word_orders(buffer_of_texts(TEXTS), SIGNED.num_shingles)
RULES = CopyRules(min_similarity=0.8, containment_min_share=0.95, approach_min_similarity=0.3)


def member(row, *, cell=0, rank, text, actions=-1, num_steps=1, is_open=False):
    return (row, cell, rank, -1 if text == 4 else text, text, actions, num_steps, is_open)


def grouped_cells(rows, *, rules=RULES):
    return group_cells(rows, SIGNATURES, SKETCHES, rules=rules, orders=ORDERS).to_pylist()


def members(*rows):
    return np.array(list(rows), dtype=MEMBER)


def test_exact_copies_follow_the_best_and_near_copies_join_it():
    cell = members(
        member(0, rank=3, text=0),
        member(1, rank=0, text=1),
        member(2, rank=1, text=0),
        member(3, rank=2, text=2),
        member(4, rank=5, text=1),
        member(5, rank=4, text=4),
        member(6, rank=6, text=4),
    )

    near = float((SIGNATURES[0] == SIGNATURES[1]).mean())
    names = ("row", "exact_keeper", "lexical_keeper", "keeper", "similarity")
    assert [tuple(row[name] for name in names) for row in grouped_cells(cell)] == [
        (0, 2, 1, 1, near),
        (1, 1, 1, 1, 1.0),
        (2, 2, 1, 1, near),
        (3, 3, 3, 3, 1.0),
        (4, 1, 1, 1, 1.0),
        (5, 5, 5, 5, 1.0),
        (6, 6, 6, 6, 1.0),
    ]


def test_a_cut_run_and_its_copies_go_to_the_full_one():
    cell = members(
        member(0, rank=0, text=5), member(1, rank=1, text=5), member(2, rank=2, text=0), member(3, rank=3, text=1)
    )

    names = ("exact_keeper", "lexical_keeper", "keeper")
    found = [tuple(row[name] for name in names) for row in grouped_cells(cell)]
    assert found == [(0, 0, 2), (0, 0, 2), (2, 2, 2), (3, 2, 2)]
    without = grouped_cells(cell, rules=RULES._replace(containment_min_share=None))
    assert [row["keeper"] for row in without] == [0, 0, 2, 2]


@pytest.mark.parametrize(
    ("num_steps", "is_open", "kept"), [(1, True, 0), (2, True, 1), (2, False, 0)], ids=["as long", "cut", "whole"]
)
def test_of_near_copies_one_cut_from_the_other_goes_to_it(num_steps, is_open, kept):
    cell = members(member(0, rank=0, text=0, is_open=is_open), member(1, rank=1, text=1, num_steps=num_steps))

    assert [row["keeper"] for row in grouped_cells(cell)] == [kept, kept]
    without = grouped_cells(cell, rules=RULES._replace(containment_min_share=None))
    assert [row["keeper"] for row in without] == [0, 0]


def test_members_of_two_cells_are_never_grouped():
    cells = members(
        member(0, cell=0, rank=0, text=0, actions=1),
        member(1, cell=1, rank=1, text=0, actions=1),
        member(2, cell=2, rank=2, text=5, actions=1),
    )

    for row in grouped_cells(cells):
        assert len({row[name] for name in ("row", "exact_keeper", "lexical_keeper", "keeper", "approach")}) == 1


def test_approaches_join_what_copies_do_not():
    cell = members(
        member(0, rank=0, text=0, actions=1), member(1, rank=1, text=2, actions=1), member(2, rank=2, text=5)
    )
    found = grouped_cells(cell, rules=RULES._replace(containment_min_share=None))

    assert [(row["keeper"], row["approach"]) for row in found] == [(0, 0), (1, 0), (2, 0)]


def test_group_copies_reads_files_and_gives_every_row_once(tmp_path):
    all_members = members(*(member(row, cell=row % 3, rank=9 - row, text=row % 2) for row in range(10)))
    np.save(tmp_path / "members.npy", all_members)
    columns = {name: TEXTS for name in ("view_hash", "body", "skeleton", "task_text")}
    save_views(tmp_path, sign_views(pa.table(columns), FastEngine()))
    expected = [tuple(row.values()) for row in grouped_cells(all_members)]

    with TestPipeline() as pipeline:
        rows = (
            pipeline
            | beam.Create([(0, 4), (4, 10)])
            | GroupCopies(tmp_path / "members.npy", tmp_path, RULES, num_partitions=2)
            | beam.FlatMapTuple(lambda _, table: [tuple(row.values()) for row in table.to_pylist()])
        )
        assert_that(rows, equal_to(expected))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_shards_and_the_order_of_members_change_nothing(tmp_path, size):
    rng = np.random.default_rng(size)
    ranks = np.random.default_rng(0).permutation(60).tolist()
    ordered = members(
        *(member(row, cell=row % 5, rank=ranks[row], text=row % 6, actions=row % 4) for row in range(60))
    )
    np.save(tmp_path / "members.npy", ordered[rng.permutation(60)])
    columns = {name: TEXTS for name in ("view_hash", "body", "skeleton", "task_text")}
    save_views(tmp_path, sign_views(pa.table(columns), FastEngine()))
    shards = [(start, min(start + size, 60)) for start in range(0, 60, size)]
    rng.shuffle(shards)

    with TestPipeline() as pipeline:
        parts = (
            pipeline
            | beam.Create([tuple(shard) for shard in shards])
            | GroupCopies(tmp_path / "members.npy", tmp_path, RULES, num_partitions=2)
            | beam.MapTuple(lambda name, table: (name, table.to_pylist()))
        )
        expected = [
            (f"{partition:05d}", grouped_cells(ordered[ordered["cell"] % 2 == partition])) for partition in range(2)
        ]
        assert_that(parts, equal_to(expected))


def test_three_thousand_equal_runs_are_one_group_of_one_keeper():
    runs = members(*(member(row, rank=2999 - row, text=0) for row in range(3000)))
    unlike = runs.copy()
    unlike["text"] = np.arange(3000)

    # Of one text, and of one signature under skeletons that differ.
    for rows in (runs, unlike):
        assert {row["keeper"] for row in grouped_cells(rows)} == {2999}


def test_views_come_back_as_they_were_saved(tmp_path):
    columns = {name: TEXTS for name in ("view_hash", "body", "skeleton", "task_text")}
    save_views(tmp_path, sign_views(pa.table(columns), FastEngine()))
    signatures, sketches, orders = load_views(tmp_path)

    assert np.array_equal(signatures, SIGNATURES)
    assert all(np.array_equal(left, right) for left, right in zip(orders, ORDERS, strict=True))
    assert all(np.array_equal(left, right) for left, right in zip(sketches, SKETCHES, strict=True))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=12), st.randoms())
def test_kept_and_dropped_are_what_was_seen_in_any_order(kinds, draws):
    ranks = list(range(len(kinds)))
    draws.shuffle(ranks)
    rows = [member(row, cell=cell, rank=ranks[row], text=text) for row, (cell, text) in enumerate(kinds)]

    grouped = grouped_cells(members(*rows))
    draws.shuffle(rows)

    assert [each["row"] for each in grouped] == list(range(len(kinds)))
    assert grouped_cells(members(*rows)) == grouped
    for each in grouped:
        row, exact, lexical, keeper = (each[name] for name in ("row", "exact_keeper", "lexical_keeper", "keeper"))
        assert ranks[exact] <= ranks[row]
        assert keeper == lexical or grouped[keeper]["row"] == keeper
        assert kinds[exact] == kinds[row]
        assert kinds[lexical][0] == kinds[keeper][0] == kinds[each["approach"]][0] == kinds[row][0]
        assert each["similarity"] >= 0.8
        assert keeper == row or kinds[row][1] != 4
        assert grouped[keeper]["keeper"] == keeper


def derived_texts(draws, *, count):
    """Return texts of which each but the first is an earlier one cut, continued or changed in some words."""
    texts = [[f"w{draws.randrange(5000)}" for _ in range(240)]]
    while len(texts) < count:
        words = list(draws.choice(texts))
        way = draws.randrange(4)
        if way == 0:
            words = words[: max(60, int(len(words) * draws.choice([0.4, 0.9])))]
        elif way == 1:
            words += [f"y{draws.randrange(5000)}" for _ in range(draws.choice([12, 120]))]
        elif way == 2:
            for place in range(draws.randrange(60), len(words), 60):
                words[place] = f"x{draws.randrange(5000)}"
        texts.append(words)
    return [" ".join(words) for words in texts]


def measured(signed, row, keeper, *, is_cut):
    """Return the estimated similarity of a text to another, or the share of it that lies there."""
    if not is_cut:
        return float((signed.minhash[row] == signed.minhash[keeper]).mean())
    sketches = [set(signed.bottom[start:end].tolist()) for start, end in pairwise(signed.bottom_bounds.tolist())]
    counts = signed.num_shingles.tolist()
    limit = min((max(sketches[each]) for each in (row, keeper) if len(sketches[each]) < counts[each]), default=2**32)
    known = {value for value in sketches[row] if value <= limit}
    return len(known & sketches[keeper]) / len(known)


@pytest.mark.parametrize("seed", range(12))
def test_every_copy_names_a_run_that_stays_and_how_similar_these_two_are(seed):
    draws = random.Random(seed)
    texts = derived_texts(draws, count=30)
    signed = sign_strings(FastEngine(), texts)
    sketches = Sketches(signed.bottom, signed.bottom_bounds.astype(np.int64), signed.num_shingles)
    ranks = draws.sample(range(30), 30)
    first = {text: texts.index(text) for text in texts}
    rows = members(
        *(
            (row, 0, ranks[row], first[text], row, -1, draws.randint(2, 4), draws.randrange(2))
            for row, text in enumerate(texts)
        )
    )

    found = group_cells(rows, signed.minhash, sketches, rules=RULES).to_pylist()

    for each in found:
        row, keeper = each["row"], each["keeper"]
        assert found[keeper]["keeper"] == keeper
        is_cut = each["lexical_keeper"] != keeper
        assert each["similarity"] == pytest.approx(measured(signed, row, keeper, is_cut=is_cut))
        assert each["similarity"] >= (RULES.containment_min_share if is_cut else RULES.min_similarity)
    kept = [each["row"] for each in found if each["keeper"] == each["row"]]
    assert len(kept) < 30
    # What stays repeats nothing that stays.
    again = group_cells(rows[kept], signed.minhash, sketches, rules=RULES)
    assert again["keeper"].to_pylist() == kept
    assert group_cells(rows[::-1], signed.minhash, sketches, rules=RULES).to_pylist() == found


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_grouping_the_kept_again_keeps_them_all(texts):
    rows = members(*(member(row, rank=row, text=text) for row, text in enumerate(texts)))
    kept = rows[[each["keeper"] == each["row"] for each in grouped_cells(rows)]]

    assert [each["keeper"] for each in grouped_cells(kept)] == kept["row"].tolist()
