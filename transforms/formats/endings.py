"""How a rollout ended: native words of the harnesses seen, mapped to `Termination`, and whether the reward counts.

Infrastructure faults (sandbox, verifier, provider, installation, user simulator) say nothing of the policy: their
reward is not valid. A clock or a step limit is the policy's own ending and stays scored.
"""

import re
from typing import Final, NamedTuple

from schemas.reasons import Termination
from transforms.formats.faults import Fault, fault_of, is_context_limit, is_infrastructure, is_of_simulator

_WORDS: Final[dict[Termination, str]] = {
    Termination.SUBMITTED: "submitted submit autosubmitted",
    Termination.FINISHED: "finished finish done completed complete success stop end_turn agent_stop user_stop solved "
    "goal_reached exit_command agent_finish tool_calls function_call none unset no_tools_called",
    Termination.GAVE_UP: "exit_forfeit forfeit gave_up give_up refused refusal content_filter",
    Termination.MAX_STEPS: "max_steps step_limit max_turns turn_limit turn message_limit message max_iterations "
    "max_iteration limitsexceeded limits_exceeded maxturnsreached max_turns_reached",
    Termination.MAX_TOKENS_CONTEXT: "exit_context context context_window_exceeded context_length_exceeded length "
    "max_tokens token token_limit output_length_exceeded max_output_tokens contextwindowexceedederror prompt_too_long "
    "model_length max_input_tokens max_total_tokens max_total_completion_tokens_reached compaction_failed",
    Termination.MAX_COST: "exit_cost cost cost_limit max_cost budget budget_exceeded",
    Termination.TIMEOUT_AGENT: "timeout agent_timeout wall_clock_timeout wall_clock time_limit time working deadline "
    "exit_total_execution_time timeexceeded time_exceeded max_time agenttimeouterror "
    "timeout_reached",
    Termination.TIMEOUT_TOOL: "exit_command_timeout command_timeout tool_timeout",
    Termination.FORMAT_ERROR: "exit_format format_error repeatedformaterror parse_error fatal_llm_parse_error "
    "invalid_format invalid_action malformed",
    Termination.AGENT_ERROR: "agent_error too_many_errors exit_error unknown_agent_error max_errors error exception "
    "has_error",
    Termination.INFRA_ERROR: "infrastructure_error infra_error infra sandbox_error sandbox_timeout environment_error "
    "exit_environment_error env_error exit_api api_error api_connection_error api_timeout rate_limit "
    "rate_limit_error ratelimiterror verifier_timeout verifier_error test_timeout test_error eval_error "
    "evaluation_error agent_installation_failed installation_failed docker_error container_error network_error "
    "service_unavailable internal_server_error provider_error apiconnectionerror apierror unexpected_error "
    "verifiertimeouterror environmentstarttimeouterror reward_error grader_error harness_error "
    "infraerror sandboxerror tunnelerror modelerror providererror "
    "agentsetuptimeouterror environmentbuildtimeouterror rewardfilenotfounderror rewardfileemptyerror "
    "verifieroutputparseerror authenticationerror permissiondeniederror serviceunavailableerror "
    "internalservererror",
    Termination.USER_ERROR: "user_error user_simulator_error simulator_error",
    Termination.KILLED: "killed cancelled canceled aborted abort interrupted terminated operator oom exit_killed "
    "keyboardinterrupt userinterruption cancellederror",
}
_TERMINATIONS: Final = {word: termination for termination, words in _WORDS.items() for word in words.split()}
INVALIDATING: Final = frozenset({Termination.INFRA_ERROR, Termination.USER_ERROR})
TRUNCATING: Final = frozenset(
    {
        Termination.MAX_STEPS,
        Termination.MAX_TOKENS_CONTEXT,
        Termination.MAX_COST,
        Termination.TIMEOUT_AGENT,
        Termination.KILLED,
    }
)
FAULTS: Final = INVALIDATING | {Termination.AGENT_ERROR, Termination.KILLED, Termination.FORMAT_ERROR}
"""Endings after which a run without any agent step was never a try."""
_LIMITS: Final = TRUNCATING - {Termination.KILLED}
_OPEN: Final = frozenset({Termination.UNKNOWN, Termination.AGENT_ERROR})
"""Endings that leave the cause to the error."""
_BLANKS: Final = re.compile(r"[\s\-]+")
_SUBMIT_AFTER: Final = re.compile(r"submitted\s*\(\s*([a-z_]+)\s*\)")


class Ending(NamedTuple):
    """How a rollout ended; `is_truncated` is None where the ending word says nothing."""

    termination: Termination
    raw: str | None
    is_truncated: bool | None
    reward_valid: bool


def ending_of(word: object, *, error: object = None) -> Ending:
    """Return the ending told by a harness's exit word and, where there is one, its error.

    `submitted (exit_cost)` is an automatic submission after a limit: the limit is the ending, and the run truncated.

    Args:
        word: The native word; anything but text counts as none.
        error: The native error, text or object, if any.
    """
    raw = word.strip() if isinstance(word, str) and word.strip() else None
    termination = _termination(raw)
    if termination in _OPEN:
        told, said = fault_of(error), fault_of(raw)
        causes = [cause for cause in (_cause(told), _cause(said)) if cause is not None]
        termination = next(iter(causes), termination if told is None else Termination.AGENT_ERROR)
    truncated = True if termination in TRUNCATING else None if raw is None else False
    return Ending(termination, raw, truncated, termination not in INVALIDATING)


def _termination(raw: str | None) -> Termination:
    if raw is None:
        return Termination.UNKNOWN
    word = raw.lower()
    after = _SUBMIT_AFTER.fullmatch(word)
    if after is not None:
        return _TERMINATIONS.get(after.group(1), Termination.AGENT_ERROR)
    return _TERMINATIONS.get(_BLANKS.sub("_", word), Termination.UNKNOWN)


def _cause(fault: Fault | None) -> Termination | None:
    """Return the ending an error stands for; None for one that tells of no more than an error."""
    if fault is None:
        return None
    known = _termination(fault.text)
    if known is Termination.UNKNOWN and not fault.is_of_client:
        known = _termination(fault.name or None)
    if known in FAULTS | _LIMITS and known is not Termination.AGENT_ERROR:
        return known
    if is_context_limit(fault):
        return Termination.MAX_TOKENS_CONTEXT
    if is_of_simulator(fault):
        return Termination.USER_ERROR
    return Termination.INFRA_ERROR if is_infrastructure(fault) else None
