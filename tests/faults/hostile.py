"""Input that wants to be run: code, templates, pickles, paths, addresses and queries, in every place a file has."""

import base64
import gzip
import io
import json
import pickle
import random
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from tests.faults.samples import ROWS, archive, lines, sample_files

CANARY: Final = "trajsift-canary"


class _Runs:
    """Unpickled, this would make a file."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        import os

        return os.system, (f"touch {CANARY}",)


def payloads() -> list[str]:
    """Return the texts that some interpreter would act on."""
    pickled = pickle.dumps(_Runs())
    return [
        f"__import__('os').system('touch {CANARY}')",
        f"$(touch {CANARY})", f"`touch {CANARY}`", f"; touch {CANARY} #", f"| touch {CANARY}", f"\n!touch {CANARY}\n",
        f"!!python/object/apply:os.system ['touch {CANARY}']", f"${{oc.env:HOME}} ${{touch {CANARY}}}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{% import os %}", "%(x)s %n %s", "{0.__class__}",
        "${jndi:ldap://127.0.0.1:9/x}", "http://127.0.0.1:9/x", "file:///etc/passwd", "attachment://../../etc/passwd",
        "\\\\127.0.0.1\\share\\x", "../../../../etc/passwd", "/etc/passwd", "s3://bucket/x", "data:text/html,<script>",
        "'; DROP TABLE trajectories; --", "x' UNION SELECT * FROM read_text('/etc/passwd') --",
        "<script>alert(1)</script>",
        "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;", pickled.decode("latin-1"),
        base64.b64encode(pickled).decode(), f"cos\nsystem\n(S'touch {CANARY}'\ntR.", "\x1b]0;x\x07\x1b[2J",
    ]  # fmt: skip


def hostile_files(count: int, rng: random.Random) -> dict[str, bytes]:
    """Return files that carry the payloads as values, keys, ids, names, metadata and raw content."""
    texts = payloads()
    samples = list(sample_files().values())
    files: dict[str, bytes] = {}
    for number in range(count):
        kind = rng.randrange(8)
        name = f"{number:03d}/{_file_name(rng.choice(texts))}"
        rows = [_infected(row, texts, rng) for row in rng.sample(list(ROWS.values()), 2)]
        if kind <= 2:
            files[f"{name}.jsonl"] = lines(rows)
        elif kind == 3:
            files[f"{name}.jsonl{rng.choice(('.gz', '.zst'))}"] = rng.choice((gzip.compress, zstandard.compress))(
                lines(rows)
            )
        elif kind == 4:
            files[f"{name}.parquet"] = _infected_parquet(rows[0], texts, rng)
        elif kind == 5:
            member = rng.choice(texts).replace("\x00", "")[:60] or "x"
            files[f"{name}.eval"] = archive({"header.json": json.dumps(rows[0]).encode(), member: lines(rows)})
        elif kind == 6:
            files[f"{name}.json"] = json.dumps({text: rows for text in rng.sample(texts, 3)}).encode()
        else:
            files[f"{name}.traj"] = rng.choice(
                (pickle.dumps(_Runs()), rng.choice(texts).encode("utf-8", "replace"), rng.choice(samples))
            )
    return files


def _file_name(text: str) -> str:
    """Return a file name that may lie in a folder; a lake's names are as hostile as its content."""
    return "".join(character for character in text if character not in "/\x00")[:80].strip(".") or "x"


def _infected(row: dict[str, Any], texts: list[str], rng: random.Random) -> dict[str, Any]:
    """Return a row in which some texts are payloads, and some keys are."""
    changed = _with_payloads(row, texts, rng)
    changed[rng.choice(texts)] = {"__class__": "os.system", "py/object": "os.system", "$ref": "file:///etc/passwd"}
    return changed


def _with_payloads(node: Any, texts: list[str], rng: random.Random) -> Any:
    if isinstance(node, dict):
        return {key: _with_payloads(value, texts, rng) for key, value in node.items()}
    if isinstance(node, list):
        return [_with_payloads(value, texts, rng) for value in node]
    return rng.choice(texts) if isinstance(node, str) and rng.random() < 0.3 else node


def _infected_parquet(row: dict[str, Any], texts: list[str], rng: random.Random) -> bytes:
    pickled = pickle.dumps(_Runs())
    columns = {name: [json.dumps(value)] for name, value in row.items()}
    fields = [
        pa.field(name, pa.string(), metadata={b"ARROW:extension:name": b"arrow.py_extension_type",
                                              b"ARROW:extension:metadata": pickled})
        for name in columns
    ]  # fmt: skip
    metadata = {b"pandas": rng.choice(texts).encode("utf-8", "replace"), b"pickle": pickled}
    sink = io.BytesIO()
    table = pa.Table.from_pydict(columns, schema=pa.schema(fields, metadata=metadata))
    pq.write_table(table, sink)
    return sink.getvalue()
