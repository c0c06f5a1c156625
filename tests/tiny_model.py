"""A sentence-transformers model small enough to be made in a second.

A pytest plugin: its fixture is there for every test.
"""

import string
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random two-layer model of 16 dimensions that reads single characters."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("tiny_model")
    letters = list(string.ascii_lowercase + string.digits)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = folder / "words" / "vocab.txt"
    vocabulary.parent.mkdir()
    vocabulary.write_text("\n".join(words))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
    )
    BertModel(config).save_pretrained(folder / "words")
    BertTokenizer(str(vocabulary), model_max_length=64).save_pretrained(folder / "words")
    transformer = Transformer(str(folder / "words"), max_seq_length=64)
    pooling = Pooling(transformer.get_embedding_dimension())
    SentenceTransformer(modules=[transformer, pooling], device="cpu").save(str(folder / "model"))
    return folder / "model"
