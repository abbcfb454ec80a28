"""The sample meets the published statistics, one test a target, at both sizes."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from pearl.datasets.prism.entry import PRISM
from pearl.datasets.prism.published import published_facts
from pearl.datasets.prism.sample import write_sample
from pearl.datasets.prism.sample.models import MODELS
from pearl.datasets.prism.statistics import statistics

ROOT = Path(__file__).resolve().parents[3]
COMMITTED = ROOT / "samples" / "prism"
FACTS = published_facts()
OF_SMALL = [name for name, fact in FACTS.items() if fact.small is not None]
OF_FULL = [name for name, fact in FACTS.items() if fact.full is not None]


@pytest.fixture(scope="session")
def small_stats():
    return statistics(COMMITTED)


@pytest.fixture(scope="session")
def full_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full") / "prism"
    write_sample(folder, "", full=True)
    return folder


@pytest.fixture(scope="session")
def full_stats(full_folder):
    return statistics(full_folder)


@pytest.mark.parametrize("fact", OF_SMALL)
def test_sample_stats(fact, small_stats):
    target = FACTS[fact]
    assert abs(small_stats[fact] - target.value) <= target.small + 1e-9


@pytest.mark.heavy
@pytest.mark.parametrize("fact", OF_FULL)
def test_full_sample_stats(fact, full_stats):
    target = FACTS[fact]
    assert abs(full_stats[fact] - target.value) <= target.full + 1e-9


def test_sample_stats_cover_every_published_fact(small_stats):
    assert set(FACTS) <= set(small_stats)
    assert len(OF_SMALL) > 130
    assert len(OF_FULL) == len(FACTS)


def test_sample_stats_of_exact_counts_leave_no_room():
    counts = ["survey_users", "users_with_conversations", "conversations", "utterances"]
    counts += [f"opening_slates_of_{k}" for k in (1, 2, 3, 4)]
    assert [FACTS[name].full for name in counts] == [0] * 8


def test_sample_stats_of_the_manifests_published_counts_agree():
    published = PRISM.manifest.statistics
    shared = {"opening_utterances", "conversations", "retained_slates", "opening_slates_of_4"}
    assert shared <= set(published) & set(FACTS)
    for name in set(published) & set(FACTS):
        assert FACTS[name].value == published[name]


def order_of_models(found: dict[str, float], what: str) -> float:
    names = [f"{what}[{model.name}]" for model in MODELS]
    return float(
        spearmanr([found[name] for name in names], [FACTS[name].value for name in names])[0]
    )


@pytest.mark.parametrize("what", ["opening_mean", "win_rate"])
def test_sample_stats_order_of_models(what, small_stats):
    assert order_of_models(small_stats, what) > 0.8


@pytest.mark.heavy
@pytest.mark.parametrize("what", ["opening_mean", "win_rate"])
def test_full_sample_stats_order_of_models(what, full_stats):
    assert order_of_models(full_stats, what) > 0.97


@pytest.mark.heavy
def test_full_sample_stats_are_the_same_at_a_second_writing(full_folder, tmp_path):
    write_sample(tmp_path / "again", "", full=True)
    for file in full_folder.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def test_sample_stats_lengths_follow_the_published_ones():
    lines = (COMMITTED / "utterances.jsonl").read_text().splitlines()
    opening = [row for row in map(json.loads, lines) if row["turn"] == 0]
    medians = [
        np.median([len(r["model_response"]) for r in opening if r["model_name"] == model.name])
        for model in MODELS
    ]
    assert spearmanr(medians, [model.length[1] for model in MODELS])[0] > 0.85
