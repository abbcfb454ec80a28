import numpy as np
import pytest
from made_slates import provenance, write_made_slates

from pearl.datasets.embedding.settings import POINTS
from pearl.datasets.prism.slates import EMBEDDED_ABOVE, SLATES, read_slates
from pearl.datasets.prism.slates_writer import write_slates
from pearl.errors import DataError
from pearl.files import seal


@pytest.fixture
def folder(tmp_path):
    write_made_slates(tmp_path / "prism")
    return tmp_path / "prism"


def test_made_slates_are_read_whole(folder):
    slates = read_slates(folder)
    assert slates.users == tuple(f"user{i}" for i in range(12))
    assert slates.stated.shape == (12, 8)
    assert slates.arms.shape == slates.scores.shape == (60, 4)
    assert slates.embeddings.shape == (240, 384)
    assert slates.embeddings.dtype == np.float32
    assert np.bincount(slates.user).tolist() == [5] * 12
    assert (slates.scores.max(axis=1) - slates.scores.min(axis=1) > 30).all()
    scaled = slates.embeddings.astype(np.float64) * 2**20
    assert np.array_equal(scaled, np.rint(scaled))


def two_users(folder, scores, min_spread):
    """Slates of users a, b, a; the embeddings are the axes."""
    folder.mkdir()
    write_slates(
        folder,
        users=["a", "b"],
        stated=np.array([[1.0] * 8, [2.0] * 8]),
        conversations=["c0", "c1", "c2"],
        types=["unguided"] * 3,
        user=np.array([0, 1, 0]),
        scores=np.array(scores),
        models=[["m"] * 4] * 3,
        arms=np.array([[0, 1, 2, 3], [4, 4, 5, 6], [3, 7, 4, 9]]),
        embeddings=np.eye(10, dtype=np.float32),
        min_spread=min_spread,
    )
    provenance().write(folder)
    seal(folder)


SCORES = [[1, 32, 10, 5], [40, 70, 41, 42], [10, 10, 10, 41]]


def test_the_threshold_is_strict_and_drops_users_and_texts_that_are_left_without_slates(tmp_path):
    two_users(tmp_path / "s", SCORES, 10)
    assert len(read_slates(tmp_path / "s", min_spread=10).conversations) == 3
    kept = read_slates(tmp_path / "s")
    assert kept.users == ("a",)
    assert kept.conversations == ("c0", "c2")
    assert kept.stated.tolist() == [[1.0] * 8]
    assert kept.user.tolist() == [0, 0]
    assert kept.arms.tolist() == [[0, 1, 2, 3], [3, 4, 5, 6]]
    assert kept.embeddings.argmax(axis=1).tolist() == [0, 1, 2, 3, 7, 4, 9]


def test_a_folder_with_a_higher_threshold_is_refused(tmp_path):
    two_users(tmp_path / "s", SCORES, 20)
    with pytest.raises(DataError, match=r"above 20 points, where 10") as caught:
        read_slates(tmp_path / "s", min_spread=10)
    assert "embeddings.min_spread: 0.1" in caught.value.remedy


@pytest.mark.parametrize(
    ("asked", "told"),
    [(25, "embeddings.min_spread: 0.2"), (19, "embeddings.min_spread: 0.1"), (5, "0.1 or more")],
)
def test_the_remedy_names_a_threshold_that_there_is(tmp_path, asked, told):
    two_users(tmp_path / "s", SCORES, 30)
    with pytest.raises(DataError) as caught:
        read_slates(tmp_path / "s", min_spread=asked)
    assert told in caught.value.remedy
    assert tuple(POINTS.values()) == EMBEDDED_ABOVE


@pytest.mark.parametrize(
    "damage",
    [
        lambda f: (f / "users.parquet").unlink(),
        lambda f: (f / "slates.parquet").write_bytes(b"cut"),
        lambda f: (f / "embeddings.npy").write_bytes(b"cut"),
        lambda f: (f / "seal.json").unlink(),
        lambda f: (f / "provenance.json").write_text("{}"),
        lambda f: np.save(f / "embeddings.npy", np.ones((240, 384), dtype=np.float32)),
        lambda f: np.save(f / "embeddings.npy", np.eye(240, 384)),
    ],
)
def test_a_damaged_folder_is_refused(folder, damage):
    damage(folder)
    with pytest.raises(DataError) as caught:
        read_slates(folder)
    assert "embed" in caught.value.remedy


def test_scores_out_of_range_are_refused(tmp_path):
    two_users(tmp_path / "s", [[0, 50, 50, 50], *SCORES[1:]], 10)
    with pytest.raises(DataError, match="outside 1-100") as caught:
        read_slates(tmp_path / "s", min_spread=10)
    assert caught.value.field == "scores"
    assert caught.value.file.name == SLATES
