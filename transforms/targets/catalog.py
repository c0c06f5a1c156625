"""The targets by name."""

from typing import Final

from transforms.targets import dpo, kto, rl, sft
from transforms.targets.contract import Target

TARGETS: Final[dict[str, Target]] = {target.name: target for target in (dpo.TARGET, kto.TARGET, sft.TARGET, rl.TARGET)}
