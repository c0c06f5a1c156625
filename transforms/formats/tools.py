"""What kind of work a tool does, told by its name and, for editors of many commands, by the command."""

import re
from functools import lru_cache
from typing import Any, Final

import orjson

_KINDS: Final[dict[str, str]] = {
    "shell": "bash shell sh terminal execute_bash run_shell_command run_command execute_command run_in_terminal exec "
    "cmd python ipython execute_ipython_cell jupyter execute local_shell run_tests pytest test execute_code "
    "run_python shell_command exec_command bash_command",
    "edit": "edit create write write_file create_file str_replace insert apply_patch patch replace edit_file "
    "multiedit append delete_file move_file undo_edit file_write file_edit save_file",
    "read": "open cat view read read_file goto scroll_up scroll_down head tail view_file file_read open_file ls "
    "list_files list_dir list_directory",
    "search": "search search_dir search_file find_file grep glob find rg codebase_search search_code find_files "
    "web_search",
    "browser": "browser browse browser_action web_browser click goto_url navigate fetch open_url",
    "finish": "submit finish done complete task_complete final_answer exit stop exit_forfeit mark_task_complete",
    "think": "think thought plan reflect sequentialthinking update_plan todo_write",
}
_BY_NAME: Final = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_EDITORS: Final = frozenset(
    {"str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor", "editor"}
)
_EDITOR_COMMANDS: Final = re.compile(r'"command":"(\w+)"')


def tool_kind(name: str, arguments_json: str | None) -> str:
    """Return shell | edit | read | search | browser | finish | think | other."""
    kind = _kind_of_name(name)
    if kind is not None:
        return kind
    command = _EDITOR_COMMANDS.search(arguments_json or "")
    return "read" if command is not None and command.group(1) == "view" else "edit"


@lru_cache(maxsize=1024)
def _kind_of_name(name: str) -> str | None:
    """Return the kind of a tool; None for an editor, whose command decides."""
    word = name.strip().lower().replace("-", "_").rpartition(".")[2]
    if word in _EDITORS:
        return None
    if word in _BY_NAME:
        return _BY_NAME[word]
    return "browser" if word.startswith("browser_") else "other"


def tools_text(raw: Any) -> str | None:
    """Return tool schemas as JSON text: from a list or object, or from text that already is JSON; else None."""
    if isinstance(raw, str):
        try:
            raw = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return None
    if not isinstance(raw, list | dict) or not raw:
        return None
    return orjson.dumps(raw, option=orjson.OPT_SORT_KEYS).decode()
