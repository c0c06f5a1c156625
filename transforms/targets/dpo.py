"""The dataset `dpo`: preference pairs for TRL DPO and reward trainers, and OpenRLHF."""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from transforms.pairing.divergence import first_divergence
from transforms.targets.check import check_messages, check_openings, check_sides
from transforms.targets.columns import IDENTITY, WEIGHING
from transforms.targets.contract import RowProblem, Target
from transforms.targets.encoding import MESSAGES_TYPE, TOOLS_TYPE
from transforms.targets.texts import places_of, plan_schema_of, select, take

SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("prompt", MESSAGES_TYPE, nullable=False),
        pa.field("chosen", MESSAGES_TYPE, nullable=False),
        pa.field("rejected", MESSAGES_TYPE, nullable=False),
        pa.field("tools", TOOLS_TYPE),
        pa.field("pair_kind", pa.string(), nullable=False),
        pa.field("margin", pa.float32(), nullable=False),
        pa.field("divergence_step", pa.int32(), nullable=False),
        pa.field("same_prompt", pa.bool_(), nullable=False),
        pa.field("num_tokens_chosen", pa.int64(), nullable=False),
        pa.field("num_tokens_rejected", pa.int64(), nullable=False),
        pa.field("chosen_reward", pa.float64(), nullable=False),
        pa.field("rejected_reward", pa.float64(), nullable=False),
        pa.field("chosen_id", pa.string(), nullable=False),
        pa.field("rejected_id", pa.string(), nullable=False),
        *IDENTITY,
        *WEIGHING,
    ]
)
"""`prompt` is the chosen side's. `divergence_step`: index, in the whole conversations, of the first message in which
the sides differ. `same_prompt` is false where they differ inside the prompt already, as with a simulated user."""

_TEXT_COLUMNS: Final = ("prompt", "chosen", "rejected", "tools", "divergence_step", "same_prompt")


def build_rows(plan: pa.Table, texts: pa.Table) -> pa.Table:
    """Return the rows of `SCHEMA`, in the plan's order."""
    chosen, rejected = places_of(plan["chosen_id"], texts), places_of(plan["rejected_id"], texts)
    hashes = (take(texts, "hashes", chosen).to_pylist(), take(texts, "hashes", rejected).to_pylist())
    divergence = [first_divergence(one, other) for one, other in zip(*hashes, strict=True)]
    prompts = take(texts, "prompt", chosen)
    opening = pc.max_element_wise(
        pc.list_value_length(prompts), pc.list_value_length(take(texts, "prompt", rejected))
    ).to_pylist()
    columns = {
        "prompt": prompts,
        "chosen": take(texts, "completion", chosen),
        "rejected": take(texts, "completion", rejected),
        "tools": take(texts, "tools", chosen),
        "divergence_step": pa.array(divergence, pa.int32()),
        "same_prompt": pa.array([at >= end for at, end in zip(divergence, opening, strict=True)], pa.bool_()),
    }
    return select(plan, SCHEMA, columns)


def check_rows(table: pa.Table) -> list[RowProblem]:
    """Return the rows that must not be written."""
    problems = [problem for column in ("prompt", "chosen", "rejected") for problem in check_messages(table, column)]
    openings = [check_openings(table, prompt="prompt", completion=side) for side in ("chosen", "rejected")]
    return problems or [*openings[0], *openings[1], *check_sides(table, "chosen", "rejected")]


TARGET: Final = Target(
    name="dpo",
    schema=SCHEMA,
    plan_schema=plan_schema_of(SCHEMA, _TEXT_COLUMNS),
    sides=("chosen_id", "rejected_id"),
    without_context=False,
    build=build_rows,
    check=check_rows,
)
