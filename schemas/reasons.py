"""The closed vocabularies of the tables: why a record was set aside, why a row was kept or dropped."""

from enum import StrEnum


class QuarantineReason(StrEnum):
    """Why a record could not be used."""

    TRUNCATED = "truncated"
    INVALID_JSON = "invalid_json"
    INVALID_ENCODING = "invalid_encoding"
    NOT_AN_OBJECT = "not_an_object"
    MISSING_MESSAGES = "missing_messages"
    INVALID_MESSAGE = "invalid_message"
    INVALID_REWARD = "invalid_reward"
    INVALID_VALUE = "invalid_value"
    DUPLICATE_KEY = "duplicate_key"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    UNREADABLE = "unreadable"
    UNKNOWN_FORMAT = "unknown_format"
    NATIVE_CRASH = "native_crash"
    UNUSABLE_VECTOR = "unusable_vector"
    """Read well, but the encoder gave no vector for its text that is finite and not zero."""


class Termination(StrEnum):
    """How a rollout ended, whatever word its harness uses."""

    SUBMITTED = "submitted"
    FINISHED = "finished"
    GAVE_UP = "gave_up"
    MAX_STEPS = "max_steps"
    MAX_TOKENS_CONTEXT = "max_tokens_context"
    MAX_COST = "max_cost"
    TIMEOUT_AGENT = "timeout_agent"
    TIMEOUT_TOOL = "timeout_tool"
    FORMAT_ERROR = "format_error"
    AGENT_ERROR = "agent_error"
    INFRA_ERROR = "infra_error"
    USER_ERROR = "user_error"
    KILLED = "killed"
    UNKNOWN = "unknown"


class EnvType(StrEnum):
    """The kind of world the agent acted in."""

    TERMINAL = "terminal"
    CODE_REPO = "code_repo"
    BROWSER = "browser"
    CROSS_TOOL = "cross_tool"
    DIALOG = "dialog"
    API = "api"
    DOCUMENT = "document"
    MULTI_TURN = "multi_turn"
    EDGE = "edge"
    OTHER = "other"


class OutcomeClass(StrEnum):
    """What a rollout counts as; rollouts of different classes are never merged."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNSCORED = "unscored"
    INVALID = "invalid"


class Difficulty(StrEnum):
    """A task's bucket by posterior mean pass rate: hard ≤ .25, medium ≤ .75, easy above; unknown when unscored."""

    HARD = "hard"
    MEDIUM = "medium"
    EASY = "easy"
    UNKNOWN = "unknown"


class Attribution(StrEnum):
    """What the pass rate of a task says of a policy."""

    MASTERED = "mastered"
    UNSTABLE = "unstable"
    LACKING = "lacking"
    UNDETERMINED = "undetermined"


class DecisionReason(StrEnum):
    """Why a trajectory is in the curated pool, or is not."""

    KEPT = "kept"
    INVALID_REWARD = "invalid_reward"
    EMPTY = "empty"
    EXACT_COPY = "exact_copy"
    NEAR_DUPLICATE = "near_duplicate"
    CUT_COPY = "cut_copy"
    SEMANTIC_DUPLICATE = "semantic_duplicate"
    IN_REFERENCE_SET = "in_reference_set"
    APPROACH_CAP = "approach_cap"
    TASK_CAP = "task_cap"
    BUDGET = "budget"


class UseReason(StrEnum):
    """What a dataset did with a candidate."""

    USED = "used"
    DROPPED_FROM_POOL = "dropped_from_pool"
    UNSCORED = "unscored"
    INVALID_REWARD = "invalid_reward"
    NOT_A_SUCCESS = "not_a_success"
    INFRASTRUCTURE = "infrastructure"
    REWARD_AUDIT = "reward_audit"
    UNSAFE = "unsafe"
    NO_OPPOSITE_OUTCOME = "no_opposite_outcome"
    PAIR_CAP = "pair_cap"
    IDENTICAL_SIDES = "identical_sides"
    MARGIN_TOO_SMALL = "margin_too_small"
    NO_ASSISTANT_TURN = "no_assistant_turn"
    UNUSABLE_CONVERSATION = "unusable_conversation"
    NO_SIGNAL = "no_signal"
    UNSOLVED = "unsolved"
    SHARE_FILLED = "share_filled"
    NOT_DRAWN = "not_drawn"


class TaskDecision(StrEnum):
    """What the curation does with a task."""

    TRAIN = "train"
    HARD_SEED = "hard_seed"
    MASTERED = "mastered"
    UNSOLVED = "unsolved"
    UNSCORED = "unscored"
