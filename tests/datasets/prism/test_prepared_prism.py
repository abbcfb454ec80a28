import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import yaml
from made_prism import RETAINED, utterance_rows, write_made_prism, write_rows
from made_vectors import MadeEncoder

from pearl.datasets import places, prepared
from pearl.datasets.embedding import texts
from pearl.datasets.embedding.model import FACTS
from pearl.datasets.embedding.settings import embedding_settings
from pearl.datasets.first_seen import downloads, record_of
from pearl.datasets.prism.slates import read_slates
from pearl.datasets.registry import DATASETS
from pearl.datasets.verify import verify
from pearl.errors import DataError, PearlError, SettingError, SourceError
from pearl.files import sha256_of
from pearl.provenance import Provenance


@pytest.fixture
def encoders(monkeypatch):
    """The made-up encoders that were loaded."""
    loaded = []

    def load():
        loaded.append(MadeEncoder())
        return loaded[-1]

    monkeypatch.setattr(texts, "load_encoder", load)
    return loaded


@pytest.fixture
def project(prism_project):
    return prism_project


def settle(project, **fields):
    project.params_file.write_text(yaml.safe_dump({"profile": "sample", **fields}))


def publish(monkeypatch, folder, **facts):
    """Let the files of a folder be the publisher's: the second's checksum is published."""
    entry = DATASETS["prism"]
    file = folder / "utterances.jsonl"
    count = len(file.read_bytes().splitlines())
    files = [{"name": "survey.jsonl"}, {"name": file.name, "sha256": sha256_of(file)}]
    document = entry.manifest.model_dump() | {"files": files, "rows": count} | facts
    manifest = type(entry.manifest).model_validate(document)
    monkeypatch.setitem(DATASETS, "prism", replace(entry, manifest=manifest))
    from pearl.datasets.prism import entry as module

    survey, openings = module.read(folder)
    found = module.counts(openings, len(survey.users))
    monkeypatch.setattr(module, "PUBLISHED", manifest.model_copy(update={"statistics": found}))


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    folder = tmp_path / "mirror" / "prism"
    write_made_prism(folder, users=3)
    monkeypatch.setenv("PEARL_DATA_MIRROR", str(folder.parent))
    publish(monkeypatch, folder)
    return folder


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))


def test_the_three_stages_and_what_a_run_reads(project, encoders):
    told = prepared.fetch(project, "prism", "sample")
    assert prepared.build(project, "prism") == told
    embedded = prepared.embed(project, "prism")
    assert embedded.embedding == FACTS
    assert embedded.fingerprint != told.fingerprint
    folder = project.embeddings / "prism"
    assert sorted(file.name for file in folder.iterdir()) == [
        "embeddings.npy",
        "provenance.json",
        "seal.json",
        "slates.parquet",
        "users.parquet",
    ]
    assert Provenance.read(folder) == embedded
    slates = read_slates(folder)
    assert len(slates.conversations) == 4 * RETAINED[30]
    assert len(slates.embeddings) == len(set(encoders[0].seen)) == len(encoders[0].seen)
    assert set(slates.arms.ravel()) == set(range(len(slates.embeddings)))


def test_each_slate_has_the_vectors_of_its_own_responses(project, encoders):
    ready = prepared.prepare(project, "prism", "sample")
    slates = read_slates(ready.folder)
    opening = [row for row in utterance_rows(6, 6) if row["turn"] == 0]
    for row in range(len(slates.conversations)):
        slate = [r for r in opening if r["conversation_id"] == slates.conversations[row]]
        assert slates.scores[row].tolist() == [r["score"] for r in slate]
        assert {r["user_id"] for r in slate} == {slates.users[slates.user[row]]}
        expected = MadeEncoder()([r["model_response"] for r in slate])
        assert np.array_equal(slates.embeddings[slates.arms[row]], expected)


def test_prepare_builds_outside_dvc_and_finds_it_again_without_the_model(project, encoders):
    ready = prepared.prepare(project, "prism", "sample")
    assert ready.folder.parent == project.store / "embeddings" / "prism"
    assert ready.provenance == prepared.identity(project, "prism", "sample")
    assert ready.folder.name == f"{ready.provenance.fingerprint}-30"
    assert not any(place.exists() for place in (project.raw, project.tables, project.embeddings))
    assert prepared.prepare(project, "prism", "sample") == ready
    shutil.rmtree(ready.folder)
    assert prepared.prepare(project, "prism", "sample") == ready
    assert len(encoders) == 1, "the cache spares the model"


def test_identity_builds_nothing(project, encoders):
    provenance = prepared.identity(project, "prism", "sample")
    assert provenance.embedding == FACTS
    assert not (project.store / "data").exists()
    assert not (project.store / "embeddings").exists()


def test_vectors_of_dvc_are_copied_if_they_are_the_ones_wanted(project, encoders):
    prepared.fetch(project, "prism", "sample")
    prepared.build(project, "prism")
    prepared.embed(project, "prism")
    shutil.rmtree(project.store)
    ready = prepared.prepare(project, "prism", "sample")
    assert len(encoders) == 1
    assert same(read_slates(ready.folder), read_slates(project.embeddings / "prism"))


def test_the_spread_of_params_is_embedded_and_lower_ones_are_refused(project, encoders):
    high = prepared.prepare(project, "prism", "sample")
    with pytest.raises(DataError, match="above 30 points, where 10"):
        read_slates(high.folder, min_spread=10)
    settle(project, embeddings={"min_spread": 0.1})
    low = prepared.prepare(project, "prism", "sample")
    assert low.provenance == high.provenance
    assert low.folder != high.folder
    assert len(read_slates(low.folder, min_spread=10).conversations) == 4 * RETAINED[10]
    assert len(read_slates(low.folder, min_spread=20).conversations) == 4 * RETAINED[20]
    assert same(read_slates(low.folder), read_slates(high.folder))


@pytest.mark.parametrize("section", [{"min_spread": 0.25}, {"min_spred": 0.3}, {"min_spread": "x"}])
def test_other_settings_of_embeddings_are_refused(project, section):
    settle(project, embeddings=section)
    with pytest.raises(SettingError, match="embeddings") as caught:
        embedding_settings(project)
    assert "None is known" not in str(caught.value.remedy)


def test_damaged_vectors_are_made_anew_and_said(project, encoders, caplog):
    ready = prepared.prepare(project, "prism", "sample")
    whole = (ready.folder / "embeddings.npy").read_bytes()
    (ready.folder / "embeddings.npy").write_bytes(whole[:-4])
    assert prepared.prepare(project, "prism", "sample") == ready
    assert (ready.folder / "embeddings.npy").read_bytes() == whole
    assert "embeddings.npy" in caplog.text


def test_embedding_wants_whole_tables(project, encoders):
    with pytest.raises(DataError, match="no such file"):
        prepared.embed(project, "prism")
    prepared.fetch(project, "prism", "sample")
    prepared.build(project, "prism")
    (project.tables / "prism" / "users.parquet").write_bytes(b"cut")
    with pytest.raises(DataError, match="changed since it was made"):
        prepared.embed(project, "prism")
    assert not project.embeddings.exists()


def test_a_data_set_without_texts_is_not_embedded(project, monkeypatch):
    from pearl.datasets.mooncake.entry import MOONCAKE

    monkeypatch.setitem(DATASETS, "mooncake", MOONCAKE)
    with pytest.raises(PearlError, match="Nothing of mooncake"):
        prepared.embed(project, "mooncake")


def test_the_full_sample_is_generated_once_and_kept(project, encoders):
    small = prepared.prepare(project, "prism", "sample")
    full = prepared.prepare(project, "prism", "sample", full=True)
    assert full.provenance.fingerprint != small.provenance.fingerprint
    assert full.provenance.rows == len(utterance_rows(9, 6))
    found = places.full_sample_here(project, DATASETS["prism"])
    assert found.folder == project.store / "samples" / "prism-full" / "made-up"
    made = (found.folder / "survey.jsonl").stat().st_mtime_ns
    assert prepared.prepare(project, "prism", "sample", full=True) == full
    assert (found.folder / "survey.jsonl").stat().st_mtime_ns == made
    (found.folder / "survey.jsonl").write_text("cut")
    assert prepared.identity(project, "prism", "sample", full=True) == full.provenance
    assert (found.folder / "survey.jsonl").read_bytes() != b"cut"


def test_the_stage_fetches_the_full_sample_too(project):
    told = prepared.fetch(project, "prism", "sample", full=True)
    assert told.rows == len(utterance_rows(9, 6))
    assert prepared.build(project, "prism") == told


def test_a_mirror_with_an_open_checksum_is_checked_and_recorded(project, mirror):
    found = places.mirror(project, DATASETS["prism"])
    assert [facts.sha256 for facts in found.provenance.files] == [
        sha256_of(mirror / name) for name in ("survey.jsonl", "utterances.jsonl")
    ]
    recorded = json.loads(record_of(project, DATASETS["prism"]).read_text())
    assert recorded == [facts.model_dump() for facts in found.provenance.files]
    survey = mirror / "survey.jsonl"
    first = sha256_of(survey)
    survey.write_bytes(survey.read_bytes().replace(b"uk", b"us", 1))
    with pytest.raises(SourceError, match="was first seen") as caught:
        places.mirror(project, DATASETS["prism"])
    assert first in str(caught.value)


def test_a_mirror_with_another_published_checksum_is_refused(project, mirror):
    file = mirror / "utterances.jsonl"
    published = sha256_of(file)
    file.write_bytes(file.read_bytes()[:-1] + b" \n")
    with pytest.raises(SourceError, match=published):
        places.mirror(project, DATASETS["prism"])


def expect(monkeypatch, **counts):
    """Let the publisher's manifest name other counts than the files have."""
    from pearl.datasets.prism import entry as module

    facts = {**module.PUBLISHED.statistics, **counts}
    wrong = module.PUBLISHED.model_copy(update={"statistics": facts})
    monkeypatch.setattr(module, "PUBLISHED", wrong)


def test_files_with_other_counts_than_printed_are_not_recorded(project, mirror, monkeypatch):
    expect(monkeypatch, conversations=8011)
    with pytest.raises(SourceError, match="8,011 conversations: 18"):
        places.mirror(project, DATASETS["prism"])
    assert not record_of(project, DATASETS["prism"]).exists()


def test_counts_that_others_derived_are_verified_but_make_no_file_foreign(
    project, mirror, monkeypatch
):
    expect(monkeypatch, retained_slates=5011)
    places.mirror(project, DATASETS["prism"])
    failed = [check for check in verify(project, DATASETS["prism"], "mirror") if not check.passed]
    assert [check.name for check in failed] == ["5,011 retained slates"]
    assert failed[0].seen == "6 (8 with those of exactly 30 points)"


def test_verify_says_that_the_published_counts_hold(project, mirror):
    checks = {check.name: check for check in verify(project, DATASETS["prism"], "mirror")}
    for name in ("18 conversations", "12 opening slates of 4", "6 retained slates"):
        assert checks[name].passed
    assert all(check.passed for check in checks.values())


def test_the_hub_is_downloaded_checked_recorded_and_then_needs_no_network(
    project, mirror, encoders, monkeypatch
):
    asked = []

    def download(url, facts, folder, patience):
        asked.append(url)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(mirror / facts.name, folder / facts.name)

    monkeypatch.setattr(places, "download", download)
    with pytest.raises(SourceError, match="pearl data fetch prism --source hub"):
        prepared.identity(project, "prism", "hub")
    ready = prepared.prepare(project, "prism", "hub")
    revision = DATASETS["prism"].manifest.revision
    base = f"https://huggingface.co/datasets/HannahRoseKirk/prism-alignment/resolve/{revision}"
    assert asked[:2] == [f"{base}/survey.jsonl", f"{base}/utterances.jsonl"]
    assert ready.provenance.source == "hub"
    assert not ready.provenance.commercial
    asked.clear()
    assert prepared.prepare(project, "prism", "hub") == ready
    assert prepared.identity(project, "prism", "hub") == ready.provenance
    assert asked == []


def test_a_downloaded_file_that_fails_is_not_kept(project, mirror, monkeypatch):
    rows = [json.loads(line) for line in (mirror / "survey.jsonl").read_text().splitlines()]
    write_rows(mirror / "survey.jsonl", rows[:-1])

    def download(url, facts, folder, patience):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(mirror / facts.name, folder / facts.name)

    monkeypatch.setattr(places, "download", download)
    with pytest.raises(SourceError, match="4 survey users: 3"):
        places.hub(project, DATASETS["prism"])
    folder = downloads(project, DATASETS["prism"])
    assert not (folder / "survey.jsonl").exists()
    assert (folder / "utterances.jsonl").exists()
