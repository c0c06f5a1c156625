from schemas.settings.ingest import follow_alias


def test_alias_is_followed_to_its_end():
    assert follow_alias("a", {"a": "b", "b": "c"}) == "c"


def test_alias_of_an_id_that_stands_for_nothing_is_the_id():
    assert follow_alias("a", {"b": "c"}) == "a"
