"""One writer a store: a lock file that names its holder, taken over only from a process that is gone."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import orjson
import psutil

from schemas.errors import StoreLockedError
from transforms.store.files import Store

LOCK = "lock.json"


@contextmanager
def exclusive(store: Store) -> Iterator[None]:
    """Hold the store's lock for the block.

    A lock left by a process of this machine that is gone is taken over.

    Raises:
        StoreLockedError: Another run holds the store.
    """
    me = _holder(os.getpid())
    for _ in range(2):
        if store.put_if_absent(LOCK, orjson.dumps(me)):
            break
        holder = _read_holder(store)
        if holder is not None and not _is_gone(holder):
            raise StoreLockedError(
                f"the store {store.root} is held by process {holder.get('pid')} on {holder.get('host')}; wait for it, "
                f"or remove {LOCK} from the store if that process is no trajsift run"
            )
        store.delete(LOCK)
    else:
        raise StoreLockedError(f"another run took the store {store.root} at the same moment; run again when it ends")
    try:
        yield
    finally:
        if _read_holder(store) == me:
            store.delete(LOCK)


def _holder(pid: int) -> dict[str, object]:
    return {"pid": pid, "host": socket.gethostname(), "started": psutil.Process(pid).create_time()}


def _read_holder(store: Store) -> dict[str, object] | None:
    if not store.exists(LOCK):
        return None
    try:
        tree = orjson.loads(store.read_bytes(LOCK))
    except ValueError:
        return None
    return tree if isinstance(tree, dict) else None


def _is_gone(holder: dict[str, object]) -> bool:
    if holder.get("host") != socket.gethostname():
        return False
    try:
        return psutil.Process(int(str(holder.get("pid")))).create_time() != holder.get("started")
    except (psutil.NoSuchProcess, ValueError):
        return True
