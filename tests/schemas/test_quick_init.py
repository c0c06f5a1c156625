import inspect
import pickle
from dataclasses import dataclass, field, replace

from schemas.quick_init import quick_init
from schemas.records import Message, Step


@quick_init
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    names: dict[str, int] = field(default_factory=dict)


def test_fields_and_defaults_are_those_of_the_record() -> None:
    assert (Point(1).x, Point(1).y, Point(1).names) == (1, 2, {})
    assert Point(1, names={"a": 1}).names == {"a": 1}
    assert Point(1).names is not Point(1).names


def test_records_stay_values() -> None:
    assert Point(1) == Point(1, 2)
    assert hash(Message("user", "a")) == hash(Message("user", "a"))
    assert replace(Point(1), y=3) == Point(1, 3)
    assert pickle.loads(pickle.dumps(Step(1, "user", "a", "text"))) == Step(1, "user", "a", "text")
    assert repr(Point(1)) == "Point(x=1, y=2, names={})"
    assert not hasattr(Point(1), "__dict__")


def test_the_signature_is_kept() -> None:
    assert list(inspect.signature(Point).parameters) == ["x", "y", "names"]
