"""The skeleton of a trajectory: what was called on what, and whether it went well."""

from collections.abc import Iterator

from schemas.records import Call, Step, Trajectory
from transforms.views.passages import call_arguments, comparable_steps

_TARGET_ARGUMENTS = (
    "path",
    "file_path",
    "file",
    "filename",
    "file_name",
    "target_file",
    "url",
    "command",
    "cmd",
    "code",
)
_MAX_TARGET_CHARS = 60


def skeleton(trajectory: Trajectory) -> str:
    """Return one line per call, `tool target ok|err`, and `say - ok|err` for an agent step without a call.

    The tool of a shell call is followed by the command's first word (`bash:git`). The target is the base name of the
    file, URL or first argument the call names, `-` when it names none. A call that is not known to have failed is ok.
    """
    lines = (line for step in comparable_steps(trajectory) if step.source == "agent" for line in _step_lines(step))
    return "\n".join(lines)


def _step_lines(step: Step) -> Iterator[str]:
    if not step.calls:
        verb = f"run:{_first_word(step.command)}" if step.command and step.command.strip() else "say"
        yield f"{verb} - {_status(step.is_error)}"
    for call in step.calls:
        arguments = call_arguments(call)
        tool = call.tool_name
        if call.tool_kind == "shell":
            tool = f"{tool}:{_first_word(_shell_text(call, arguments))}"
        is_error = call.is_error if call.is_error is not None or len(step.calls) > 1 else step.is_error
        yield f"{tool} {_target(call, arguments)} {_status(is_error)}"


def _status(is_error: bool | None) -> str:
    return "err" if is_error else "ok"


def _shell_text(call: Call, arguments: dict[str, str]) -> str:
    for name in ("command", "cmd", "code"):
        if name in arguments:
            return arguments[name]
    return next(iter(arguments.values()), call.arguments_raw or "")


def _first_word(text: str | None) -> str:
    words = (text or "").split(maxsplit=1)
    return _base_name(words[0]) if words else "-"


def _target(call: Call, arguments: dict[str, str]) -> str:
    if call.tool_kind == "shell":
        words = _shell_text(call, arguments).split()[1:]
        paths = (word.strip("'\"`;()") for word in words if not word.startswith("-") and ("/" in word or "." in word))
        return _base_name(next(paths, "-"))
    named = (arguments[name] for name in _TARGET_ARGUMENTS if name in arguments)
    first = next(named, next(iter(arguments.values()), "-"))
    return _base_name(first.split(maxsplit=1)[0]) if first.strip() else "-"


def _base_name(text: str) -> str:
    return text.rstrip("/").rsplit("/", 1)[-1][:_MAX_TARGET_CHARS] or "-"
