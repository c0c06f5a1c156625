"""Everything a snapshot knows of one trajectory: where it came from, what it repeats, what was decided and why."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from schemas.errors import InputError
from transforms.querying.display import on_one_line

Row = dict[str, Any]

NUM_NEAR_IDS: Final = 5
MAX_REASON_CHARS: Final = 300
_HASHES: Final = ("task_hash", "system_prompt_hash")
_SOURCE: Final = (
    "unit_key", "record_key", "record_offset", "source_format", "adapter", "adapter_version", "native_id",
    "lost_fields", "parse_warnings", "license",
)  # fmt: skip

_GROUPS: Final = """
    SELECT c.*, k.decision AS keeper_decision, k.reason AS keeper_reason
    FROM clusters c LEFT JOIN decisions k ON k.traj_id = c.keeper_id AND c.keeper_id <> c.traj_id
    WHERE c.traj_id = ?
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One trajectory, section by section; a row that a table lacks is an empty dict.

    `source` names the unit's file and the record in it, `groups` the redundancy groups and the keeper with the
    similarity to it and, where that is another run, what was decided of it, `decision` the rule and its reference,
    `uses` what each dataset did, `posterior` the pass-rate rows of its task, `copies` the other members of its group.
    """

    traj_id: str
    trajectory: Row
    source: Row
    hashes: Row
    description: Row
    groups: Row
    decision: Row
    uses: list[Row]
    task: Row
    posterior: list[Row]
    copies: list[Row]


def open_catalog(path: Path | str) -> duckdb.DuckDBPyConnection:
    """Open a catalog to read: read-only, external access off, configuration locked, UTC."""
    connection = duckdb.connect(str(path), read_only=True, config={"temp_directory": ""})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def explain_trajectory(connection: duckdb.DuckDBPyConnection, traj_id: str) -> Explanation:
    """Return everything the catalog knows of a trajectory.

    Args:
        connection: A catalog.
        traj_id: The id, a prefix of it that no other id has, or a native id that no other trajectory has.

    Raises:
        InputError: No trajectory or more than one answers to the id; the message names near ones.
    """
    found = find_trajectory(connection, traj_id)
    row = _one(connection, "SELECT * FROM trajectories WHERE traj_id = ?", found)
    unit = _one(connection, "SELECT uri, sidecars, size, sha256 FROM inputs WHERE unit_key = ?", row["unit_key"])
    features = _one(connection, "SELECT * FROM features WHERE traj_id = ?", found)
    groups = _one(connection, _GROUPS, found)
    task_key = groups.get("task_key")
    hashes = {name: row[name] for name in _HASHES} | {key: v for key, v in features.items() if key.endswith("_hash")}
    return Explanation(
        traj_id=found,
        trajectory={name: v for name, v in row.items() if name not in (*_HASHES, *_SOURCE, "traj_id")},
        source=unit | {name: row[name] for name in _SOURCE},
        hashes=hashes,
        description=_description(connection, found, features),
        groups=_without_id(groups),
        decision=_without_id(_one(connection, "SELECT * FROM decisions WHERE traj_id = ?", found)),
        uses=_rows(connection, "SELECT * EXCLUDE (traj_id) FROM uses WHERE traj_id = ? ORDER BY ALL", found),
        task=_one(connection, "SELECT * FROM tasks WHERE task_key = ?", task_key),
        posterior=_rows(connection, "SELECT * FROM task_policies WHERE task_key = ? ORDER BY policy", task_key),
        copies=_rows(connection, "SELECT * FROM copies_of(?) WHERE traj_id <> ?", found, found),
    )


def find_trajectory(connection: duckdb.DuckDBPyConnection, wanted: str) -> str:
    """Return the one trajectory id that `wanted` names: itself, a unique prefix, or a unique native id.

    Raises:
        InputError: There is none, or more than one, and the message lists the nearest; or it is quarantined, and the
            message says why.
    """
    for condition in ("traj_id = ?", "starts_with(traj_id, ?)", "native_id = ?"):
        ids = (
            _ids(connection, f"SELECT traj_id FROM trajectories WHERE {condition} ORDER BY 1", wanted)
            if wanted
            else []
        )
        if len(ids) == 1:
            return ids[0]
        if ids:
            shown = ", ".join(ids[:NUM_NEAR_IDS])
            raise InputError(f"{len(ids)} trajectories answer to {wanted!r}: {shown}; give more of the id")
    _refuse_quarantined(connection, wanted)
    near = _ids(
        connection, "SELECT traj_id FROM trajectories ORDER BY levenshtein(traj_id, ?), traj_id LIMIT 5", wanted[:64]
    )
    hint = f"nearest ids: {', '.join(near)}" if near else "the snapshot has no trajectories"
    raise InputError(f"no trajectory {wanted!r}; {hint}")


def _refuse_quarantined(connection: duckdb.DuckDBPyConnection, wanted: str) -> None:
    """Raise an error that says why, if `wanted` names rollouts that the snapshot's run set aside.

    Raises:
        InputError: It does.
    """
    columns, condition = "trajectory_id, reason, stage, message", "starts_with(trajectory_id, ?)"
    found = _rows(connection, f"SELECT {columns} FROM quarantine WHERE {condition} ORDER BY ALL", wanted)
    if not wanted or not found:
        return
    if len(found) > 1:
        shown = ", ".join(row["trajectory_id"] for row in found[:NUM_NEAR_IDS])
        raise InputError(f"{len(found)} quarantined rollouts answer to {wanted!r}: {shown}; give more of the id")
    (row,) = found
    raise InputError(
        f"{row['trajectory_id']} is quarantined, and so in no table: {row['reason']} at stage {row['stage']}, "
        f"{on_one_line(row['message'], max_chars=MAX_REASON_CHARS)}; see `trajsift quarantine show`"
    )


def _description(connection: duckdb.DuckDBPyConnection, traj_id: str, features: Row) -> Row:
    described = {key: value for key, value in features.items() if not key.endswith("_hash")}
    described |= _one(connection, "SELECT * FROM behaviours WHERE traj_id = ?", traj_id)
    audit = _one(connection, "SELECT flags AS audit_flags FROM audit WHERE traj_id = ?", traj_id)
    safety = _one(
        connection, "SELECT severity AS safety_severity, flags AS safety_flags FROM safety WHERE traj_id = ?", traj_id
    )
    return _without_id(described | audit | safety)


def _without_id(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "traj_id"}


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, *values: Any) -> list[Row]:
    cursor = connection.execute(sql, list(values))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _one(connection: duckdb.DuckDBPyConnection, sql: str, *values: Any) -> Row:
    rows = _rows(connection, sql, *values)
    return rows[0] if rows else {}


def _ids(connection: duckdb.DuckDBPyConnection, sql: str, wanted: str) -> list[str]:
    return [row["traj_id"] for row in _rows(connection, sql, wanted)]
