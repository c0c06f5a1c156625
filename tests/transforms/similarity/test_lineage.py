from hypothesis import given
from hypothesis import strategies as st

from transforms.similarity.lineage import inherit_ids, lineage_rows
from transforms.store.keys import short_id

GROUPS = st.dictionaries(st.sampled_from("abcdefghij"), st.sampled_from(["x", "y", "z"]))


def rows(*relations: tuple[str | None, str, str]) -> list[dict[str, str | None]]:
    return [{"kind": "family", "old_id": old, "new_id": new, "relation": name} for old, new, name in relations]


def test_a_group_without_a_parent_is_named_after_its_smallest_member():
    published = inherit_ids({"b": "x", "a": "x", "c": "y"}, {}, kind="family")
    assert published == {"x": short_id("family", "a", 0), "y": short_id("family", "c", 0)}


def test_a_group_inherits_the_id_of_its_largest_overlap():
    parent = {"a": "F1", "b": "F1", "c": "F2"}
    assert inherit_ids({"a": "x", "b": "x", "c": "x", "d": "x"}, parent, kind="family") == {"x": "F1"}


def test_an_id_goes_to_the_larger_part_and_is_not_made_anew():
    first = inherit_ids(dict.fromkeys("abcde", "x"), {}, kind="family")
    parent = dict.fromkeys("abcde", first["x"])
    published = inherit_ids({"a": "y", "b": "y", "c": "z", "d": "z", "e": "z"}, parent, kind="family")
    assert published["z"] == first["x"]
    assert published["y"] == short_id("family", "a", 1)


def test_lineage_says_what_became_of_each_group():
    parent = {"a": "F1", "b": "F1", "c": "F1", "d": "F2", "e": "F3"}
    groups = {"a": "F1", "b": "F1", "c": "F9", "d": "F1", "e": "F3", "f": "F8"}
    assert lineage_rows(groups, parent, kind="family") == rows(
        ("F1", "F1", "same"), ("F2", "F1", "merged"), ("F3", "F3", "same"), (None, "F8", "new"), ("F1", "F9", "split")
    )


@given(GROUPS, GROUPS)
def test_published_ids_are_unique_and_lineage_names_each(groups: dict[str, str], before: dict[str, str]):
    parent_ids = inherit_ids(before, {}, kind="family")
    parent = {member: parent_ids[group] for member, group in before.items()}
    published = inherit_ids(groups, parent, kind="family")
    assert sorted(published) == sorted(set(groups.values()))
    assert len(set(published.values())) == len(published)
    found = lineage_rows({m: published[g] for m, g in groups.items()}, parent, kind="family")
    assert {row["new_id"] for row in found} == set(published.values())


@given(GROUPS)
def test_the_same_groups_keep_their_ids(groups: dict[str, str]):
    first = inherit_ids(groups, {}, kind="family")
    parent = {member: first[group] for member, group in groups.items()}
    renamed = {member: f"new {group}" for member, group in groups.items()}
    again = inherit_ids(renamed, parent, kind="family")
    assert again == {f"new {group}": published for group, published in first.items()}
