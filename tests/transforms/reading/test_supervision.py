"""The reading processes: a crash, a hang, a bomb or a lie costs one file, and the next file is read as ever."""

import gzip
import io
import os
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from transforms.reading import supervision
from transforms.reading.failures import CutStreamError, NativeCrashError, TooLargeError, UnreadableError
from transforms.reading.supervision import POOL, supervised


@pytest.fixture(autouse=True)
def _fresh_pool():
    POOL.end_all()
    yield
    POOL.end_all()


class KillingStream(io.BytesIO):
    """A file whose bytes kill the process that asks for them, as a native reader's bug would."""

    def __init__(self, raw, *, how=signal.SIGSEGV):
        super().__init__(raw)
        self.how = how

    def read(self, size=-1):
        _signal_readers(self.how)
        return super().read(size)


def _signal_readers(how):
    for pid in _reader_pids():
        os.kill(pid, how)


def _reader_pids():
    import psutil

    children = psutil.Process().children()
    return [child.pid for child in children if "transforms.reading.native_child" in " ".join(child.cmdline())]


def _gunzip(raw):
    return b"".join(supervised("gzip", io.BytesIO(raw)))


def test_pieces_come_whole_and_the_process_is_used_again():
    content = os.urandom(3_000_000)
    assert _gunzip(gzip.compress(content)) == content
    first = _reader_pids()
    assert _gunzip(gzip.compress(b"again")) == b"again"
    assert _reader_pids() == first
    assert len(first) == 1


def test_a_file_left_half_read_does_not_disturb_the_next():
    pieces = supervised("gzip", io.BytesIO(gzip.compress(os.urandom(3_000_000))))
    assert next(pieces)
    del pieces
    assert _gunzip(gzip.compress(b"next")) == b"next"
    assert len(_reader_pids()) == 1


def test_two_files_read_at_once_have_a_process_each():
    contents = [os.urandom(3_000_000) for _ in range(2)]
    both = zip(*(supervised("gzip", io.BytesIO(gzip.compress(content))) for content in contents), strict=True)
    assert list(map(b"".join, zip(*both, strict=True))) == contents


def test_a_crash_costs_one_file():
    with pytest.raises(NativeCrashError, match=r"the reading process died \(signal 11\)"):
        list(supervised("gzip", KillingStream(gzip.compress(b"a"))))
    assert _gunzip(gzip.compress(b"next")) == b"next"


def test_a_crash_of_a_used_process_is_tried_again_in_a_fresh_one():
    content = os.urandom(3_000_000)
    assert _gunzip(gzip.compress(b"first")) == b"first"
    pieces = supervised("gzip", io.BytesIO(gzip.compress(content)))
    got = [next(pieces)]
    _signal_readers(signal.SIGKILL)
    got.extend(pieces)
    assert b"".join(got) == content


def test_a_process_that_stands_still_is_ended(monkeypatch):
    monkeypatch.setattr(supervision, "PIECE_WALL_S", 0.5)
    with pytest.raises(NativeCrashError, match=r"stood still for 0.5 s"):
        list(supervised("gzip", KillingStream(gzip.compress(b"a"), how=signal.SIGSTOP)))
    assert _reader_pids() == []


def test_running_out_of_memory_is_too_large():
    sink = io.BytesIO()
    pq.write_table(pa.table({"text": ["x" * (100 << 20)]}), sink, compression="zstd")
    with pytest.raises(TooLargeError, match="more memory than is allowed"):
        list(supervised("parquet_rows", sink, memory_bytes=450 << 20, max_bytes=9, max_depth=9, max_total=1 << 40))
    assert _reader_pids() == []


def test_faults_of_the_file_keep_the_process():
    with pytest.raises(CutStreamError, match="stops before its end"):
        _gunzip(gzip.compress(b"abc" * 100)[:-9])
    with pytest.raises(UnreadableError, match="unknown compression method"):
        _gunzip(b"\x1f\x8bxxxxxxxxxxxxx")
    assert len(_reader_pids()) == 1


def test_a_file_that_cannot_be_read_on_raises_its_own_error():
    class Broken(io.BytesIO):
        def read(self, size=-1):
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        list(supervised("gzip", Broken(b"x" * 100)))
    assert _gunzip(gzip.compress(b"next")) == b"next"


def test_the_reading_process_may_neither_connect_nor_start_another():
    from transforms.reading.native_child import _refuse

    for event in ("socket.connect", "subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork"):
        with pytest.raises(PermissionError, match=f"{event} is not allowed"):
            _refuse(event, ())
    _refuse("open", ("/etc/hostname", "r", 0))
