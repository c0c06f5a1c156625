"""Words with which the machinery around a run, and the simulated user, tell what befell them.

A part of the machinery that stands near to a word of misfortune tells of a fault, in sentences as in names of classes:
`judge failed to respond`, `EngineDeadError`. Words that the agent's own task prints as often are left out (`server`,
`tests`, `build`), or count only beside a second one (`environment setup`, `reward file`).
"""

import re
from typing import Final

_PARTS: Final = (
    "sandbox(?:es)?|docker|containers?|daemon|pods?|kubernetes|k8s|vm|gpus?|hardware|infra(?:structure)?|"
    "harness|orchestrator|dispatcher|scheduler|cluster|registry|verifier|verification|verify|grad(?:er|ing)|"
    "judge|scorer|evaluat(?:or|ion)|provider|endpoint|inference|vllm|sg ?lang|tensorrt|daytona|e2b|runloop|"
    "mcp|openai|anthropic|open ?router|bedrock|vertex ?ai|azure|gemini|slurm|helm|kubelet|podman|apptainer|"
    "containerd|runc|buildkit|firecracker|gvisor|microvm|qemu|(?<!test )connection|network|dns|ssl|upstream|"
    "proxy|tunnel|collective operation|"
    "(?:reward|model|llm|tokenizer|checkpoint|environment|env) (?:server|service|endpoint|api)|"
    "(?:model|llm) (?:request|call)|(?:tool|browser|search|resources?) (?:server|service)|"
    "reward (?:model|file|function|computation)|test (?:runner|infrastructure)|snapshot restore|"
    r"agent (?:install\w*|set ?up|runtime)|image (?:pull|build)|workspace (?:provisioning|creation|set ?up)|"
    "env(?:ironment)? (?:set ?up|start(?: ?up)?|build|boot|init(?:iali[sz]ation)?|creation)|"
    "env(?:ironment)? (?:launch|reset|seed|tear ?down)|deployment|remote runtime|"
    "weight (?:sync|update|transfer)|(?:image|repo(?:sitory)?) (?:pull|build|clone)|(?:build|pull) image|"
    "(?:llm|model) service"
)
_BROKEN: Final = (
    "err(?:or)?|exception|bug|crash(?:e[ds])?|die[ds]?|dead|fail(?:ed|s|ures?)?|time ?outs?|timed out|lost|"
    "gone|closed|killed|refused|reset|aborted|cancell?ed|down|evicted|preempted|interrupt(?:ed|ion)|"
    "disconnect(?:ed)?|restarted|deleted|exited|terminated|shut ?down|unavailable|unreachable|unhealthy|no healthy|"
    "missing|required|cannot|could not|unable|(?:returned|produced) (?:an? )?(?:invalid|empty|malformed|no)|"
    r"returned 5\d\d|not (?:be )?(?:found|ready|healthy|reachable|available|responding|created|started)"
)
_HOLDERS: Final = (
    "nodes?|workers?|actors?|engine|machine|instance|raylet|replica|runtime|browser|tmux|"
    "(?:terminal|tmux) session|(?:de)?tokenizer|chrom(?:e|ium)|web ?driver"
)
"""What runs are held in; programs have parts of these names too, so less is taken for a fault of theirs."""
_GONE: Final = (
    "lost|died|dead|crash(?:ed)?|killed|terminated|preempted|drained|evicted|reclaimed|interrupted|failure|"
    "unreachable|down|unavailable|disconnected|rebooted|time ?out|not (?:ready|healthy|reachable)|closed unexpectedly|"
    "has been closed"
)
_STARTS: Final = (
    "start|launch|create|initiali[sz]e|provision|allocate|boot|spawn|reset|restore|schedule|clone|build|pull|"
    "attach|mount|connect to|reach|set up|prepare"
)
_STARTED: Final = (
    "env(?:ironment)?|runtime|tmux|browser|image|volume|workspace|deployment|snapshot|"
    "(?:task )?repo(?:sitory)?|machine|instance|worker|episode|agent"
)
"""What a harness starts before the agent can do anything."""
_NOT_STARTED: Final = (
    rf"(?<!agent )(?<!model )(?<!policy )\b(?:fail(?:ed|ure|s)? to|could not|can ?not|unable to|error)"
    rf" (?:{_STARTS})(?:ing)?"
    rf"(?: \S+){{0,3}}? (?:{_STARTED})\b"
)
_SIMULATORS: Final = (
    "(?:user|customer) (?:simulat(?:or|ion)|sim|model|llm)|simulated (?:user|customer)|simulator|"
    "user (?:turn|response|message) generation"
)
_SENTENCES: Final = (
    "name resolution|could not resolve host|name or service not known|getaddrinfo|gaierror|socket hang up|"
    "broken pipe|tls handshake|certificate verify failed|server disconnected|network is unreachable|"
    "max retries exceeded with url|peer closed|remote end closed|payload is not completed|"
    "server had an error|error (?:occurred )?while processing your request|try again later|throttl|"
    "temporarily unavailable|"
    "^internal error|model not ready|status ?code unavailable|(?:invalid|incorrect) api key|"
    r"api key not valid|\bauth error|api (?:unavailable|overloaded)|"
    "(?:llm|model|provider|api) (?:(?:did not|failed to|never) (?:return|respond|answer|reply)|no response)|"
    "stream (?:disconnected|interrupted|closed)|error sending request|premature close|"
    "connect to all addresses|stale file handle|"
    r"(?:host|node|machine|worker)(?: \S+){0,3} out of (?:memory|disk|space)|"
    r"(?:reward|scoring|grading|judging|eval|system|platform|backend) (?:err(?:or)?|fail(?:ed|ure)|crash\w*)|"
    "(?:reward|scoring|grading|judging|eval|system|platform|backend) (?:time ?out|timed out)|"
    "(?:llm|model|api) (?:unavailable|time ?out|timed out|failure)|"
    "timed out waiting for (?:the |an? )?(?:condition|runtime|sandbox|container|environment|worker|pod|judge)|"
    "account (?:is )?(?:not active|deactivated|suspended|disabled)|"
    "api key (?:is )?(?:missing|expired|revoked)|out of credits?|"
    "(?:insufficient|no) (?:credits?|balance|funds)|payment required|credit balance|credits exhausted|"
    "spend limit|billing|while contacting the model|pull(?:ing)? (?:the )?image|err image|manifest unknown|"
    "oci runtime|webhook|no available workers|(?:clone|start) (?:of )?(?:the )?environment|"
    r"environment (?:failed to|not ready)|^(?:set ?up|bootstrap) (?:err|fail|time)|\bpreempt(?:ed|ion)\b|"
    r"\bspot (?:instance|interrupt|reclaim)|\bevicted\b|fell off the bus|oom killed|"
    r"host (?:is )?(?:out of memory|disk full|down|unreachable)|out of disk|\bgpu oom|device lost|object lost|"
    "(?:generation|rollout) (?:was )?(?:aborted|cancell?ed)(?! by (?:the )?(?:agent|model|policy))|"
    "^failed to solve (?:process|failed|with frontend|rpc)|failed scheduling|nodes are available|"
    "cloudflare (?:error )?52[0-9]|"
    "provisioning (?:failure|failed|error|time ?out|timed out)|^model not found|"
    "^(?:the )?agent failed to (?:install|start|launch|boot|set ?up)$|"
    "heartbeat|lease expired|cuda (?:error|out of memory)|nccl|cublas|cudnn|worker crashed|ray actor error|"
    "scoring (?:err|fail|time|service)|reward file|(?:up|down)load failed|failed to (?:up|down)load|"
    "(?:log|artifact) collection"
)
"""What only the machinery prints."""
_DEED: Final = re.compile(
    r"\b(?:hack|tamper|cheat)\w*|\bagent s (?:own |web )?(?:server|app|code|program|script|command)\b"
    r"|\b(?:agent|model|policy) (?:killed|stopped|deleted|removed|broke|crashed|corrupted|restarted) (?:the|its|an?)\b"
    r"|\b(?:killed|stopped|deleted|removed|broken|crashed|corrupted|restarted) by (?:the |its )?"
    r"(?:agent|model|policy)\b"
)
"""What the agent did to its grader, or built itself."""
_BORDERS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")
_OF_ANY_PROGRAM: Final = re.compile(r"(?<!remote )\bruntime error")
_MOST_CHARS: Final = 2000
"""Characters of an error that are read: what went wrong stands at its head."""


def words_of(text: str) -> str:
    """Return a text in small letters, its words and those that names are put together from with one blank between.

    The class that stands for any error of a program, `RuntimeError`, says nothing of a runtime and is left out.
    """
    return _OF_ANY_PROGRAM.sub("", " ".join(filter(None, _BORDERS.split(text[:_MOST_CHARS]))).lower())


def tells_of_deed(words: str) -> bool:
    """Say whether `words_of` an error tell of what the agent did to the machinery, or of what it built."""
    return _DEED.search(words) is not None


def tells_of_machinery(words: str) -> bool:
    """Say whether `words_of` an error tell of the machinery."""
    return _MACHINERY.search(words) is not None


def tells_of_simulator(words: str) -> bool:
    """Say whether `words_of` an error tell of the simulated user that the agent talked with."""
    return _SIMULATOR.search(words) is not None


def _near(left: str, right: str) -> str:
    """Return the pattern of one of the left and one of the right, with at most four words between, in either order."""
    first, second = rf"\b(?:{left})\b", rf"\b(?:{right})\b"
    return rf"{first}(?: \S+){{0,4}}? {second}|{second}(?: \S+){{0,4}}? {first}"


_MACHINERY: Final = re.compile("|".join((_SENTENCES, _NOT_STARTED, _near(_PARTS, _BROKEN), _near(_HOLDERS, _GONE))))
_SIMULATOR: Final = re.compile(_near(_SIMULATORS, rf"{_BROKEN}|exceeded|overflow"))
