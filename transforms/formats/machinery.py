"""Words with which the machinery around a run, and the simulated user, tell what befell them.

A part of the machinery that stands near to a word of misfortune tells of a fault, in sentences as in names of classes:
`judge failed to respond`, `EngineDeadError`. Words that the agent's own task prints as often are left out (`server`,
`tests`, `build`), or count only beside a second one (`environment setup`, `reward file`).
"""

import re
from typing import Final

_PARTS: Final = (
    *("sandbox(?:es)?", "docker", "containers?", "daemon", "pods?", "kubernetes", "k8s", "vm", "gpus?", "hardware"),
    *("infra(?:structure)?", "harness", "orchestrator", "dispatcher", "scheduler", "cluster", "registry"),
    *("verifier", "verification", "verify", "grad(?:er|ing)", "judge", "scorer", "evaluat(?:or|ion)"),
    *("provider", "endpoint", "inference", "vllm", "sg ?lang", "daytona", "mcp"),
    *("connection", "network", "dns", "ssl", "upstream", "proxy", "tunnel", "collective operation"),
    "(?:reward|model|llm|tokenizer|checkpoint|environment|env) (?:server|service|endpoint|api)",
    *("(?:model|llm) (?:request|call)", "(?:tool|browser|search) (?:server|service)"),
    *("reward (?:model|file|function|computation)", "test (?:runner|infrastructure)", "snapshot restore"),
    *("agent (?:install\\w*|set ?up|runtime)", "image (?:pull|build)", "workspace (?:provisioning|creation|set ?up)"),
    "env(?:ironment)? (?:set ?up|start(?: ?up)?|build|boot|init(?:iali[sz]ation)?|creation)",
)
_BROKEN: Final = (
    *("err(?:or)?", "exception", "bug", "crash(?:e[ds])?", "die[ds]?", "dead", "fail(?:ed|s|ures?)?"),
    *(
        "time ?outs?",
        "timed out",
        "lost",
        "gone",
        "closed",
        "killed",
        "refused",
        "reset",
        "aborted",
        "cancell?ed",
        "down",
    ),
    *("evicted", "preempted", "interrupt(?:ed|ion)", "disconnect(?:ed)?", "exited", "terminated", "shut ?down"),
    *("unavailable", "unreachable", "unhealthy", "no healthy", "missing", "required", "cannot", "could not", "unable"),
    *("(?:returned|produced) (?:an? )?(?:invalid|empty|no)", "returned 5\\d\\d"),
    "not (?:be )?(?:found|ready|healthy|reachable|available|responding|created|started)",
)
_HOLDERS: Final = (
    *("nodes?", "workers?", "actors?", "engine", "machine", "instance", "raylet", "replica", "runtime"),
    *("browser", "tmux", "(?:terminal|tmux) session"),
)
"""What runs are held in; programs have parts of these names too, so less is taken for a fault of theirs."""
_GONE: Final = (
    *("lost", "died", "dead", "crash(?:ed)?", "killed", "preempted", "drained", "evicted", "reclaimed", "interrupted"),
    *(
        "failure",
        "unreachable",
        "down",
        "unavailable",
        "disconnected",
        "rebooted",
        "time ?out",
        "not (?:ready|healthy)",
    ),
)
_SIMULATORS: Final = ("user (?:simulat(?:or|ion)|sim|model|llm)", "simulated user", "simulator")
_SENTENCES: Final = (
    *("name resolution", "could not resolve host", "name or service not known", "getaddrinfo", "gaierror"),
    *("socket hang up", "broken pipe", "tls handshake", "certificate verify failed", "server disconnected"),
    *("network is unreachable", "max retries exceeded with url", "peer closed", "remote end closed"),
    *("payload is not completed", "server had an error", "error while processing your request", "try again later"),
    *("temporarily unavailable", "throttl", "^internal error", "model not ready", "status ?code unavailable"),
    *("(?:invalid|incorrect) api key", "api key not valid", "\\bauth error", "api (?:unavailable|overloaded)"),
    *("credit balance", "credits exhausted", "spend limit", "billing", "while contacting the model"),
    *(
        "pull(?:ing)? (?:the )?image",
        "err image",
        "manifest unknown",
        "oci runtime",
        "webhook",
        "no available workers",
    ),
    *(
        "(?:clone|start) (?:the )?environment",
        "environment (?:failed to|not ready)",
        "^(?:set ?up|bootstrap) (?:err|fail|time)",
    ),
    *("\\bpreempt(?:ed|ion)\\b", "\\bspot (?:instance|interrupt|reclaim)", "\\bevicted\\b", "fell off the bus"),
    *("oom killed", "host (?:is )?(?:out of memory|disk full|down|unreachable)", "out of disk", "\\bgpu oom"),
    *("device lost", "object lost", "heartbeat", "lease expired", "cuda (?:error|out of memory)", "nccl", "cublas"),
    *("cudnn", "worker crashed", "ray actor error", "scoring (?:err|fail|time|service)", "reward file"),
    *("(?:up|down)load failed", "failed to (?:up|down)load", "(?:log|artifact) collection"),
)
"""What only the machinery prints."""
_DEED: Final = re.compile(r"\b(?:hack|tamper|cheat)\w*")
_BORDERS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")
_MOST_CHARS: Final = 2000
"""Characters of an error that are read: what went wrong stands at its head."""


def words_of(text: str) -> str:
    """Return a text in small letters, its words and those that names are put together from with one blank between.

    The class that stands for any error of a program, `RuntimeError`, says nothing of a runtime and is left out.
    """
    return " ".join(filter(None, _BORDERS.split(text[:_MOST_CHARS]))).lower().replace("runtime error", "")


def tells_of_machinery(words: str) -> bool:
    """Say whether `words_of` an error tell of the machinery, and not of what the agent did to it."""
    return _DEED.search(words) is None and _MACHINERY.search(words) is not None


def tells_of_simulator(words: str) -> bool:
    """Say whether `words_of` an error tell of the simulated user that the agent talked with."""
    return _SIMULATOR.search(words) is not None


def _near(left: tuple[str, ...], right: tuple[str, ...]) -> str:
    """Return the pattern of one of the left and one of the right, with at most four words between, in either order."""
    first, second = (rf"\b(?:{'|'.join(words)})\b" for words in (left, right))
    return rf"{first}(?: \S+){{0,4}}? {second}|{second}(?: \S+){{0,4}}? {first}"


_MACHINERY: Final = re.compile("|".join((*_SENTENCES, _near(_PARTS, _BROKEN), _near(_HOLDERS, _GONE))))
_SIMULATOR: Final = re.compile(_near(_SIMULATORS, _BROKEN))
