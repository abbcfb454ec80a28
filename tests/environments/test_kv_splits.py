from __future__ import annotations

import hashlib

import numpy as np
import pytest

from pearl.environments.kv_splits import LABELS, Split, assign, splitmix64


def test_splitmix64_gives_the_published_stream() -> None:
    # the first outputs of the reference generator for seed 1234567
    seed, golden = 1234567, 0x9E3779B97F4A7C15
    outputs = [splitmix64((seed + k * golden) % 2**64) for k in range(3)]
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("split", LABELS)
def test_a_bin_is_assigned_whole_and_by_itself(split: Split) -> None:
    starts = np.arange(0, 3_600_000, 10_000)
    whole = assign(starts, 10, split)
    assert set(whole) == {0, 1, 2}
    assert assign(starts + 9_999, 10, split).tolist() == whole.tolist()
    assert assign(starts[17:40], 10, split).tolist() == whole[17:40].tolist()
    assert assign(starts // 2, 5, split).tolist() == whole.tolist()


@pytest.mark.parametrize("split", LABELS)
def test_proportions(split: Split) -> None:
    sets = assign(np.arange(20_000) * 10_000, 10, split)
    np.testing.assert_allclose(np.bincount(sets) / 20_000, [0.4, 0.2, 0.4], atol=0.015)


def test_sha256_as_documented() -> None:
    for time_bin in range(50):
        word = int(hashlib.sha256(f"12236:{time_bin}".encode()).hexdigest()[:16], 16)
        share = word / 2**64
        expected = 0 if share < 0.4 else 1 if share < 0.6 else 2
        assert assign(np.array([time_bin * 10_000]), 10, "sha256").tolist() == [expected]


def test_labels_say_how_tuned_a_split_is() -> None:
    assert LABELS["reconstructed"] == "reconstructed: seed chosen to match the published counts"
    assert "less tuned" in LABELS["sha256"]
