"""Keeps libraries from talking over the progress display; errors still come through."""

import logging
import os
import warnings


def quiet_libraries() -> None:
    """Let Beam, transformers and others log errors only, and turn their own progress bars off."""
    logging.getLogger().setLevel(logging.ERROR)
    for name in ("apache_beam", "sentence_transformers", "transformers", "huggingface_hub", "faiss", "hdbscan"):
        logging.getLogger(name).setLevel(logging.ERROR)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    warnings.filterwarnings("ignore", module=r"(apache_beam|hdbscan|sklearn|google)\b.*")
