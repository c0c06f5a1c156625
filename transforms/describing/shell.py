"""Shell text as a list of commands: pipelines, groups, wrappers and nested shells taken apart; never raising."""

import re
import shlex
from functools import lru_cache
from typing import Final, NamedTuple

MAX_CHARS: Final = 20_000
"""Shell text beyond this many characters is not looked at; longer commands are file contents."""
_MAX_DEPTH: Final = 3
_HEREDOC = re.compile(
    r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1([^\n]*)\n(.*?)(?:\n[ \t]*\2[ \t]*(?=\n|$)|\Z)", re.DOTALL
)
_PLAIN_TEXT = re.compile(r"(?:[^\s'\"\\#();<>|&]++|'[^']*+'|\"[^\"\\]*+\"|[();<>|&]++|[ \t\n])*")
_PLAIN_TOKEN = re.compile(r"(?:[^\s'\"();<>|&]++|'[^']*+'|\"[^\"]*+\")+|[();<>|&]++|\n")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_LINE_PIECE = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|\n|#[^\n]*|[^'\"\\\n#]+|.", re.DOTALL)
_SUBSTITUTION = re.compile(r"\$\(([^()]{1,2000})\)|`([^`]{1,2000})`")
_ASSIGNMENT = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*\+?=")
_SEPARATORS: Final = frozenset({";", "&&", "||", "&", "|", "|&", "(", ")", ";;", "((", "))", ";&"})
_RESERVED: Final = frozenset(
    {"do", "done", "then", "else", "elif", "if", "while", "until", "fi", "{", "}", "!", "time"}
)
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash"})
_OPTION_WITH_VALUE: Final = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-U", "-C"}),
    "env": frozenset({"-u", "-C", "-S"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nice": frozenset({"-n"}),
    "xargs": frozenset({"-I", "-n", "-P", "-d", "-L", "-s", "-a", "-E"}),
    "nohup": frozenset(),
    "command": frozenset(),
    "exec": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "doas": frozenset({"-u"}),
}
"""Programs that run the command after them, and their options that take a word of their own."""


class Command(NamedTuple):
    """One simple command. `program` is a base name; `redirects` are (operator, target)."""

    program: str
    arguments: tuple[str, ...] = ()
    redirects: tuple[tuple[str, str], ...] = ()
    is_piped: bool = False
    is_privileged: bool = False
    heredoc: str = ""


@lru_cache(maxsize=4096)
def parse_shell(text: str) -> tuple[Command, ...]:
    """Return the simple commands of a shell text in order, those of nested shells and substitutions after theirs.

    Text that no shell would take (unbalanced quotes) is split at blanks, so that it still says something.
    """
    return tuple(_parse(text[:MAX_CHARS], depth=0))


def _parse(text: str, *, depth: int) -> list[Command]:
    heredocs: list[str] = []

    def take_body(match: re.Match[str]) -> str:
        heredocs.append(match.group(4))
        return f" <<< heredoc_{len(heredocs) - 1}{match.group(3)}\n"

    words = _split(_HEREDOC.sub(take_body, text) if "<<" in text else text)
    commands = []
    pending: list[str] = []
    is_piped = False
    for word in [*words, ";"]:
        if word not in _SEPARATORS:
            pending.append(word)
            continue
        commands += _simple_commands(pending, heredocs, is_piped=is_piped, depth=depth)
        is_piped = word in ("|", "|&")
        pending = []
    return commands


def _split(text: str) -> list[str]:
    """Split shell text into words and operators, a newline outside quotes being a `;`."""
    if _PLAIN_TEXT.fullmatch(text):
        return [_unquoted(token) for token in _PLAIN_TOKEN.findall(text)]
    return _split_by_character(text)


def _unquoted(token: str) -> str:
    if token == "\n":
        return ";"
    return _QUOTED.sub(lambda match: match.group()[1:-1], token) if "'" in token or '"' in token else token


def _split_by_character(text: str) -> list[str]:
    """Split as `_split` does, text with comments and escapes too: thirty times slower."""
    pieces = []
    is_word_start = True
    for match in _LINE_PIECE.finditer(text):
        piece = match.group()
        if piece.startswith("#") and is_word_start:
            continue
        pieces.append(" ; " if piece == "\n" else "" if piece == "\\\n" else piece)
        is_word_start = piece[-1:].isspace() or piece[-1:] in ";&|("
    lexer = shlex.shlex("".join(pieces), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _simple_commands(words: list[str], heredocs: list[str], *, is_piped: bool, depth: int) -> list[Command]:
    plain, redirects, heredoc = _take_redirects(words, heredocs)
    plain, is_privileged = _unwrap(plain)
    if not plain:
        return [Command("", (), redirects, is_piped, is_privileged, heredoc)] if redirects else []
    program = plain[0].rsplit("/", 1)[-1]
    commands = [Command(program, tuple(plain[1:]), redirects, is_piped, is_privileged, heredoc)]
    if depth < _MAX_DEPTH:
        for nested in _nested_texts(program, plain[1:], heredoc):
            commands += [
                command._replace(is_privileged=command.is_privileged or is_privileged)
                for command in _parse(nested, depth=depth + 1)
            ]
    return commands


def _take_redirects(words: list[str], heredocs: list[str]) -> tuple[list[str], tuple[tuple[str, str], ...], str]:
    plain: list[str] = []
    redirects = []
    heredoc = ""
    remaining = iter(words)
    for word in remaining:
        if not word or word.strip("<>&") or not ("<" in word or ">" in word):
            plain.append(word)
            continue
        if plain and plain[-1] in ("0", "1", "2"):
            plain.pop()
        target = next(remaining, "")
        if (
            word == "<<<"
            and target.startswith("heredoc_")
            and target[8:].isdigit()
            and int(target[8:]) < len(heredocs)
        ):
            heredoc = heredocs[int(target[8:])]
        else:
            redirects.append((word, target))
    return plain, tuple(redirects), heredoc


def _unwrap(words: list[str]) -> tuple[list[str], bool]:
    """Drop reserved words, assignments and wrappers in front of the program; say whether one gives privileges."""
    is_privileged = False
    while words:
        first = words[0].rsplit("/", 1)[-1]
        if first in _RESERVED or _ASSIGNMENT.match(words[0]):
            words = words[1:]
        elif first in _OPTION_WITH_VALUE and len(words) > 1:
            is_privileged = is_privileged or first in ("sudo", "doas")
            words = _after_options(words[1:], _OPTION_WITH_VALUE[first])
            if first == "timeout":
                words = words[1:]
        else:
            break
    return words, is_privileged


def _after_options(words: list[str], with_value: frozenset[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in with_value else words[1:]
    return words


def _nested_texts(program: str, arguments: list[str], heredoc: str) -> list[str]:
    texts = [
        group for word in arguments for match in _SUBSTITUTION.finditer(word) for group in match.groups() if group
    ]
    if program in _SHELLS:
        flags = [index for index, word in enumerate(arguments) if re.fullmatch(r"-[a-z]*c", word)]
        texts += [arguments[flags[0] + 1]] if flags and flags[0] + 1 < len(arguments) else []
        texts += [heredoc] if heredoc else []
    elif program == "eval":
        texts.append(" ".join(arguments))
    return texts
