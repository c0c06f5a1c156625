from transforms.views.skeletons import skeleton


def call(name, arguments, *, is_error=None):
    return {"id": name, "function": {"name": name, "arguments": arguments}, "is_error": is_error}


def test_skeleton_tells_tool_target_and_outcome(chat_trajectory):
    messages = [
        {"role": "user", "content": "Fix it."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("bash", '{"command":"/usr/bin/git diff src/a.py"}')],
        },
        {"role": "assistant", "content": None, "tool_calls": [call("edit", '{"new":"x","path":"/repo/b.py"}')]},
        {"role": "assistant", "content": None, "tool_calls": [call("get_user", '{"user_id":"mia_1"}', is_error=True)]},
        {"role": "assistant", "content": None, "tool_calls": [call("list_all", "{}"), call("bash", "broken")]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("bash", '{"command":"```sh\\nls -l. src/\\n```"}')],
        },
        {"role": "assistant", "content": None, "tool_calls": [call("think", '{"aloud":"It is odd."}')]},
        {"role": "assistant", "content": "Done."},
    ]

    assert skeleton(chat_trajectory({"trajectory_id": "a", "messages": messages})).splitlines() == [
        "bash:git a.py ok",
        "edit b.py ok",
        "get_user mia_1 err",
        "list_all - ok",
        "bash:- - ok",
        "bash:ls src ok",
        "think - ok",
        "say - ok",
    ]
