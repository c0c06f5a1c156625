"""The dataset `sft`: successes to imitate, for TRL SFT and others that read `messages`."""

from typing import Final

import pyarrow as pa

from transforms.targets.check import check_endings, check_messages
from transforms.targets.columns import IDENTITY, WEIGHING
from transforms.targets.contract import RowProblem, Target
from transforms.targets.encoding import MESSAGES_TYPE, TOOLS_TYPE
from transforms.targets.texts import places_of, plan_schema_of, select, take

SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("messages", MESSAGES_TYPE, nullable=False),
        pa.field("tools", TOOLS_TYPE),
        pa.field("reward", pa.float64()),
        pa.field("num_tokens", pa.int64(), nullable=False),
        pa.field("traj_id", pa.string(), nullable=False),
        *IDENTITY,
        *WEIGHING,
    ]
)
"""Demonstrations and copied context are left out, as trainers learn every assistant turn of `messages`."""


def build_rows(plan: pa.Table, texts: pa.Table) -> pa.Table:
    """Return the rows of `SCHEMA`, in the plan's order."""
    places = places_of(plan["traj_id"], texts)
    return select(plan, SCHEMA, {name: take(texts, name, places) for name in ("messages", "tools")})


def check_rows(table: pa.Table) -> list[RowProblem]:
    """Return the rows that must not be written."""
    return check_messages(table, "messages") or check_endings(table, "messages")


TARGET: Final = Target(
    name="sft",
    schema=SCHEMA,
    plan_schema=plan_schema_of(SCHEMA, ("messages", "tools")),
    sides=("traj_id",),
    without_context=True,
    build=build_rows,
    check=check_rows,
)
