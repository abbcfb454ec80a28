"""The sample has the publisher's schema, the committed bytes, and texts of its own."""

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pearl.datasets.manifest import SampleFacts
from pearl.datasets.places import sample_manifest
from pearl.datasets.prism.entry import PRISM
from pearl.datasets.prism.phrasing import wordings
from pearl.datasets.prism.sample import LABEL
from pearl.datasets.prism.sample.draws import by_quantiles, by_weights, normals, places, shares
from pearl.datasets.prism.sample.grammar import TOPICS, Dice
from pearl.datasets.prism.sample.models import MODELS
from pearl.datasets.prism.sample.people import TABLES
from pearl.datasets.prism.sample.responses import DICE, prompt, respond
from pearl.datasets.prism.sample.writer import TRAITS
from pearl.datasets.prism.statistics import statistics
from pearl.datasets.prism.survey import COLUMNS as SURVEY_COLUMNS
from pearl.datasets.prism.survey import read_survey
from pearl.datasets.prism.utterances import COLUMNS as UTTERANCE_COLUMNS
from pearl.datasets.prism.utterances import read_openings

ROOT = Path(__file__).resolve().parents[3]
COMMITTED = ROOT / "samples" / "prism"
CALIBRATION = ROOT.parent / "shared" / "data" / "prism" / "calibration.json"
FILES = ["survey.jsonl", "utterances.jsonl"]


def rows_of(name):
    return [json.loads(line) for line in (COMMITTED / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def people():
    return rows_of("survey.jsonl")


@pytest.fixture(scope="module")
def said():
    return rows_of("utterances.jsonl")


@pytest.fixture(scope="module")
def turns(said):
    groups = defaultdict(list)
    for row in said:
        groups[row["conversation_id"], row["turn"]].append(row)
    return groups


@pytest.fixture(scope="module")
def manifest() -> SampleFacts:
    found = sample_manifest(COMMITTED, PRISM).sample
    assert found is not None
    return found


def test_another_process_makes_the_committed_bytes(tmp_path):
    code = (
        "import sys; from pathlib import Path; from pearl.datasets.registry import DATASETS; "
        "DATASETS['prism'].write_sample(Path(sys.argv[1]))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "s")], check=True, cwd=ROOT)
    names = sorted(file.name for file in (tmp_path / "s").iterdir())
    assert names == ["manifest.yaml", *FILES]
    for name in names:
        assert (COMMITTED / name).read_bytes() == (tmp_path / "s" / name).read_bytes()


def test_the_manifest_says_what_the_files_are(manifest, said):
    assert manifest.label == LABEL == "sample data made by pearl's generator, not PRISM"
    assert [facts.name for facts in manifest.files] == FILES
    for facts in manifest.files:
        content = (COMMITTED / facts.name).read_bytes()
        assert facts.sha256 == hashlib.sha256(content).hexdigest()
        assert facts.byte_count == len(content)
    assert manifest.rows == len(said)
    assert manifest.statistics == statistics(COMMITTED)


def test_the_samples_stay_within_five_megabytes():
    sizes = [file.stat().st_size for file in (ROOT / "samples").rglob("*") if file.is_file()]
    assert sum(sizes) < 5_000_000
    assert sum(file.stat().st_size for file in COMMITTED.iterdir()) < 3_800_000


def test_the_readers_take_the_sample(people, said):
    survey = read_survey(COMMITTED / "survey.jsonl")
    openings = read_openings(COMMITTED / "utterances.jsonl", survey)
    assert len(survey.users) == len(people)
    assert openings.utterances == len(said)
    assert {
        user for user, alone in zip(survey.users, survey.survey_only, strict=True) if alone
    } == {row["user_id"] for row in people} - {row["user_id"] for row in said}


def test_columns_are_the_publishers_in_its_order(people, said):
    assert all(tuple(row) == SURVEY_COLUMNS for row in people)
    assert all(tuple(row) == UTTERANCE_COLUMNS for row in said)


def test_ids_are_numbered_as_the_publishers(people, said, turns):
    assert [row["user_id"] for row in people] == [f"user{at}" for at in range(len(people))]
    assert [row["utterance_id"] for row in said] == [f"ut{at}" for at in range(len(said))]
    order = [(int(row["conversation_id"][1:]), row["turn"], row["within_turn_id"]) for row in said]
    assert order == sorted(order)
    by_string = sorted(turns, key=lambda key: (key[0], key[1]))
    numbered = {key: f"int{at}" for at, key in enumerate(by_string)}
    assert all(row["interaction_id"] == numbered[key] for key in turns for row in turns[key])


def test_slates_hold_different_models_and_later_turns_the_chosen_one(turns):
    for (conversation, turn), rows in turns.items():
        models = [(row["model_name"], row["model_provider"]) for row in rows]
        assert [row["within_turn_id"] for row in rows] == list(range(len(rows)))
        if turn == 0:
            assert 1 <= len(set(models)) == len(models) <= 4
            continue
        opening = turns[conversation, 0]
        (chosen,) = [row for row in opening if row["if_chosen"]]
        assert models == [(chosen["model_name"], chosen["model_provider"])] * 2
        assert (conversation, turn - 1) in turns


def test_the_chosen_response_has_the_highest_score_and_ties_fall_at_random(turns):
    firsts = []
    for rows in turns.values():
        scores = [row["score"] for row in rows]
        (chosen,) = [row["within_turn_id"] for row in rows if row["if_chosen"]]
        assert scores[chosen] == max(scores)
        if scores.count(max(scores)) == 2:
            firsts.append(scores.index(max(scores)) == chosen)
    assert len(firsts) > 100
    assert 0.35 < np.mean(firsts) < 0.65


def test_models_come_from_their_providers(said):
    pairs = {(row["model_name"], row["model_provider"]) for row in said}
    assert pairs == {(model.name, model.provider) for model in MODELS}
    if not CALIBRATION.is_file():
        pytest.skip("the published statistics aren't beside the project (../shared/data)")
    schemas = (CALIBRATION.parent / "schemas.md").read_text()
    assert all(name in schemas for pair in pairs for name in pair)


def test_survey_fields_hold_together(people, said):
    held = Counter(user for user, _ in {(row["user_id"], row["conversation_id"]) for row in said})
    balanced = {row["user_id"] for row in said if row["included_in_balanced_subset"]}
    for row in people:
        user = row["user_id"]
        assert row["num_completed_conversations"] == held[user]
        assert row["survey_only"] == (held[user] == 0)
        assert row["included_in_balanced_subset"] == (user in balanced)
        uses = {row["lm_usecases"][name] for name in (*TABLES["usecases"], "other")}
        assert uses == {None} or uses <= {0, 1}
        assert (row["lm_usecases"]["other_text"] is None) == (row["lm_usecases"]["other"] != 1)
        stated = row["stated_prefs"]
        assert (stated["other"] is None) == (stated["other_text"] is None)
        for order in ("order_lm_usecases", "order_stated_prefs"):
            shown = sorted(row[order].values())
            assert shown == list(range(1, len(shown) + 1))
        assert set(row["order_stated_prefs"]) == set(stated) - {"other_text"}
        datetime.strptime(row["generated_datetime"], "%Y-%m-%d %H:%M:%S")
        assert row["timing_duration_mins"] == round(row["timing_duration_s"] / 60, 2)
        abroad = row["location"]["birth_country"] != row["location"]["reside_country"]
        assert row["location"]["same_birth_reside_country"] != ("Yes" if abroad else "No")
    assert len({row["stated_prefs"]["other"] is None for row in people}) == 2
    assert len({row["lm_usecases"]["other"] for row in people}) == 3


def test_the_order_shown_says_nothing_of_importance(people):
    order = [row["order_stated_prefs"]["factuality"] for row in people]
    stated = [row["stated_prefs"]["factuality"] for row in people]
    assert abs(np.corrcoef(order, stated)[0, 1]) < 0.2


@pytest.mark.parametrize("name", [*TABLES["counts"], *TABLES["along"]])
def test_demographics_follow_the_published_counts(name, people):
    if not CALIBRATION.is_file():
        pytest.skip("the published statistics aren't beside the project (../shared/data)")
    nested = {"religion": "simplified", "ethnicity": "simplified"}
    published = json.loads(CALIBRATION.read_text())["prism"]["demographics_exact"]
    key = {"special_region": "location_special_region"}.get(name, name)
    counts = published.get(key) or published.get(f"{name}_simplified")
    if name == "special_region":
        found = Counter(row["location"][name] for row in people)
    else:
        found = Counter(row[name][nested[name]] if name in nested else row[name] for row in people)
    named = {"null" if value is None else value: count for value, count in found.items()}
    assert set(named) <= set(counts)
    for value, count in counts.items():
        assert abs(named.get(value, 0) - count * len(people) / 1500) < 1


def test_texts_are_distinct_short_and_whole(said):
    written = [row["model_response"] for row in said if row["model_response"] != "EMPTY STRING"]
    assert len(set(written)) / len(written) > 0.9
    assert not any(re.search(r"[{}]|  |\bmy my\b|\.\.", text) for text in written)
    words = [len(text.split()) for text in written]
    assert 10 < np.median(words) < 30
    assert max(words) < 90


def test_a_slate_answers_its_own_prompt(turns):
    """A subject's words come up in most answers to prompts about it, hardly in others."""
    slates = [rows for (_, turn), rows in turns.items() if turn == 0]
    subjects = sorted({s for topic in TOPICS for s in topic.subjects if len(s.split()) > 1})
    asked = [[s for s in subjects if s in rows[0]["user_prompt"]] for rows in slates]
    own = [
        any(s in r["model_response"] for r in rows)
        for rows, ss in zip(slates, asked, strict=True)
        for s in ss
    ]
    other = [
        any(s in r["model_response"] for r in rows)
        for rows, ss in zip(slates, asked[1:], strict=False)
        for s in ss
    ]
    assert np.mean(own) > 0.6 > 0.1 > np.mean(other)


@given(
    st.integers(0, len(TOPICS) - 1),
    st.integers(0, len(MODELS) - 1),
    st.lists(st.integers(0, (1 << 30) - 1), min_size=DICE, max_size=DICE),
    st.booleans(),
    st.booleans(),
)
def test_any_dice_make_a_whole_text_with_the_traits_it_is_said_to_have(
    topic, model, row, delicate, later
):
    dice = Dice(row)
    chosen = TOPICS[topic]
    made = respond(chosen, chosen.subjects[0], MODELS[model], dice, delicate=delicate, later=later)
    assert made.text
    assert not re.search(r"[{}]", made.text)
    assert not made.text[0].islower()
    assert made.text.rstrip()[-1] in ".?!"
    traits = dict(zip(TRAITS, made.row(), strict=True))
    marks = wordings(made.text)
    assert traits["length"] == len(made.text)
    assert bool(traits["lines"]) == marks["line_breaks"]
    assert bool(traits["enumerate"]) == marks["enumeration"]
    assert bool(traits["question"]) == marks["question_at_end"]
    assert bool(traits["refusal"]) == marks["refusal"]
    assert bool(traits["deanthro"]) <= marks["deanthropomorphism"]
    assert bool(traits["self_id"]) <= marks["self_identification"]
    assert delicate or not traits["refusal"]


@given(st.lists(st.integers(0, (1 << 30) - 1), min_size=DICE, max_size=DICE))
def test_any_dice_make_a_prompt(row):
    for topic in TOPICS[:: len(TOPICS) // 6]:
        text = prompt(topic, topic.subjects[0], Dice(row))
        assert not re.search(r"[{}]|  ", text)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any), st.integers(0, 400))
def test_shares_sum_up_and_are_never_a_whole_one_off(counts, total):
    named = {str(at): count for at, count in enumerate(counts)}
    found = shares(named, total)
    assert sum(found.values()) == total
    for name, count in named.items():
        assert abs(found[name] - count * total / sum(counts)) < 1


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(1, 300))
def test_ranks_take_weights_and_quantiles_in_order(weights, count):
    ranks = np.arange(count)
    found = by_weights(ranks, np.array(weights))
    assert np.all(np.diff(found) >= 0)
    expected = np.array(weights) * count / sum(weights)
    assert np.all(np.abs(np.bincount(found, minlength=len(weights)) - expected) <= 1)
    values = by_quantiles(ranks, {0: 3, 500: 40, 1000: 100})
    assert np.all(np.diff(values) >= 0)
    assert values.min() >= 3
    assert values.max() <= 100


@given(st.lists(st.integers(-5, 5), max_size=60))
def test_places_order_values_and_leave_none_out(values):
    found = places(np.array(values, dtype=np.int64), "test")
    assert sorted(found) == list(range(len(values)))
    assert sorted(values) == [value for _, value in sorted(zip(found, values, strict=True))]


def test_normals_are_nearly_normal():
    drawn = normals("test", 100_000)
    assert drawn.dtype == np.int64
    assert abs(drawn.mean()) < 12
    assert abs(drawn.std() - 1000) < 8
    assert abs(np.mean(np.abs(drawn) > 1960) - 0.05) < 0.004
