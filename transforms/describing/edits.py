"""Which files the agent wrote, and which commands ran tests or programs."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from schemas.records import Trajectory
from transforms.describing.actions import Action, agent_actions
from transforms.describing.shell import Command

_PATH_ARGUMENTS: Final = ("path", "file_path", "file", "filename", "file_name", "target_file")
_TEXT_ARGUMENTS: Final = (
    "new_str",
    "file_text",
    "content",
    "contents",
    "new_string",
    "text",
    "code",
    "replacement",
    "patch",
)
_CREATING: Final = frozenset({"create", "create_file", "write_file", "write", "new_file"})
_VIEWING: Final = frozenset({"view", "open", "read", "undo_edit", "goto", "scroll_down", "scroll_up"})
_EDITORS: Final = frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "edit", "create", "insert", "text_editor"}
)
_EDITOR_COMMANDS: Final = frozenset({"str_replace_editor", "str_replace_based_edit_tool"})
_OPENERS: Final = frozenset({"open", "create", "goto"})
_TEST_PROGRAMS: Final = frozenset(
    {
        "pytest",
        "py.test",
        "tox",
        "nox",
        "nosetests",
        "nose2",
        "ctest",
        "jest",
        "vitest",
        "mocha",
        "phpunit",
        "rspec",
        "trial",
    }
)
_TEST_WORDS: Final = {
    "make": frozenset({"test", "tests", "check"}),
    "npm": frozenset({"test", "t"}),
    "yarn": frozenset({"test"}),
    "pnpm": frozenset({"test"}),
    "go": frozenset({"test"}),
    "cargo": frozenset({"test", "nextest"}),
    "mvn": frozenset({"test", "verify"}),
    "gradle": frozenset({"test", "check"}),
    "gradlew": frozenset({"test", "check"}),
    "dotnet": frozenset({"test"}),
    "bundle": frozenset({"rspec"}),
    "hatch": frozenset({"test"}),
}
_RUNNERS: Final = frozenset(
    {"python", "python3", "node", "ruby", "php", "java", "perl", "Rscript", "pypy3", "uv", "poetry"}
)
_WRITES_IN_CODE = re.compile(
    r"open\(\s*[rbf]?['\"]([^'\"]+)['\"]\s*,\s*['\"][wax]|Path\(\s*['\"]([^'\"]+)['\"]\s*\)\.write_"
)
_DEVICES: Final = ("/dev/", "&")


class Edit(NamedTuple):
    """One write to a file. `path` is None when the action does not say it; `text` is what was written, if known."""

    step_id: int
    path: str | None
    text: str
    is_creation: bool


class Work(NamedTuple):
    """What the agent did: its own calls and, of these, the writes to files."""

    actions: list[Action]
    edits: list[Edit]


def work_of(trajectory: Trajectory) -> Work:
    """Return the agent's calls and writes, in order."""
    actions = agent_actions(trajectory)
    return Work(actions, file_edits(actions))


def file_edits(actions: list[Action]) -> list[Edit]:
    """Return the writes of the actions in order; a failed action wrote nothing."""
    edits: list[Edit] = []
    open_path: str | None = None
    for action in actions:
        found = list(_edits_of(action, open_path))
        open_path = _opened(action) or open_path
        if action.is_failed is not True:
            edits += found
    return edits


def is_test_run(action: Action) -> bool:
    """Say whether the action runs a test suite."""
    return any(_runs_tests(command) for command in action.commands) or action.tool_name in (
        "run_tests",
        "run_test",
        "test",
    )


def is_program_run(action: Action) -> bool:
    """Say whether the action runs tests or any program: the weakest form of looking whether an edit works."""
    is_run = any(
        command.program in _RUNNERS or command.program.endswith((".sh", ".py")) for command in action.commands
    )
    return is_run or action.is_code or is_test_run(action)


def _runs_tests(command: Command) -> bool:
    if command.program in _TEST_PROGRAMS:
        return True
    words = command.arguments
    if command.program in _RUNNERS:
        return any(word in _TEST_PROGRAMS or word == "unittest" or word.endswith("runtests.py") for word in words) or (
            "test" in words and any(word.endswith("manage.py") for word in words)
        )
    return any(word in _TEST_WORDS.get(command.program, ()) for word in words)


def _edits_of(action: Action, open_path: str | None) -> Iterator[Edit]:
    if action.shell_text is not None:
        for command in action.commands:
            yield from _command_edits(command, action, open_path)
        return
    arguments = action.arguments or {}
    verb = str(arguments.get("command", action.tool_name))
    if verb in _VIEWING or (action.tool_kind != "edit" and action.tool_name not in _EDITORS):
        return
    path = next((arguments[name] for name in _PATH_ARGUMENTS if isinstance(arguments.get(name), str)), open_path)
    text = "\n".join(arguments[name] for name in _TEXT_ARGUMENTS if isinstance(arguments.get(name), str))
    yield Edit(action.step_id, path, text, verb in _CREATING)


def _command_edits(command: Command, action: Action, open_path: str | None) -> Iterator[Edit]:
    for operator, target in command.redirects:
        if ">" in operator and target and not target.startswith(_DEVICES) and not target.isdigit():
            text = command.heredoc or " ".join(command.arguments)
            yield Edit(action.step_id, target, text, operator in (">", ">|", "&>"))
    if command.program in ("edit", "insert", "create"):
        path = command.arguments[0] if command.program == "create" and command.arguments else open_path
        yield Edit(action.step_id, path, action.shell_text or "", command.program == "create")
    for path, text, is_creation in _program_edits(command):
        yield Edit(action.step_id, path, text, is_creation)


def _program_edits(command: Command) -> list[tuple[str | None, str, bool]]:
    """Return (path, text, is a creation) of the files that the command's program itself writes."""
    program, words = command.program, command.arguments
    if program in ("sed", "perl") and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in words):
        return [(words[-1], " ".join(words[:-1]), False)]
    if program == "tee":
        return [(word, command.heredoc, True) for word in words if not word.startswith("-")]
    if program == "patch" or (program == "git" and words[:1] in (("apply",), ("am",))):
        return [(None, command.heredoc, False)]
    if program in ("mv", "cp") and len(words) > 1:
        return [(words[-1], "", False)]
    if program in _EDITOR_COMMANDS and words and words[0] not in _VIEWING:
        return [(words[1] if len(words) > 1 else None, " ".join(words[2:]), words[0] == "create")]
    if program in _RUNNERS:
        code = command.heredoc or " ".join(words)
        return [(opened or written, code, True) for opened, written in _WRITES_IN_CODE.findall(code)]
    return []


def _opened(action: Action) -> str | None:
    """Return the file an editor's `open` or `create` makes the current one."""
    if action.shell_text is not None:
        names = [c.arguments[0] for c in action.commands if c.program in _OPENERS and c.arguments]
        return names[-1] if names else None
    if action.tool_name in _OPENERS and action.arguments:
        return next((value for value in action.arguments.values() if isinstance(value, str)), None)
    return None
