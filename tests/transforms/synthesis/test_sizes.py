import pytest

from schemas.reasons import EnvType
from transforms.synthesis.planting import LakeFormat
from transforms.synthesis.sizes import answer_chars
from transforms.synthesis.vocabulary import stream


def test_mean_answers_follow_the_asked_size():
    rng = stream(0, "size")
    drawn = [answer_chars(rng, EnvType.TERMINAL, LakeFormat.CHAT_JSONL, size_kb=100.0) for _ in range(2000)]
    # The factors' standard deviation is .19, so four standard errors of the mean are .017.
    assert sum(drawn) / len(drawn) == pytest.approx((102_400 - 5_200) / 1.03, rel=0.02)


def test_small_records_keep_something_to_compare():
    rng = stream(0, "size")
    assert answer_chars(rng, EnvType.CODE_REPO, LakeFormat.SWE_AGENT, size_kb=1.0) == 1500
