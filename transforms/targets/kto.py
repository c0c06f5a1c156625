"""The dataset `kto`: single completions with a verdict, for TRL KTO and OpenRLHF."""

from typing import Final

import pyarrow as pa

from transforms.targets.check import check_messages, check_openings
from transforms.targets.columns import IDENTITY, WEIGHING
from transforms.targets.contract import RowProblem, Target
from transforms.targets.encoding import MESSAGES_TYPE, TOOLS_TYPE
from transforms.targets.texts import places_of, plan_schema_of, select, take

SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("prompt", MESSAGES_TYPE, nullable=False),
        pa.field("completion", MESSAGES_TYPE, nullable=False),
        pa.field("label", pa.bool_(), nullable=False),
        pa.field("tools", TOOLS_TYPE),
        pa.field("reward", pa.float64()),
        pa.field("num_tokens", pa.int64(), nullable=False),
        pa.field("traj_id", pa.string(), nullable=False),
        *IDENTITY,
        *WEIGHING,
    ]
)
"""`label`: the rollout is a success."""


def build_rows(plan: pa.Table, texts: pa.Table) -> pa.Table:
    """Return the rows of `SCHEMA`, in the plan's order."""
    places = places_of(plan["traj_id"], texts)
    return select(plan, SCHEMA, {name: take(texts, name, places) for name in ("prompt", "completion", "tools")})


def check_rows(table: pa.Table) -> list[RowProblem]:
    """Return the rows that must not be written."""
    problems = [*check_messages(table, "prompt"), *check_messages(table, "completion")]
    return problems or check_openings(table, prompt="prompt", completion="completion")


TARGET: Final = Target(
    name="kto",
    schema=SCHEMA,
    plan_schema=plan_schema_of(SCHEMA, ("prompt", "completion", "tools")),
    sides=("traj_id",),
    without_context=False,
    build=build_rows,
    check=check_rows,
)
