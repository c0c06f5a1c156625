import pytest

from transforms.views.blocks import hash_of_block
from transforms.views.shared_passages import Paragraph, SharedPassage, body_paragraphs, most_shared

PREAMBLE = "You are a careful agent and obey every rule of the house. Never delete what you did not write."


def test_the_heaviest_shared_paragraph_is_named_with_its_share():
    bodies = {
        f"task{n}": [Paragraph(f"what only the run of task {n} has to say, and at length" * 3, True)]
        + ([Paragraph(PREAMBLE, True)] if n else [])
        + [Paragraph("a shorter paragraph that all runs of the lake hold", False)]
        for n in range(4)
    }

    assert most_shared(bodies, min_share=0.5) == SharedPassage(PREAMBLE, hash_of_block(PREAMBLE), 0.75, True)


@pytest.mark.parametrize(
    "around",
    ["Ticket {n}. {}", "{n} {}", "2026-05-{n} 08:{n}:11 run-{n}f {} {n}", "{} It is the {n}th day", "{n}\n{} {n}\n"],
)
def test_where_paragraphs_differ_the_words_they_have_in_common_are_named(around):
    bodies = {f"task{n}": [Paragraph(around.format(PREAMBLE, n=10 + n), True)] for n in range(4)}

    found = most_shared(bodies, min_share=0.5)

    assert found is not None
    assert found.text.removesuffix(" It is the") == PREAMBLE
    assert (found.block_hash, found.share, found.is_block) == (hash_of_block(found.text), 1.0, False)


def test_words_that_vary_inside_leave_the_longest_part_and_the_share_of_its_rarest():
    rest = "At the end of the day write down what you did and where."
    bodies = {
        f"task{n}": [Paragraph(f"{n} {PREAMBLE} Case {n} of them. {rest if n else ''}", False)] for n in range(4)
    }
    assert most_shared(bodies, min_share=0.5).text == f"{PREAMBLE} Case"
    joined = {f"task{n}": [Paragraph(f"{n} {PREAMBLE} {rest if n else ''}", False)] for n in range(4)}
    found = most_shared(joined, min_share=0.5)
    assert (found.text, found.share) == (f"{PREAMBLE} {rest}", 0.75)


def test_nothing_is_named_that_fewer_tasks_share():
    bodies = {f"task{n}": [Paragraph(f"{n} {PREAMBLE}" if n > 1 else PREAMBLE, True)] for n in range(5)}

    assert most_shared({"only": bodies["task0"]}, min_share=0.5) is None
    few = {
        name: [Paragraph(f"{paragraph.text}"[::-1] if n > 1 else paragraph.text, True) for paragraph in each]
        for n, (name, each) in enumerate(bodies.items())
    }
    assert most_shared(few, min_share=0.7) is None
    assert most_shared(bodies, min_share=0.5).share == 1.0
    assert most_shared(bodies, min_share=0.4) == SharedPassage(PREAMBLE, hash_of_block(PREAMBLE), 0.4, True)
    assert most_shared({"a": [Paragraph("x" * 50, True)], "b": [Paragraph("y" * 50, True)]}, min_share=0.5) is None
    assert most_shared({}, min_share=0.5) is None


def test_paragraphs_are_those_of_the_body_without_its_boilerplate(chat_trajectory):
    row = {
        "trajectory_id": "t",
        "messages": [
            {"role": "system", "content": "A system prompt of more than forty characters in all."},
            {"role": "user", "content": "Repair the parser"},
            {"role": "assistant", "content": "I look"},
            {"role": "user", "content": f"{PREAMBLE}\n\nshort\n\n{PREAMBLE} again"},
        ],
    }

    assert body_paragraphs(chat_trajectory(row), {hash_of_block(PREAMBLE)}) == [
        Paragraph("I look", False),
        Paragraph("short", False),
        Paragraph(f"{PREAMBLE} again", True),
    ]
