from hypothesis import given
from hypothesis import strategies as st

from transforms.pairing.divergence import first_divergence


def test_first_divergence_is_the_first_differing_message() -> None:
    left = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    right = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "c"}]
    assert first_divergence(left, right) == 1


def test_first_divergence_of_a_beginning_is_its_length() -> None:
    assert first_divergence([1, 2], [1, 2, 3]) == 2
    assert first_divergence([], [1]) == 0


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_first_divergence_parts_equal_from_different(left: list[int], right: list[int]) -> None:
    index = first_divergence(left, right)
    assert left[:index] == right[:index]
    assert index == len(left) or index == len(right) or left[index] != right[index]
    assert index == first_divergence(right, left)
