"""Keeps libraries from talking over the progress display: what they fail at comes back as an exception."""

import logging
import os
import warnings


def quiet_libraries() -> None:
    """Silence Beam, transformers and others, whose errors are raised too, and turn their own progress bars off."""
    logging.getLogger().setLevel(logging.ERROR)
    for name in ("apache_beam", "sentence_transformers", "transformers", "huggingface_hub", "faiss", "hdbscan"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    warnings.filterwarnings("ignore", module=r"(apache_beam|hdbscan|sklearn|google)\b.*")
