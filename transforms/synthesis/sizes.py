"""How long the answers of a rollout must be for its record to have a given size."""

import random
from typing import Final

from schemas.reasons import EnvType
from transforms.synthesis.planting import LakeFormat

_SIZE_FACTORS: Final = (0.6, 1.5, 0.9)
"""Smallest, largest and likeliest size of a record in mean sizes; their mean is 1."""

_OTHER_CHARS: Final = {EnvType.TERMINAL: 5_200, EnvType.CODE_REPO: 9_700, EnvType.CROSS_TOOL: 8_300}
"""Mean characters of a chat record beside its answers, and below those of a `.traj`: measured on generated lakes."""
_SWE_AGENT_CHARS: Final = 17_000
_ESCAPING: Final = {EnvType.TERMINAL: 1.03, EnvType.CODE_REPO: 1.06, EnvType.CROSS_TOOL: 1.1}
"""Bytes that JSON makes of a character."""
_MIN_CHARS: Final = 1500


def answer_chars(rng: random.Random, env_type: EnvType, lake_format: LakeFormat, *, size_kb: float) -> float:
    """Return the characters of all answers together that make a record of about `size_kb` KiB, but at least 1,500.

    A `.traj` holds every answer twice.
    """
    size = size_kb * 1024 * rng.triangular(*_SIZE_FACTORS)
    if lake_format is LakeFormat.SWE_AGENT:
        return max(_MIN_CHARS, (size - _SWE_AGENT_CHARS) / (2 * _ESCAPING[env_type]))
    return max(_MIN_CHARS, (size - _OTHER_CHARS[env_type]) / _ESCAPING[env_type])
