"""What the agent did: its own calls in order, each with its arguments, shell text and whether it failed."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import orjson

from schemas.records import Call, Step, Trajectory
from transforms.describing.guarded import GuardedPattern
from transforms.describing.shell import Command, parse_shell
from transforms.formats.steps import own_steps

_SHELL_NAMES = re.compile(r"(?i)bash|shell|terminal|execute|^exec|run_command|^run$|^cmd$")
_CODE_NAMES = re.compile(r"(?i)python|jupyter|execute_code")
_SHELL_ARGUMENTS: Final = ("command", "cmd", "code", "keystrokes", "script", "input")
_FINISH_NAMES: Final = frozenset({"submit", "finish", "done", "task_complete", "complete_task", "exit_success"})
_EDGE_CHARS: Final = 400
_ERROR_HEAD = re.compile(
    r"\s*(?:\W{0,3}(?:fatal |runtime )?error\b|traceback \(most recent call last\)|(?:\S+: )?command not found"
    r"|exception\b|usage: |invalid |unknown (?:tool|function|command|action)|malformed"
    r"|permission denied|access denied)",
    re.IGNORECASE,
)
_ERROR_ANYWHERE = GuardedPattern(
    r"Traceback \(most recent call last\)|: command not found|No such file or directory|: Permission denied"
    r"|^\w*(?:Error|Exception): |\bsyntax error\b|invalid option|missing operand|\bSyntaxError\b"
    r"|introduced new syntax error"
    r"|No space left on device|Connection refused|Segmentation fault|Operation not permitted",
    needs=(
        "Error: ", "Exception: ", "Traceback (", ": command not", "No such file", ": Permission", "syntax error",
        "invalid option", "missing operand", "SyntaxError", "No space left", "Connection ref", "Segmentation f",
        "Operation not",
    ),
    flags=re.MULTILINE,
)  # fmt: skip
_INVALID_RESULT = GuardedPattern(
    r"(?i)unknown (?:tool|function|command|action)|no such tool|tool .{0,60}not (?:found|available)"
    r"|malformed (?:command|action)"
    r"|invalid (?:tool|action|arguments? for|function)|could not parse|failed to parse|validation error"
    r"|: command not found|invalid action format",
    needs=("unknown ", "no such tool", "not ", "malformed ", "invalid ", "failed to parse", "validation error"),
)


@dataclass
class Action:
    """One call of the agent.

    Attributes:
        is_failed: None when nothing says how it went.
        key: What makes two actions the same: the tool and its arguments, blanks aside.
        commands: The shell commands of the action; of an editor command with text below it, the command alone.
    """

    step_id: int
    tool_name: str
    tool_kind: str
    arguments: Mapping[str, Any] | None
    arguments_text: str
    arguments_state: str
    shell_text: str | None
    result: str | None
    is_failed: bool | None
    exit_code: int | None
    key: tuple[str, str] = field(init=False)
    commands: tuple[Command, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Take the arguments apart, once: every rule asks for them."""
        self.key = (self.tool_name, " ".join(self.arguments_text.split()))
        self.commands = _commands(self.shell_text) if self.shell_text else ()

    @property
    def is_code(self) -> bool:
        """Whether the action hands a program's text to an interpreter."""
        return _names_code(self.tool_name)

    @property
    def is_finish(self) -> bool:
        """Whether the action ends the rollout of the agent's own will."""
        first_word = (self.shell_text or "").split(maxsplit=1)[:1]
        return self.tool_kind == "finish" or self.tool_name in _FINISH_NAMES or first_word == ["submit"]

    @property
    def is_invalid_result(self) -> bool:
        """Whether the environment answered that it could not make sense of the action."""
        head = (self.result or "")[:_EDGE_CHARS]
        return self.is_failed is not False and bool(_INVALID_RESULT.search(head))


def _commands(text: str) -> tuple[Command, ...]:
    first_line, _, _ = text.lstrip().partition("\n")
    is_editor = first_line.split(maxsplit=1)[:1] in (["edit"], ["insert"])
    return parse_shell(first_line if is_editor else text)


def agent_actions(trajectory: Trajectory) -> list[Action]:
    """Return the calls of the agent's own steps in order; a bare command without a call counts as a shell call."""
    actions = []
    for step in own_steps(trajectory.steps):
        actions += [_action(step, call) for call in step.calls if call.requestor == "assistant"]
        if not step.calls and step.command and step.command.strip():
            actions.append(_bare_command(step, step.command))
    return actions


def says_error(text: str) -> bool:
    """Say whether a result reads like an error: at its head, or by a line of its first or last 400 characters."""
    edges = text if len(text) <= 2 * _EDGE_CHARS else f"{text[:_EDGE_CHARS]}\n{text[-_EDGE_CHARS:]}"
    return bool(_ERROR_HEAD.match(text[:_EDGE_CHARS]) or _ERROR_ANYWHERE.search(edges))


def _action(step: Step, call: Call) -> Action:
    is_only = len(step.calls) == 1
    result = call.result_text if call.result_text is not None or not is_only else step.obs_text
    exit_code = call.exit_code if call.exit_code is not None or not is_only else step.exit_code
    stated = call.is_error if call.is_error is not None or not is_only else step.is_error
    arguments = _parsed(call.arguments_json)
    return Action(
        step_id=step.step_id,
        tool_name=call.tool_name,
        tool_kind=call.tool_kind,
        arguments=arguments,
        arguments_text=call.arguments_json if call.arguments_json is not None else call.arguments_raw or "",
        arguments_state=call.arguments_state,
        shell_text=_shell_text(call, arguments),
        result=result,
        is_failed=_is_failed(stated, exit_code, result),
        exit_code=exit_code,
    )


def _bare_command(step: Step, command: str) -> Action:
    is_failed = _is_failed(step.is_error, step.exit_code, step.obs_text)
    return Action(
        step.step_id,
        "shell",
        "shell",
        {"command": command},
        command,
        "ok",
        command,
        step.obs_text,
        is_failed,
        step.exit_code,
    )


def _is_failed(stated: bool | None, exit_code: int | None, result: str | None) -> bool | None:
    if stated is not None:
        return stated
    if exit_code is not None:
        return exit_code != 0
    return None if result is None else says_error(result)


def _parsed(arguments_json: str | None) -> Mapping[str, Any] | None:
    if arguments_json is None:
        return None
    try:
        arguments = orjson.loads(arguments_json)
    except ValueError:
        return _parsed_leniently(arguments_json)
    return arguments if isinstance(arguments, dict) else None


def _parsed_leniently(arguments_json: str) -> Mapping[str, Any] | None:
    """Parse what orjson refuses and the standard parser takes: lone surrogates, NaN, huge numbers."""
    try:
        arguments = json.loads(arguments_json)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _shell_text(call: Call, arguments: Mapping[str, Any] | None) -> str | None:
    is_shell = call.tool_kind == "shell" or _names_shell(call.tool_name)
    if not is_shell or _names_code(call.tool_name):
        return None
    if arguments is None:
        return call.arguments_raw
    named = (arguments[name] for name in _SHELL_ARGUMENTS if isinstance(arguments.get(name), str))
    return next(named, next((value for value in arguments.values() if isinstance(value, str)), None))


@lru_cache(maxsize=1024)
def _names_shell(tool_name: str) -> bool:
    return bool(_SHELL_NAMES.search(tool_name))


@lru_cache(maxsize=1024)
def _names_code(tool_name: str) -> bool:
    return bool(_CODE_NAMES.search(tool_name))
