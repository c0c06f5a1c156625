"""How a ShareGPT data set names its columns and roles, as LLaMA-Factory's `dataset_info.json` may say."""

from dataclasses import dataclass, fields
from typing import Any, Final

from transforms.formats.fields import as_object

INFO_NAME: Final = "dataset_info.json"
FUNCTION: Final = "function"
"""A role that some writers give to calls and others to results; the value tells which."""
_WORDS: Final = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bot": "assistant",
    "function_call": "function_call",
    "tool_call": "function_call",
    "function": FUNCTION,
    "observation": "tool",
    "tool": "tool",
    "tool_response": "tool",
    "function_response": "tool",
    "system": "system",
}


@dataclass(frozen=True, slots=True)
class Tags:
    """Names of columns, of a message's keys and of the roles.

    `is_stated` says that a `dataset_info.json` gave them.
    """

    messages: str = "conversations"
    system: str = "system"
    tools: str = "tools"
    chosen: str = "chosen"
    rejected: str = "rejected"
    kto_tag: str = "kto_tag"
    role_tag: str = "from"
    content_tag: str = "value"
    user_tag: str = "human"
    assistant_tag: str = "gpt"
    observation_tag: str = "observation"
    function_tag: str = "function_call"
    system_tag: str = "system"
    is_stated: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The names of columns and of a message's keys."""
        columns = (self.messages, self.system, self.tools, self.chosen, self.rejected, self.kto_tag)
        return frozenset({*columns, self.role_tag, self.content_tag})

    def role(self, word: Any) -> str | None:
        """Return user | assistant | function_call | function | tool | system; None for an unknown word."""
        stated = {
            self.user_tag: "user",
            self.assistant_tag: "assistant",
            self.function_tag: "function_call",
            self.observation_tag: "tool",
            self.system_tag: "system",
        }
        if not isinstance(word, str):
            return None
        return stated.get(word) or _WORDS.get(word.strip().lower().replace("-", "_"))


_NAMES: Final = frozenset(field.name for field in fields(Tags)) - {"is_stated"}


def tags_of(info: Any, uri: str, *, info_uri: str) -> Tags:
    """Return the tags that a `dataset_info.json` states for a file; the usual ones where it states none.

    Args:
        info: Its parsed content, None when it could not be read.
        uri: The file of rows.
        info_uri: Where the `dataset_info.json` lies.
    """
    folder = info_uri.removesuffix(INFO_NAME)
    for entry in as_object(info).values():
        entry = as_object(entry)
        if entry.get("formatting") == "sharegpt" and entry.get("file_name") == uri.removeprefix(folder):
            named = {**as_object(entry.get("columns")), **as_object(entry.get("tags"))}
            texts = {name: value for name, value in named.items() if name in _NAMES and isinstance(value, str)}
            return Tags(**texts, is_stated=True)
    return Tags()
