"""What a target is: a dataset for one kind of trainer, with a closed schema and a way to build its rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from schemas.reasons import UseReason

EncodedMessage = dict[str, str | list[str] | None]
"""One message in the encoding of `encoding.MESSAGE_TYPE`: role, content, tool_calls, tool_call_id, name."""


class Conversation(NamedTuple):
    """A trajectory as a trainer sees it: what the model is given and what it is to answer.

    `completion` starts and ends with an assistant turn. `tools` holds one JSON schema a tool, None when there is none.
    """

    prompt: list[EncodedMessage]
    completion: list[EncodedMessage]
    tools: list[str] | None


class Refusal(NamedTuple):
    """Why a trajectory gives no usable conversation."""

    reason: UseReason
    message: str


class RowProblem(NamedTuple):
    """A row that would break a trainer or train nothing, and the rule it breaks."""

    row_id: str
    rule: str


@dataclass(frozen=True, slots=True)
class Target:
    """A dataset.

    Attributes:
        name: Its name: folder, configuration of the card, `dataset` in the table `uses`.
        schema: Columns of its files, in order.
        plan_schema: Columns of the rows planned for it: all that needs no text.
        sides: The plan's columns that name trajectories; null where a row needs none.
        without_context: Whether demonstrations and context copied from another run are left out.
        build: Builds rows of `schema` from planned rows and the text table (`rendering.TEXT_SCHEMA`) that holds all
            of their trajectories.
        check: Returns the rows that must not be written.
    """

    name: str
    schema: pa.Schema
    plan_schema: pa.Schema
    sides: tuple[str, ...]
    without_context: bool
    build: Callable[[pa.Table, pa.Table], pa.Table]
    check: Callable[[pa.Table], list[RowProblem]]

    @property
    def compares_sides(self) -> bool:
        """Whether a row sets the conversations of several trajectories against each other."""
        return len(self.sides) > 1
