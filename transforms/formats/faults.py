"""Whose fault an error is: of the machinery around a run, of a limit, or of what the agent did.

An error is a class name, often with its modules before and a message behind, or a sentence. A name is judged by the
stems in it. A sentence, and the message of a class that says little itself, is judged by phrases that only the
machinery prints, and by a part of the machinery that stands near to what befell it, in names of classes too
(`judge failed to respond`, `EngineDeadError`); the message of an error that ordinary programs raise is what the
agent's own task printed.
"""

import re
from typing import Any, Final, NamedTuple

from transforms.formats.machinery import tells_of_deed, tells_of_machinery, tells_of_simulator, words_of

_CLASS: Final = re.compile(
    r"(?:(?P<modules>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.)?(?P<name>[A-Za-z_][\w$]*)\s*(?:[:(](?!\))|$)"
)
_KIND_KEYS: Final = ("type", "error_type", "kind", "name", "error", "code")
_TEXT_KEYS: Final = ("type", "error", "error_type", "kind", "name", "code", "message")
_PROVIDERS: Final = frozenset({
    "litellm", "openai", "anthropic", "google", "genai", "vertexai", "cohere", "mistralai", "groq", "together",
    "botocore", "grpc", "httpx", "httpcore", "requests", "aiohttp", "urllib3", "vllm", "sglang", "torch",
})  # fmt: skip
"""Outermost modules of clients through which harnesses reach models and sandboxes."""
_MACHINERY: Final = frozenset({"modal", "e2b", "daytona", "daytona_sdk", "docker", "kubernetes", "ray", "swerex"})
"""Outermost modules of clients that only start and hold sandboxes and workers: what they raise is of the machinery,
unless it tells of a command in one."""
_OF_COMMAND: Final = re.compile(r"command|process|exit|bash|^raytask")
_POLICY: Final = re.compile(r"hack|tamper|cheat|violat|escape")
"""Stems of names that tell what the agent did to its grader or sandbox."""
_NAME: Final = re.compile(
    # the provider of the model
    r"internalserver|serviceunavailable|badgateway|gatewaytimeout|servererror|ratelimit|toomanyrequest|overloaded|"
    r"quota|resourceexhausted|authenticationerror|llmauthentication|permissiondeniederror|invalidapikey|provider\w*error|^api(?:timeout|connection|status)?"
    r"(?:error|exception|timeout)|"
    # the way to it
    r"connection(?:\w*error|reset|refused|aborted|timeout|closed)|connect(?:error|timeout)|(?:read|write|pool)timeout|"
    r"remoteprotocolerror|remotedisconnected|proxyerror|sslerror|incompleteread|chunkedencodingerror|"
    r"^e(?:connreset|connrefused|connaborted|timedout|notfound|aiagain|hostunreach|nospc)$|"
    # containers and disks
    r"sandbox\w*(?:err|exc|fail|timeout|crash|died|unavail|notfound|terminated)|docker|container\w*(?:err|exc|fail|"
    r"timeout|crash|died|exit)|imagepull|errimage|image(?:notfound|build)|crashloop|oomkilled|podfailed|evicted|"
    r"runtime(?:unavailable|disconnected|notready|notstarted|notfound|builderror)|nospaceleft|diskfull|"
    r"environment(?:start|build|setup|init)\w*(?:err|exc|fail|timeout)|infra\w*(?:err|fail|exc)|harness\w*(?:err|exc|"
    r"fail)|agent(?:setup|install)\w*(?:err|exc|fail|timeout)|tunnelerror|"
    # what judges the run
    r"(?:grader|verifier|reward|evaluat(?:or|ion)|scorer|scoring|addtests)\w*(?:err|exc|fail|crash|timeout|timedout|"
    r"died|notfound|unavail)"
)
_CLIENT: Final = re.compile(r"time(?:d)?out|connect|network|engine|protocol|outofmemory|^(?:read|write|close)error")
"""Stems that mean the provider in a class of a client's module, and may mean anything elsewhere."""
_LIMIT: Final = re.compile(r"context(?:length|window)(?:size)?exceeded")
_PHRASE: Final = re.compile(
    r"rate.?limit|service unavailable|\binfra|"
    r"\boverloaded(?:\b|_)|insufficient.quota|quota exceeded|exceeded your current quota|"
    r"too many requests|internal server error|bad gateway|gateway time-?out|"
    r"no space left on device|cuda\W{0,2}(?:error\W{0,2})?out of memory|imagepullbackoff|oomkilled|"
    r"\be(?:connreset|connrefused|timedout|hostunreach|nospc)\b|"
    r"\bagent[ _]install",
    re.IGNORECASE,
)
_INNER: Final = re.compile(r"\b[A-Z]\w{2,80}(?:Error|Exception|Timeout)\b")
"""Classes named in a message, as wrappers do."""
_MAX_NAME: Final = 120
"""Characters of a name that are judged: class names are shorter, and hostile ones cost no more."""
_STATUS: Final = re.compile(
    r"(?:\berror(?: code)?|status(?:.code)?|\bhttp(?:/[\d.]+)?(?: error)?)\W{0,3}(?:429|5\d\d)\b"
    r"|^\W{0,2}(?:429|5\d\d)\b",
    re.IGNORECASE,
)
_PROGRAM: Final = frozenset({
    "assertion", "value", "key", "type", "index", "attribute", "name", "unboundlocal", "syntax", "indentation",
    "import", "modulenotfound", "zerodivision", "arithmetic", "filenotfound", "fileexists", "isadirectory",
    "notadirectory", "permission", "calledprocess", "lookup", "recursion", "unicode", "unicodedecode",
    "unicodeencode", "jsondecode", "notimplemented", "stopiteration", "memory", "reference",
})  # fmt: skip
"""Errors that programs raise on their own, without `Error`: their messages are no witness."""
_COMMANDS: Final = frozenset({"bash", "sh", "zsh", "curl", "wget", "npm", "make", "pip", "psql", "mysql", "cargo"})
"""What begins a line that a command of the agent's own printed."""
_OF_TASKS: Final = frozenset({"psycopg2", "psycopg", "sqlalchemy", "pymysql", "redis", "pymongo", "sqlite3", "django"})
"""Outermost modules of what agents build with: the server that they do not reach is their own."""


class Fault(NamedTuple):
    """An error as told: its class or code without modules, the modules, what follows, and the whole text."""

    name: str
    modules: str
    message: str
    text: str

    @property
    def is_of_client(self) -> bool:
        """Whether a client of a provider raised it."""
        return self.modules.partition(".")[0].lower() in _PROVIDERS


def fault_of(error: Any) -> Fault | None:
    """Return an error as told by a text or an object; None where nothing is told."""
    if isinstance(error, str):
        text = error.strip()
        return _parted(text) if text else None
    if isinstance(error, dict):
        text = " ".join(part for key in _TEXT_KEYS if isinstance(part := error.get(key), str) and part.strip())
        kind = next((kind for key in _KIND_KEYS if isinstance(kind := error.get(key), str) and kind.strip()), None)
        if kind is not None:
            fault, message = _parted(kind.strip()), error.get("message")
            return fault._replace(message=message if isinstance(message, str) else fault.message, text=text)
        return _parted(text) if text else None
    return None


def _parted(text: str) -> Fault:
    if text.startswith("Traceback"):
        text = text.rpartition("\n")[2].strip()
    match = _CLASS.match(text)
    if match is None:
        return Fault("", "", text, text)
    return Fault(match["name"], match["modules"] or "", text[match.end() :].strip(), text)


def is_context_limit(fault: Fault) -> bool:
    """Say whether an error's class tells that the context is full."""
    return _LIMIT.search(_squashed(fault.name)) is not None


def is_of_simulator(fault: Fault) -> bool:
    """Say whether an error is of the simulated user that the agent talked with."""
    return not _is_of_program(fault) and tells_of_simulator(_words(fault))


def is_infrastructure(fault: Fault) -> bool:
    """Say whether an error is of the machinery: the provider, the way to it, containers, disks, or the grader."""
    name = _squashed(fault.name)
    if _POLICY.search(name):
        return False
    if name and (_NAME.search(name) or _is_of_clients(fault, name)):
        return True
    if _is_of_program(fault):
        # A harness that runs out of memory leaves the bare class; with a message it is a program's own traceback.
        return name == "memoryerror" and not fault.message
    words, said = _words(fault), _said(fault)
    if tells_of_deed(words):
        return False
    if _PHRASE.search(fault.text) or _STATUS.search(said) or tells_of_machinery(words):
        return True
    return any(_NAME.search(_squashed(inner)) for inner in _INNER.findall(said))


def _said(fault: Fault) -> str:
    """Return what is said beside the class; of an error without a class all of it."""
    return fault.message if _squashed(fault.name) else fault.text


def _words(fault: Fault) -> str:
    return words_of(f"{fault.name} {_said(fault)}")


def _is_of_program(fault: Fault) -> bool:
    name = _squashed(fault.name)
    if name in _COMMANDS or fault.modules.partition(".")[0].lower() in _OF_TASKS:
        return True
    return name.removesuffix("error") in _PROGRAM


def _is_of_clients(fault: Fault, name: str) -> bool:
    if fault.modules.partition(".")[0].lower() in _MACHINERY:
        return _OF_COMMAND.search(name) is None
    return fault.is_of_client and _CLIENT.search(name) is not None


def _squashed(name: str) -> str:
    return name[:_MAX_NAME].replace("_", "").lower()
