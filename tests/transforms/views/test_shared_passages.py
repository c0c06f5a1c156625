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


def test_where_paragraphs_differ_their_sentences_are_compared():
    bodies = {f"task{n}": [Paragraph(f"Ticket {n}. {PREAMBLE}", True)] for n in range(4)}

    found = most_shared(bodies, min_share=0.5)

    assert found is not None
    assert (found.text, found.share, found.is_block) == (PREAMBLE.split(". ")[0] + ".", 1.0, False)


def test_nothing_is_named_that_fewer_tasks_share():
    bodies = {f"task{n}": [Paragraph(f"{n} {PREAMBLE}" if n > 1 else PREAMBLE, True)] for n in range(5)}

    assert most_shared({"only": bodies["task0"]}, min_share=0.5) is None
    assert most_shared(bodies, min_share=0.5) is None
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
