import numpy as np
import pytest
from made_vectors import MadeEncoder

from pearl.datasets.embedding import texts as module
from pearl.datasets.embedding.texts import embed_texts

TEXTS = [f"text {number} é漢" + "!" * (number % 5) for number in range(23)]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 4)


def test_a_vector_a_text_in_the_texts_order_each_embedded_once(tmp_path):
    encoder = MadeEncoder()
    asked = [*TEXTS, TEXTS[3], TEXTS[0]]
    vectors = embed_texts(asked, tmp_path, lambda: encoder)
    assert sorted(encoder.seen) == sorted(TEXTS)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, MadeEncoder()(asked))


def test_the_cache_spares_the_model(tmp_path):
    first = embed_texts(TEXTS, tmp_path, MadeEncoder)

    def refused():
        raise AssertionError("the model was loaded")

    assert np.array_equal(embed_texts(TEXTS[::-1], tmp_path, refused), first[::-1])
    assert embed_texts([], tmp_path, refused).shape == (0, 384)


def test_what_a_kill_left_is_used_again(tmp_path):
    whole = embed_texts(TEXTS, tmp_path / "whole", MadeEncoder)
    by_length = sorted(TEXTS, key=lambda text: (len(text), text))
    with pytest.raises(KeyboardInterrupt):
        embed_texts(TEXTS, tmp_path / "cut", lambda: MadeEncoder(broken=by_length[13]))
    second = MadeEncoder()
    assert np.array_equal(embed_texts(TEXTS, tmp_path / "cut", lambda: second), whole)
    assert second.seen == by_length[12:]


def test_a_damaged_shard_is_seen_and_embedded_again(tmp_path, caplog):
    whole = embed_texts(TEXTS, tmp_path, MadeEncoder)
    shards = sorted(tmp_path.rglob("*.npz"))
    assert len(shards) == 6
    shards[0].write_bytes(shards[0].read_bytes()[:-9])
    changed = bytearray(shards[1].read_bytes())
    changed[len(changed) // 2] ^= 1
    shards[1].write_bytes(bytes(changed))
    second = MadeEncoder()
    assert np.array_equal(embed_texts(TEXTS, tmp_path, lambda: second), whole)
    assert 4 < len(second.seen) <= 8
    assert [name in message for name in map(str, shards[:2]) for message in caplog.messages].count(
        True
    ) == 2
