"""The dataset `rl`: tasks to roll out, for verl, TRL GRPO and RLOO, and SkyRL."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from transforms.targets.check import check_messages, check_prompts
from transforms.targets.columns import IDENTITY, WEIGHING
from transforms.targets.contract import EncodedMessage, RowProblem, Target
from transforms.targets.encoding import MESSAGES_TYPE, encode_message
from transforms.targets.texts import places_of, plan_schema_of, select

_REWARD_MODEL: Final = pa.struct([pa.field("style", pa.string()), pa.field("ground_truth", pa.string())])

SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("prompt", MESSAGES_TYPE, nullable=False),
        pa.field("data_source", pa.string(), nullable=False),
        pa.field("ability", pa.string(), nullable=False),
        pa.field("reward_model", _REWARD_MODEL, nullable=False),
        pa.field("extra_info", pa.json_(), nullable=False),
        pa.field("is_seed", pa.bool_(), nullable=False),
        pa.field("pass_rate", pa.float64()),
        pa.field("traj_id", pa.string()),
        *IDENTITY,
        *WEIGHING,
    ]
)
"""`prompt` is that of the rollout `traj_id`, or the seed file's. `extra_info` is an `arrow.json` column: as text verl
fails on it, and a struct would fill each row with the keys of all the others."""

_PLANNED: Final = [
    pa.field("index", pa.int64(), nullable=False),
    pa.field("task_key", pa.string(), nullable=False),
    pa.field("seed_prompt", pa.string()),
    pa.field("verifier_json", pa.string()),
]


def build_rows(plan: pa.Table, texts: pa.Table) -> pa.Table:
    """Return the rows of `SCHEMA`, in the plan's order."""
    rendered = texts["prompt"].combine_chunks()
    own_row = pa.array(range(len(rendered), len(rendered) + plan.num_rows), pa.int64())
    places = pc.coalesce(places_of(plan["traj_id"], texts).cast(pa.int64()), own_row)
    rows = plan.to_pylist()
    seeds = pa.array([_seed_messages(row["seed_prompt"]) for row in rows], MESSAGES_TYPE)
    prompts = pa.concat_arrays([rendered, seeds]).take(places)
    columns = {
        "prompt": prompts,
        "reward_model": pa.array([reward_model(row) for row in rows], _REWARD_MODEL),
        "extra_info": pa.ExtensionArray.from_storage(
            pa.json_(), pa.array([orjson.dumps(extra_info(row)).decode() for row in rows], pa.string())
        ),
    }
    return select(plan, SCHEMA, columns)


def _seed_messages(prompt: str | None) -> list[EncodedMessage] | None:
    return None if prompt is None else [encode_message("user", prompt)]


def reward_model(row: Mapping[str, Any]) -> dict[str, str]:
    """Return verl's `reward_model`: the seed file's ground truth, else the id by which a verifier knows the task."""
    verifier = _verifier(row)
    truth = verifier.get("ground_truth", verifier or row["task_id"])
    return {
        "style": str(verifier.get("style", "rule")),
        "ground_truth": truth if isinstance(truth, str) else orjson.dumps(truth, option=orjson.OPT_SORT_KEYS).decode(),
    }


def extra_info(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return verl's `extra_info`; `index` is the row's number in its split, `verifier` the seed file's fields."""
    known = {
        "index": row["index"],
        "split": row["split"],
        "task_key": row["task_key"],
        "task_id": row["task_id"],
        "environment": row["environment"],
        "is_seed": row["is_seed"],
        "tools_kwargs": {},
    }
    verifier = _verifier(row)
    return known | ({"verifier": verifier} if verifier else {})


def _verifier(row: Mapping[str, Any]) -> dict[str, Any]:
    fields = orjson.loads(row["verifier_json"]) if row["verifier_json"] else {}
    return dict(fields)


def check_rows(table: pa.Table) -> list[RowProblem]:
    """Return the rows that must not be written."""
    return check_messages(table, "prompt") or check_prompts(table, "prompt")


TARGET: Final = Target(
    name="rl",
    schema=SCHEMA,
    plan_schema=plan_schema_of(SCHEMA, ("prompt", "reward_model", "extra_info"), extra=_PLANNED),
    sides=("traj_id",),
    without_context=False,
    build=build_rows,
    check=check_rows,
)
