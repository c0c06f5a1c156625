from hypothesis import given
from hypothesis import strategies as st

from transforms.views.blocks import hash_of_block
from transforms.views.bodies import View, body_text, edges, task_text, view_of

RULES = "Always answer in the tone of a patient librarian."


def test_body_holds_thoughts_actions_and_the_edges_of_observations(chat_trajectory):
    trajectory = chat_trajectory(
        {
            "trajectory_id": "a",
            "messages": [
                {"role": "system", "content": "You are an agent."},
                {"role": "user", "content": "List the files."},
                {
                    "role": "assistant",
                    "content": "I list them.",
                    "tool_calls": [{"id": "1", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}],
                },
                {"role": "tool", "tool_call_id": "1", "content": f"{RULES}\n\nabcdefgh"},
            ],
        }
    )

    view = view_of(trajectory, {hash_of_block(RULES)}, observation_edge_chars=3)

    assert view.body == "I list them.\nbash\ncommand ls\nabc\n…\nfgh"
    assert view.skeleton == "bash:ls - ok"
    assert view.task_text == "List the files."
    assert view.comparable == view.body
    assert body_text(trajectory, set(), observation_edge_chars=0) == "I list them.\nbash\ncommand ls"


def test_task_text_leaves_boilerplate_out_unless_nothing_else_is_left():
    assert task_text(f"{RULES}\n\nFix it.", {hash_of_block(RULES)}) == "Fix it."
    assert task_text(RULES, {hash_of_block(RULES)}) == RULES


def test_a_run_without_body_is_compared_by_its_task_and_never_equals_a_body():
    bare, acted = View(body="", skeleton="", task_text="ls"), View(body="ls", skeleton="", task_text="x")

    assert bare.comparable == acted.comparable == "ls"
    assert bare.body_hash != acted.body_hash


@given(st.text(), st.integers(0, 10))
def test_edges_are_bounded_and_keep_short_texts(text, num_chars):
    cut = edges(text, num_chars)

    assert len(cut) <= 2 * num_chars + len("\n…\n")
    assert cut == text or (len(text) > 2 * num_chars and cut.startswith(text[:num_chars]))
