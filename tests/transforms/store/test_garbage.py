import gc

import pytest

from transforms.store.garbage import YOUNG_OBJECTS, rare_collections


def test_collections_are_rare_inside_and_as_before_behind() -> None:
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold()[0] == YOUNG_OBJECTS
    assert gc.get_threshold() == before


def test_blocks_that_end_in_any_order_restore_what_was_set_before_the_first() -> None:
    before = gc.get_threshold()
    first, second = rare_collections(), rare_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] == YOUNG_OBJECTS
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_an_error_inside_restores_what_was_set_before() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="inside"), rare_collections():
        raise ValueError("inside")
    assert gc.get_threshold() == before
