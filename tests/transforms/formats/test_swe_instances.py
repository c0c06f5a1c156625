import pytest

from transforms.formats.swe_instances import Origin, origin_of


@pytest.mark.parametrize(
    ("name", "origin"),
    [
        ("django__django-123", Origin("django/django", None)),
        ("pandas-dev__pandas.95280573.pr_53652", Origin("pandas-dev/pandas", "95280573")),
        ("my-task", Origin(None, None)),
        (None, Origin(None, None)),
    ],
)
def test_name_of_an_instance_tells_its_origin(name, origin):
    assert origin_of(name) == origin
