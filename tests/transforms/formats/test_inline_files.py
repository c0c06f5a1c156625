import base64
import hashlib

import orjson

from schemas.records import Header, Message, Rollout
from transforms.formats.inline_files import summarise_inline_files, without_inline_files

PICTURE = bytes(range(256)) * 8
PACKED = base64.b64encode(PICTURE).decode()
SUMMARY = f"bytes={len(PICTURE)};sha256={hashlib.sha256(PICTURE).hexdigest()}"


def _rollout(*messages: Message) -> Rollout:
    return Rollout(Header("x"), messages, native_id=None, canonical_sha256="", record_key="line:1")


def test_every_way_of_inlining_a_file_is_summarised() -> None:
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PACKED}"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": PACKED}},
        {"type": "input_audio", "input_audio": {"data": PACKED, "format": "wav"}},
    ]
    text = f"![plot](data:image/svg+xml;charset=utf-8;base64,{PACKED}) done"
    clean = summarise_inline_files(
        _rollout(Message("user", "look", "parts", parts_json=orjson.dumps(parts).decode()), Message("tool", text))
    )
    assert orjson.loads(clean.messages[0].parts_json or "") == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;{SUMMARY}"}},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/jpeg", "data": f"data:image/jpeg;{SUMMARY}"},
        },
        {"type": "input_audio", "input_audio": {"data": f"data:wav;{SUMMARY}", "format": "wav"}},
    ]
    assert clean.messages[1].content == f"![plot](data:image/svg+xml;{SUMMARY}) done"
    assert clean.parse_warnings == ("inline_files_summarised",)


def test_what_is_no_file_stays() -> None:
    rollout = _rollout(
        Message("user", "data:image/png;base64,AAAA and ;base64, alone"),
        Message("tool", "x", "parts", parts_json=orjson.dumps([{"data": "word " * 200}]).decode()),
    )
    assert summarise_inline_files(rollout) is rollout


def test_broken_base64_is_summarised_as_written() -> None:
    packed = "A" * 257
    digest = hashlib.sha256(packed.encode()).hexdigest()
    assert without_inline_files(f"data:image/png;base64,{packed}") == f"data:image/png;bytes=257;sha256={digest}"
