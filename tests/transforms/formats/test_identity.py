from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Header, Rollout
from transforms.formats.identity import Identified, Identities, canonical_hash


def rollout(native_id, content, source="openai_chat"):
    return Rollout(Header(source), (), native_id, content, "line:1")


def test_canonical_hash_ignores_the_order_of_keys():
    assert canonical_hash({"a": 1, "b": [2]}) == canonical_hash({"b": [2], "a": 1}) != canonical_hash({"a": 1})


def test_same_native_id_and_content_is_a_repeat():
    identities = Identities(())
    first, other, again = (identities.identify(rollout("a", content)) for content in ("x", "y", "x"))
    assert (first.is_repeat, other.is_repeat, again.is_repeat) == (False, False, True)
    assert again == Identified(first.traj_id, True)
    assert first.traj_id != other.traj_id


def test_equal_records_without_an_id_are_counted_apart():
    identities = Identities(())
    ids = [identities.identify(rollout(None, "x")) for _ in range(3)]
    assert len({one.traj_id for one in ids}) == 3
    assert not any(one.is_repeat for one in ids)


def test_parts_name_the_rollout_they_belong_to():
    identities = Identities(())
    whole = rollout(None, "x")
    part = replace(whole, record_key="line:1/part:0", parent_key="line:1", canonical_sha256="y")
    inner = replace(whole, record_key="line:1/part:0/part:0", parent_key="line:1/part:0", canonical_sha256="z")
    first, second, third = (identities.identify(each) for each in (whole, part, inner))
    assert (first.parent_traj_id, second.parent_traj_id, third.parent_traj_id) == (None, first.traj_id, second.traj_id)
    identities.identify(replace(whole, record_key="line:2"))
    assert identities.identify(part).parent_traj_id is None


def test_path_facts_and_format_tell_records_apart():
    ids = {
        Identities(facts).identify(rollout("a", "x", source)).traj_id
        for facts in ((), (("model", "m"),))
        for source in ("openai_chat", "tau_bench")
    }
    assert len(ids) == 4


@given(contents=st.lists(st.tuples(st.none() | st.sampled_from("ab"), st.sampled_from("xyz")), max_size=12))
def test_ids_of_a_unit_do_not_depend_on_the_order_of_records(contents):
    def ids(items):
        identities = Identities(())
        return sorted(
            found.traj_id for found in (identities.identify(rollout(*item)) for item in items) if not found.is_repeat
        )

    assert ids(contents) == ids(contents[::-1])
