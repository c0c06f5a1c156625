import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest

from transforms.reporting.figures import draw_figures
from transforms.reporting.page import render_page

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style></svg><script src=//evil.example/x.js></script>",
    "javascript:alert(1)",
    "<svg/onload=alert(1)>",
    "<a href=data:text/html,x>",
    "<!--",
    "]]>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;script&gt;&#60;b&#62;",
    "\x00\x1b[31m\x9b\u202e\u2066\ufeff",
    "<iframe srcdoc='<script>1</script>'>",
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
]
VOCABULARY = {"outcome_class", "decision", "view", "attribution"}
"""Columns whose words the report counts by: another word there changes what is drawn."""


class _Structure(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.links: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "wbr":
            self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.links += [
            value or "" for name, value in attrs if name in {"href", "src", "xlink:href", "action", "srcdoc"}
        ]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append(("comment", (data,)))


def _structure(page: str) -> _Structure:
    parsed = _Structure()
    parsed.feed(page)
    parsed.close()
    return parsed


def _page(tables: dict[str, pa.Table], *, snapshot_id: str = "s1") -> str:
    return render_page(draw_figures(tables, seed=0), snapshot_id=snapshot_id, parent_id="s0", seed=0)


def _poisoned(tables: dict[str, pa.Table], payload: str, *, vocabulary: bool) -> dict[str, pa.Table]:
    def poison(table: pa.Table) -> pa.Table:
        for index, field in enumerate(table.schema):
            if field.type == pa.string() and (vocabulary or field.name not in VOCABULARY):
                values = [None if value is None else payload + value for value in table[field.name].to_pylist()]
                table = table.set_column(index, field, pa.array(values, pa.string()))
            if pa.types.is_map(field.type):
                rows = table[field.name].to_pylist()
                maps = [None if row is None else [(payload + key, value) for key, value in row] for row in rows]
                table = table.set_column(index, field, pa.array(maps, field.type))
        return table

    return {name: poison(table) for name, table in tables.items()}


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_text_in_every_field_changes_no_element(small_tables: dict[str, pa.Table], payload: str) -> None:
    harmless = _structure(_page(_poisoned(small_tables, "x", vocabulary=False)))
    page = _page(_poisoned(small_tables, payload, vocabulary=False), snapshot_id=payload)
    parsed = _structure(page)
    assert parsed.tags == harmless.tags
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]", page)


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_words_of_the_vocabulary_stay_text(small_tables: dict[str, pa.Table], payload: str) -> None:
    parsed = _structure(_page(_poisoned(small_tables, payload, vocabulary=True)))
    assert {tag for tag, _ in parsed.tags} <= {
        "html", "head", "meta", "title", "style", "body", "header", "p", "span", "h1", "h2", "h3", "b", "code", "pre",
        "nav", "a", "main", "section", "ul", "ol", "li", "svg", "rect", "circle", "text", "i", "table", "thead",
        "tbody", "tr", "th", "td", "small", "div", "dl", "dt", "dd", "footer",
    }  # fmt: skip
    assert not [name for _, names in parsed.tags for name in names if name.startswith("on") or name == "style"]
    assert all(link.startswith("#") for link in parsed.links)


def test_page_loads_nothing_and_allows_only_its_own_style(small_tables: dict[str, pa.Table]) -> None:
    page = _page(small_tables)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'",
        policy[1].replace("&#39;", "'"),
    )
    assert not re.search(r"(?i)<script|url\(|@import|https?://|=\s*[\"']?//", page)


def test_page_tells_the_numbers(small_tables: dict[str, pa.Table]) -> None:
    texts = " ".join(" ".join(_structure(_page(small_tables)).texts).split())
    assert "4 of 5 trajectories kept" in texts
    assert "6 records read from 1 source unit, 2 task groups. They give 1 dpo rows." in texts
    assert "in groups of 2 or more 2 trajectories in 1 group" in texts
    assert "exact action repeats 4 trajectories in 2 groups" in texts
    assert "3 task keys give 2 task groups. Keys by the rule that put them there: id 2 · text hash 0" in texts
    assert "environment pairs mean 99th percentile sea 1 0.50 0.50 air 6 0.25 0.25" in texts


def test_page_is_the_same_for_the_same_tables_and_bears_an_empty_snapshot(small_tables: dict[str, pa.Table]) -> None:
    assert _page(small_tables) == _page(dict(reversed(small_tables.items())))
    assert "0 of 0 trajectories kept" in _page({})
