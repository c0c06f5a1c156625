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
