from transforms.describing.actions import agent_actions
from transforms.describing.edits import Edit, file_edits, is_program_run, is_test_run


def _actions(make_trajectory, *acts):
    return agent_actions(make_trajectory(*acts))


def test_shell_writes_are_edits(make_trajectory, bash):
    commands = [
        "cat > a.py <<'EOF'\nx = 1\nEOF", "sed -i 's/x/y/' b.py", "echo hi | tee -a c.txt", "ls > /dev/null 2>&1",
        "git apply fix.patch", "python - <<'E'\nopen('d.py', 'w').write('z')\nE",
    ]  # fmt: skip
    edits = file_edits(_actions(make_trajectory, *[bash(command) for command in commands]))
    assert edits == [
        Edit(2, "a.py", "x = 1", True),
        Edit(3, "b.py", "-i s/x/y/", False),
        Edit(4, "c.txt", "", True),
        Edit(6, None, "", False),
        Edit(7, "d.py", "open('d.py', 'w').write('z')", True),
    ]


def test_a_line_editor_edits_the_file_it_opened(make_trajectory, bash):
    edits = file_edits(_actions(make_trajectory, bash("open src/a.py 10"), bash("edit 3:4\nif a > b:\nend_of_edit")))
    assert edits == [Edit(3, "src/a.py", "edit 3:4\nif a > b:\nend_of_edit", False)]


def test_views_and_api_calls_are_no_edits(make_trajectory):
    acts = [("str_replace_editor", {"command": "view", "path": "a.py"}, "1"), ("book", {"path": "x"}, "ok")]
    assert file_edits(_actions(make_trajectory, *acts)) == []


def test_test_runs_are_told_from_program_runs(make_trajectory, bash):
    commands = [
        "cd x && python -m pytest -q", "make test", "python manage.py test app", "npm run test", "python repro.py",
        "./check.sh", "cat test_a.py", "grep pytest setup.cfg",
    ]  # fmt: skip
    actions = _actions(make_trajectory, *[bash(command) for command in commands])
    assert [is_test_run(action) for action in actions] == [True, True, True, True, False, False, False, False]
    assert [is_program_run(action) for action in actions] == [True] * 6 + [False, False]
