"""Compiles the loops before a test is timed: the first call of a fresh checkout takes seconds."""

import numpy as np
import pytest

from transforms.lexical.containment import Sketches
from transforms.lexical.copies import MEMBER, CopyRules, group_cells
from transforms.lexical.signatures import FastEngine
from transforms.lexical.text_buffers import buffer_of_texts
from transforms.lexical.word_order import order_scratch, similarity_by_order, word_orders


@pytest.fixture(scope="session", autouse=True)
def _compiled_loops() -> None:
    texts = buffer_of_texts(["a b c d e f", "ls"])
    signed = FastEngine().sign(texts)
    sketches = Sketches(signed.bottom, signed.bottom_bounds.astype(np.int64), signed.num_shingles)
    orders = word_orders(texts, signed.num_shingles)
    members = np.array([(row, 0, row, row, row, row, 0, 0) for row in range(2)], dtype=MEMBER)
    group_cells(members, signed.minhash, sketches, rules=CopyRules(0.8, 0.95, 0.3), orders=orders)
    similarity_by_order(orders, 0, 1, order_scratch())
