"""The skeleton of a trajectory: what was called on what, and whether it went well."""

from collections.abc import Iterator, Mapping

from schemas.records import Call, Step, Trajectory
from transforms.views.passages import call_arguments, comparable_steps

_TARGET_ARGUMENTS = ("path", "file_path", "file", "filename", "file_name", "target_file", "url")
_COMMAND_ARGUMENTS = ("command", "cmd", "code")
_CODE_FENCE = "```"
_MAX_TARGET_CHARS = 60


def skeleton(trajectory: Trajectory) -> str:
    """Return one line per call, `tool target ok|err`, and `say - ok|err` for an agent step without a call.

    The tool of a shell call is followed by the command's first word (`bash:git`). The target is the base name of the
    file or URL the call names, else of its first argument of one word, `-` when there is none. A call that is not
    known to have failed is ok.
    """
    lines = (line for step in comparable_steps(trajectory) if step.source == "agent" for line in _step_lines(step))
    return "\n".join(lines)


def _step_lines(step: Step) -> Iterator[str]:
    if not step.calls:
        verb = f"run:{_first_word(step.command.split())}" if step.command and step.command.strip() else "say"
        yield f"{verb} - {_status(step.is_error)}"
    for call in step.calls:
        arguments = call_arguments(call)
        tool = call.tool_name
        if call.tool_kind == "shell":
            tool = f"{tool}:{_first_word(_shell_words(call, arguments))}"
        is_error = call.is_error if call.is_error is not None or len(step.calls) > 1 else step.is_error
        yield f"{tool} {_target(call, arguments)} {_status(is_error)}"


def _status(is_error: bool | None) -> str:
    return "err" if is_error else "ok"


def _shell_words(call: Call, arguments: Mapping[str, str]) -> list[str]:
    named = (arguments[name] for name in _COMMAND_ARGUMENTS if name in arguments)
    command = next(named, next(iter(arguments.values()), call.arguments_raw or ""))
    lines = (line for line in command.splitlines() if not line.lstrip().startswith(_CODE_FENCE))
    return " ".join(lines).split()


def _first_word(words: list[str]) -> str:
    return _base_name(words[0]) if words else "-"


def _target(call: Call, arguments: Mapping[str, str]) -> str:
    if call.tool_kind == "shell":
        words = (word.strip("'\"`;()") for word in _shell_words(call, arguments)[1:])
        return _base_name(next((word for word in words if word[:1] != "-" and ("/" in word or "." in word)), "-"))
    named = (arguments[name] for name in _TARGET_ARGUMENTS if name in arguments)
    single = (value for value in arguments.values() if len(value.split(maxsplit=1)) == 1)
    return _first_word(next(named, next(single, "")).split(maxsplit=1))


def _base_name(text: str) -> str:
    return text.rstrip("/").rsplit("/", 1)[-1][:_MAX_TARGET_CHARS] or "-"
