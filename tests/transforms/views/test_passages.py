from transforms.views.passages import PassageKind, paragraphs_of, passages_of


def call(name, arguments):
    return {"id": f"call-{name}", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_passages_leave_out_system_prompt_demonstrations_and_the_restated_task(chat_trajectory):
    trajectory = chat_trajectory(
        {
            "trajectory_id": "a",
            "instruction": "Fix the parser.",
            "messages": [
                {"role": "system", "content": "You are an agent."},
                {"role": "user", "content": "An example run", "is_demo": True},
                {"role": "user", "content": "Task: Fix the parser.\n\nThe repository lies in src."},
                {"role": "assistant", "content": "I look.", "tool_calls": [call("bash", '{"command":"ls src"}')]},
                {"role": "tool", "tool_call_id": "call-bash", "content": "a.py\n\nb.py"},
                {"role": "user", "content": "Fix the parser."},
            ],
        }
    )

    assert [(each.step_id, each.kind, each.paragraphs) for each in passages_of(trajectory)] == [
        (0, PassageKind.TASK, ("Fix the parser.",)),
        (3, PassageKind.OBSERVATION, ("The repository lies in src.",)),
        (4, PassageKind.THOUGHT, ("I look.",)),
        (4, PassageKind.ACTION, ("bash\ncommand ls src",)),
        (4, PassageKind.OBSERVATION, ("a.py", "b.py")),
        (5, PassageKind.OBSERVATION, ("Fix the parser.",)),
    ]


def test_passages_of_unreadable_arguments_hold_them_as_written(chat_trajectory):
    messages = [{"role": "assistant", "content": None, "tool_calls": [call("search", '["no object"]')]}]

    passages = passages_of(chat_trajectory({"trajectory_id": "a", "messages": messages}))

    assert [each.paragraphs for each in passages] == [('search ["no object"]',)]


def test_paragraphs_are_parted_by_blank_lines():
    assert paragraphs_of("one\ntwo\n  \n\n three \n\n") == ("one\ntwo", "three")
    assert paragraphs_of(" \n \n") == ()
