"""A count below zero is none: the column stays empty, and the field is named as lost or kept beside the columns."""

import json
import re

import pytest

from tests.transforms.formats.test_no_silence import FILES, MAIN, adapter_of, parsed, read, written

_TOKENS = re.compile(r"(?:^|[._])(?:tokens|tokens_sent|tokens_received)$")


def spoilt(value, path=()):
    """Yield each place of a count of tokens, and the value with that count below zero."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if isinstance(item, int) and not isinstance(item, bool) and item > 0 and _TOKENS.search(str(key)):
            yield (*path, key), _with(value, key, -item)
        else:
            yield from ((place, _with(value, key, changed)) for place, changed in spoilt(item, (*path, key)))


def _with(value, key, item):
    if isinstance(value, dict):
        return {**value, key: item}
    return [*value[:key], item, *value[key + 1 :]]


CASES = [
    pytest.param(uri, native, id=f"{uri}:{'.'.join(map(str, place))}")
    for uri in MAIN
    for place, native in spoilt(parsed(FILES[uri]))
]


@pytest.mark.parametrize(("uri", "native"), CASES)
def test_a_count_below_zero_fills_no_column_and_is_named(uri, native):
    adapter = adapter_of(uri)
    before = read(uri, FILES, adapter)
    after = read(uri, {**FILES, uri: written(native, uri)}, adapter)

    assert not [text for text in after.texts if re.search(r"_tokens=-", text)]
    assert len(after.losses) > len(before.losses) or after.num_bad > before.num_bad


TALK = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]


@pytest.mark.parametrize(
    ("adapter", "native"),
    [
        ("openai_chat", {"messages": TALK, "prompt_tokens": -3}),
        ("openai_chat", {"messages": TALK, "tests_passed": -3}),
        ("openai_chat", {"messages": [TALK[0], TALK[1] | {"usage": {"completion_tokens": -3}}]}),
        ("swe_agent", {"trajectory": [], "history": TALK, "info": {"model_stats": {"tokens_sent": -3}}}),
        ("mini_swe_agent", {
            "trajectory_format": "mini-swe-agent-1", "info": {"exit_status": "Submitted"},
            "messages": [TALK[0], TALK[1] | {"extra": {"response": {"usage": {"prompt_tokens": -3}}}}],
        }),
        ("inspect", {"eval": {"task": "t"}, "samples": [
            {"id": 1, "messages": TALK, "model_usage": {"m": {"input_tokens": 3, "output_tokens": -3}}},
        ]}),
        ("openai_responses", {
            "responses_create_params": {"input": "q"},
            "response": {"output": [], "usage": {"input_tokens": -3, "output_tokens": 1}}, "reward": 1,
        }),
        ("terminal_bench", {"results": [{
            "id": "i", "task_id": "t", "trial_name": "t.1", "is_resolved": True, "failure_mode": "none",
            "total_input_tokens": -3,
        }]}),
        ("verifiers", {
            "example_id": 1, "prompt": TALK[:1], "completion": TALK[1:], "reward": 1,
            "token_usage": {"input_tokens": -3},
        }),
    ],
)  # fmt: skip
def test_a_count_below_zero_of_any_harness_is_told_apart(adapter, native):
    uri = "lake/a.json"
    said = read(uri, {uri: json.dumps(native).encode()}, adapter)

    assert said.num_rollouts == 1
    assert not [text for text in said.texts if re.search(r"(?:_tokens|tests_passed)=-", text)]
    is_kept_beside = any(re.search(r"_json='[^']*-3", text) for text in said.texts)
    assert is_kept_beside or re.search(r"token|usage|response|tests_passed", " ".join(said.losses))
