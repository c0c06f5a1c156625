import pytest

from schemas.reasons import Termination
from transforms.formats.endings import Ending, ending_of


@pytest.mark.parametrize(
    ("word", "error", "expected"),
    [
        ("submitted", None, Ending(Termination.SUBMITTED, "submitted", False, True)),
        ("submitted (exit_cost)", None, Ending(Termination.MAX_COST, "submitted (exit_cost)", True, True)),
        ("submitted (exit_new)", None, Ending(Termination.AGENT_ERROR, "submitted (exit_new)", False, True)),
        ("exit_context", None, Ending(Termination.MAX_TOKENS_CONTEXT, "exit_context", True, True)),
        ("verifier_timeout", None, Ending(Termination.INFRA_ERROR, "verifier_timeout", False, False)),
        ("sandbox_error", None, Ending(Termination.INFRA_ERROR, "sandbox_error", False, False)),
        ("api_connection_error", None, Ending(Termination.INFRA_ERROR, "api_connection_error", False, False)),
        ("user_error", None, Ending(Termination.USER_ERROR, "user_error", False, False)),
        ("wall_clock_timeout", None, Ending(Termination.TIMEOUT_AGENT, "wall_clock_timeout", True, True)),
        ("Max Steps", None, Ending(Termination.MAX_STEPS, "Max Steps", True, True)),
        ("LimitsExceeded", None, Ending(Termination.MAX_STEPS, "LimitsExceeded", True, True)),
        ("brand_new", None, Ending(Termination.UNKNOWN, "brand_new", False, True)),
        (" ", None, Ending(Termination.UNKNOWN, None, None, True)),
        (None, "Docker container died", Ending(Termination.INFRA_ERROR, None, None, False)),
        (None, {"type": "ValueError"}, Ending(Termination.AGENT_ERROR, None, None, True)),
        ("submitted", "warning: sandbox slow", Ending(Termination.SUBMITTED, "submitted", False, True)),
        (7, None, Ending(Termination.UNKNOWN, None, None, True)),
    ],
)
def test_ending(word, error, expected):
    assert ending_of(word, error=error) == expected


INFRASTRUCTURE = [
    "litellm.exceptions.InternalServerError: x",
    "openai.InternalServerError: Error code: 500",
    "litellm.AuthenticationError: bad key",
    "litellm.Timeout: gone",
    "openai.APITimeoutError: Request timed out.",
    "openai.APIStatusError: Error code: 529",
    "APITimeoutError",
    "apitimeouterror",
    "requests.exceptions.ReadTimeout: HTTPSConnectionPool",
    "requests.exceptions.HTTPError: 503 Server Error",
    "httpx.ReadError",
    "httpx.HTTPStatusError: status code 429",
    "OverloadedError",
    "insufficient_quota",
    "MemoryError",
    "ECONNRESET",
    "OSError: [Errno 28] No space left on device",
    "ImagePullBackOff",
    "OOMKilled",
    "CUDA out of memory",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
    "grader crashed",
    "RewardError",
    "AgentRuntimeUnavailableError",
    "AddTestsDirError",
    "ConnectionRefusedError: [Errno 111]",
    "Error code: 502",
    "RuntimeError: litellm.InternalServerError: gone",
    "You exceeded your current quota, please check your plan",
]
NOT_INFRASTRUCTURE = [
    "AssertionError: expected 500 got 200",
    "AssertionError: status code 500",
    "AssertionError: connection closed",
    "npm install failed",
    "MemoryError: cannot allocate a list",
    "tarfile.ReadError: not a gzip file",
    "java.lang.OutOfMemoryError: Java heap space",
    "openai.BadRequestError: Error code: 400",
    "ValueError: 500",
    "RewardHackingError",
    "SandboxViolationError",
    "the reward is low: scoring 3 failed tests",
    "Traceback (most recent call last):\n  docker()\nAssertionError: expected 500 got 200",
    "line 500 of the output is wrong",
]


@pytest.mark.parametrize("text", INFRASTRUCTURE)
def test_faults_of_the_machinery_void_the_reward_as_error_and_as_exit_word(text):
    assert ending_of(None, error=text) == Ending(Termination.INFRA_ERROR, None, None, False)
    assert ending_of(text) == Ending(Termination.INFRA_ERROR, text, False, False)
    kind, _, message = text.partition(": ")
    assert not ending_of("error", error={"type": kind, "message": message}).reward_valid


@pytest.mark.parametrize("text", NOT_INFRASTRUCTURE)
def test_what_the_agents_own_task_prints_is_no_fault_of_the_machinery(text):
    assert ending_of(None, error=text) == Ending(Termination.AGENT_ERROR, None, None, True)
    assert ending_of(text) == Ending(Termination.UNKNOWN, text, False, True)


@pytest.mark.parametrize("word", ["reward_reached", "evaluation", "left_sandbox", "quit", "escaped_container"])
def test_unknown_exit_words_stay_unknown(word):
    assert ending_of(word) == Ending(Termination.UNKNOWN, word, False, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ContextLengthExceededError", Termination.MAX_TOKENS_CONTEXT),
        ("litellm.ContextWindowExceededError: too long", Termination.MAX_TOKENS_CONTEXT),
        ("AgentTimeoutError: 600 s", Termination.TIMEOUT_AGENT),
    ],
)
def test_an_error_that_names_a_limit_is_that_limit(text, expected):
    assert ending_of(None, error=text) == Ending(expected, None, True, True)
    assert ending_of(text) == Ending(expected, text, True, True)
