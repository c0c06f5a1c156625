import pytest

from transforms.formats.tools import tool_kind, tools_text


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("bash", None, "shell"),
        ("functions.Bash", None, "shell"),
        ("str_replace_editor", '{"command":"view","path":"a"}', "read"),
        ("str_replace_editor", '{"command":"create"}', "edit"),
        ("search_dir", None, "search"),
        ("goto", None, "read"),
        ("browser_click", None, "browser"),
        ("submit", "{}", "finish"),
        ("think", None, "think"),
        ("book_reservation", None, "other"),
    ],
)
def test_tool_kind(name, arguments, kind):
    assert tool_kind(name, arguments) == kind


@pytest.mark.parametrize(
    ("raw", "text"),
    [([{"b": 1, "a": 2}], '[{"a":2,"b":1}]'), ('[{"a": 1}]', '[{"a":1}]'), ("junk", None), ([], None), (None, None)],
)
def test_tool_schemas_are_json_text(raw, text):
    assert tools_text(raw) == text
