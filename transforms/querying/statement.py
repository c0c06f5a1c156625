"""What a query may be: exactly one SELECT that only reads tables of the snapshot."""

import json
from collections.abc import Iterator
from typing import Any, Final

import duckdb

from schemas.errors import QueryError

READING_NODES: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Query nodes that only read. DuckDB 2.0 types `WITH x AS (COPY t TO 'f') SELECT 1` as a SELECT, so the statement's
type alone does not tell."""

TABLE_FUNCTIONS: Final = frozenset(
    {
        "duckdb_columns",
        "duckdb_functions",
        "duckdb_tables",
        "duckdb_views",
        "generate_series",
        "json_each",
        "json_tree",
        "range",
        "repeat",
        "summary",
        "unnest",
    }
)
"""Table functions that touch neither files nor settings nor memory addresses (`arrow_scan` takes pointers)."""

REFUSED_FUNCTIONS: Final = frozenset({"write_log", "setval", "nextval", "sleep_ms", "json_execute_serialized_sql"})
"""Scalar functions with an effect."""


def check_statement(connection: duckdb.DuckDBPyConnection, sql: str, *, macros: frozenset[str]) -> None:
    """Refuse everything that is not exactly one reading SELECT.

    Args:
        connection: Any open connection; it parses, nothing is executed.
        sql: The text as given.
        macros: Names of the catalog's own table macros.

    Raises:
        QueryError: The text does not parse, is not one SELECT, changes something, or calls a function that is not
            allowed.
    """
    try:
        sql.encode()
        statements = connection.extract_statements(sql)
    except UnicodeEncodeError as error:
        raise QueryError("the query holds a lone surrogate; write it in valid Unicode") from error
    except duckdb.Error as error:
        raise QueryError(f"the query does not parse: {error}") from error
    kinds = [_kind(statement) for statement in statements]
    if kinds != ["SELECT"]:
        raise QueryError(f"exactly one SELECT is allowed, got {', '.join(kinds) or 'nothing'}")
    _check_tree(_parse_tree(connection, sql), macros)


def _kind(statement: duckdb.Statement) -> str:
    try:
        return statement.type.name
    except ValueError:
        # duckdb's Python enum lacks some kinds that its parser knows (seen: UPDATE EXTENSIONS).
        return "a statement of unknown kind"


def _parse_tree(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
    if tree["error"]:
        raise QueryError(f"the query cannot be checked: {tree.get('error_message', 'no parse tree')}")
    return tree


def _check_tree(tree: Any, macros: frozenset[str]) -> None:
    for node in _nodes(tree):
        kind = str(node.get("type", ""))
        if kind.endswith("_NODE") and kind not in READING_NODES:
            raise QueryError(f"a query may only read; {kind.removesuffix('_QUERY_NODE')} is not allowed")
        if kind == "TABLE_FUNCTION":
            name = str(node["function"]["function_name"]).lower()
            if name not in TABLE_FUNCTIONS and name not in macros:
                raise QueryError(f"the table function {name} is not allowed")
        if str(node.get("function_name", "")).lower() in REFUSED_FUNCTIONS:
            raise QueryError(f"the function {node['function_name']} is not allowed")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
