"""How a table's Arrow schema is declared: its name and version travel in the file's metadata."""

import pyarrow as pa

TABLES_VERSION = "1"


def table_schema(name: str, fields: list[pa.Field]) -> pa.Schema:
    """Return the closed Arrow schema of the table `name`; a field that may not be null says so."""
    return pa.schema(fields, metadata={"trajsift.table": name, "trajsift.version": TABLES_VERSION})
