import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.lexical.signatures import FastEngine
from transforms.lexical.task_texts import TaskText, distinguishing_marks, join_task_texts, joined_ids

LONG = "please repair the slow parser so that all of the tests of the project pass again and the build stays green"
TEXTS = st.sampled_from(
    ["", "git push", "git  push", "git pull", LONG, LONG + " soon", LONG + " in 3 days", LONG[::-1]]
)


def groups(*texts, scope=""):
    tasks = [TaskText(f"id:{number}", text, scope) for number, text in enumerate(texts)]
    return list(join_task_texts(tasks, FastEngine(), min_similarity=0.8).values())


def test_near_duplicates_join_under_the_smallest_key():
    assert groups(LONG, LONG.replace("green", "blue"), "write a poem about the quiet sea at night") == [
        "id:0",
        "id:0",
        "id:2",
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (f"{LONG} within 3 days", f"{LONG} within 4 days"),
        (f"{LONG} in src/parser.py", f"{LONG} in src/lexer.py"),
        (f"{LONG} in parser.py", f"{LONG} in lexer.py"),
        (f'{LONG} named "alpha"', f'{LONG} named "beta"'),
        (f"{LONG} named `alpha`", f"{LONG} named `beta`"),
    ],
)
def test_tasks_that_differ_in_a_number_path_or_quoted_name_stay_apart(left, right):
    assert groups(left, right) == ["id:0", "id:1"]


def test_a_dated_instruction_is_one_task_every_day():
    short = "repair the slow parser and run all of its tests"
    texts = [
        f"Today is 2026-11-30. {short}",
        f"Today is Mon, December 1, 2026. {short}",
        f"Today is 2026-12-02T08:15:00Z. {short}",
        f"The deadline is 2026-12-02. {short}",
        f"The deadline is 2026-12-03. {short}",
    ]

    assert groups(*texts) == ["id:0", "id:0", "id:0", "id:3", "id:4"]


def test_many_tasks_of_one_template_join_or_stay_in_linear_work():
    same = [TaskText(f"id:{number:04}", f"{LONG} {'soon' if number % 2 else ''}") for number in range(700)]
    other = [
        TaskText(f"no:{number:04}", " ".join(f"word{number}x{place}" for place in range(9))) for number in range(700)
    ]
    joined = join_task_texts([*same, *other], FastEngine(), min_similarity=0.8)

    assert {joined[task.task_key] for task in same} == {"id:0000"}
    assert all(joined[task.task_key] == task.task_key for task in other)


def test_short_texts_join_only_when_equal():
    assert groups("git push", "git pull", " git  push\n", "", "") == ["id:0", "id:1", "id:0", "id:3", "id:4"]


def test_tasks_of_two_repositories_stay_apart():
    tasks = [TaskText("id:a", LONG, "one@"), TaskText("id:b", LONG, "two@")]

    assert join_task_texts(tasks, FastEngine(), min_similarity=0.8) == {"id:a": "id:a", "id:b": "id:b"}


def of_ids(*texts, without_id=()):
    tasks = [TaskText(f"id:{number}", text, has_id=True) for number, text in enumerate(texts)]
    tasks += [TaskText(f"text:{number}", text) for number, text in enumerate(without_id)]
    return join_task_texts(tasks, FastEngine(), min_similarity=0.8)


def test_tasks_with_ids_that_differ_in_one_word_stay_apart():
    assert list(of_ids(*(f"{LONG} {word}" for word in ("kettle", "ladder", "candle"))).values()) == [
        "id:0",
        "id:1",
        "id:2",
    ]


def test_tasks_with_ids_join_when_their_texts_are_equal_but_for_dates_labels_of_runs_and_case():
    texts = [
        f"Run 1 of 3: as of 2026-11-30, {LONG} (attempt 1)",
        f"Run 2 of 3: as of 2026-12-01,  {LONG} (attempt 2)",
        f"Run 3 of 3: As of 2026-12-02, {LONG} (attempt 2)",
    ]

    assert set(of_ids(*texts).values()) == {"id:0"}


def test_a_task_without_id_joins_the_first_that_is_alike_and_connects_no_two_ids():
    kettle, ladder = f"{LONG} kettle", f"{LONG} ladder"
    found = of_ids(kettle, ladder, without_id=[f"{LONG} candle", ladder, f"{LONG} bottle"])

    assert found == {"id:0": "id:0", "id:1": "id:1", "text:0": "id:0", "text:1": "id:1", "text:2": "id:0"}


def test_no_two_ids_of_a_large_template_join():
    tasks = [TaskText(f"id:{number:04}", f"{LONG} word{chr(97 + number % 26)}{chr(97 + number // 26)}", has_id=True)
             for number in range(600)]  # fmt: skip
    named = [TaskText(f"text:{number:04}", task.text + "x") for number, task in enumerate(tasks[:50])]
    joined = join_task_texts([*tasks, *named], FastEngine(), min_similarity=0.8)

    assert all(joined[task.task_key] == task.task_key for task in tasks)
    assert all(joined[task.task_key].startswith("id:") for task in named)


def test_joined_ids_are_those_of_groups_with_several_the_largest_first():
    tasks = [TaskText(f"id:{name}", name, has_id=True) for name in "fedcba"] + [TaskText("text:a", "a")]
    groups = {"id:a": "id:a", "id:b": "id:a", "id:c": "id:c", "id:d": "id:c", "id:e": "id:c", "id:f": "id:f"}

    found = joined_ids(tasks, groups | {"text:a": "id:f"})
    assert [[task.text for task in members] for members in found] == [["c", "d", "e"], ["a", "b"]]


def test_an_instruction_handed_out_on_two_days_is_one_task():
    assert groups(
        "As of 2026-11-30, count the rows of orders.csv",
        "As of 2026-12-01, count the rows of orders.csv",
        "As of 2026-12-01, count the rows of clients.csv",
    ) == ["id:0", "id:0", "id:2"]


def test_tasks_about_two_days_stay_apart():
    assert groups(f"{LONG} by 2026-11-30", f"{LONG} by 2026-12-01") == ["id:0", "id:1"]


def test_marks_are_numbers_paths_files_and_quoted_names():
    assert distinguishing_marks("Don't touch 'a b' in (src/x), see notes.md, 1,200 rows; e.g it's `f`.") == {
        "number 1,200",
        "name a b",
        "name f",
        "path src/x",
        "path notes.md",
        "path e.g",
    }


@given(st.lists(TEXTS, max_size=8), st.randoms(use_true_random=False))
def test_groups_depend_on_no_order_and_are_named_after_their_smallest_key(texts, random):
    tasks = [TaskText(f"id:{number}", text) for number, text in enumerate(texts)]
    joined = join_task_texts(tasks, FastEngine(), min_similarity=0.8)
    random.shuffle(tasks)

    assert join_task_texts(tasks, FastEngine(), min_similarity=0.8) == joined
    assert set(joined) == {task.task_key for task in tasks}
    for group in set(joined.values()):
        assert group == min(key for key, value in joined.items() if value == group)
