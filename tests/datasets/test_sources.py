import pytest

from pearl.datasets.registry import DATASETS, dataset
from pearl.datasets.sources import explain_source
from pearl.errors import SettingError
from pearl.experiments import load_params


@pytest.mark.parametrize(
    ("flag", "named", "profile", "expected", "reason"),
    [
        (None, None, "sample", "sample", "the profile's default"),
        (None, None, "smoke", "sample", "the profile's default"),
        (None, None, "paper", "hub", "the profile's default"),
        (None, "mirror", "paper", "mirror", "params.yaml"),
        (None, "sample", "paper", "sample", "params.yaml"),
        ("hub", "mirror", "sample", "hub", "--source"),
        ("sample", None, "paper", "sample", "--source"),
    ],
)
def test_flag_before_params_before_profile(flag, named, profile, expected, reason):
    params = {"sources": {"mooncake": named}}
    choice = explain_source("mooncake", flag=flag, params=params, profile=profile)
    assert (choice.source, choice.reason) == (expected, reason)
    assert choice.line == f"mooncake: source {expected} ({reason})"


def test_a_mirror_that_is_named_changes_nothing_by_itself(monkeypatch, tmp_path):
    monkeypatch.setenv("PEARL_DATA_MIRROR", str(tmp_path))
    for profile, expected in (("sample", "sample"), ("paper", "hub")):
        choice = explain_source("mooncake", flag=None, params={}, profile=profile)
        assert choice.source == expected


@pytest.mark.parametrize(
    ("flag", "params", "profile", "said"),
    [
        ("web", {}, "sample", "--source: 'web'"),
        (None, {"sources": {"mooncake": "web"}}, "sample", "sources.mooncake: 'web'"),
        (None, {"sources": {"mooncake": 3}}, "sample", "sources.mooncake: 3"),
        (None, {"sources": "hub"}, "sample", "`sources`"),
        (None, {}, "huge", "'huge'"),
    ],
)
def test_a_word_that_is_no_source_is_refused_with_the_words_that_are(flag, params, profile, said):
    with pytest.raises(SettingError) as caught:
        explain_source("mooncake", flag=flag, params=params, profile=profile)
    assert said in caught.value.problem
    assert "sample" in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "named", "source", "reason"),
    [
        ("profile: sample", {}, "sample", "the profile's default"),
        ("profile: paper", {}, "hub", "the profile's default"),
        ("profile: paper", {"profile": "smoke"}, "sample", "the profile's default"),
        ("sources: {mooncake: mirror}", {"profile": "paper"}, "mirror", "params.yaml"),
        ("sources: {mooncake: mirror}", {"flag": "hub"}, "hub", "--source"),
    ],
)
def test_params_choose_where_no_flag_does(project, text, named, source, reason):
    project.params_file.write_text(text)
    choice = load_params(project).source("mooncake", **named)
    assert (choice.source, choice.reason) == (source, reason)


def test_no_word_of_params_or_of_a_flag_is_guessed(project):
    for named in ({"profile": "huge"}, {"flag": "web"}):
        with pytest.raises(SettingError, match=r"'huge'|'web'"):
            load_params(project).source("mooncake", **named)
    project.params_file.write_text("profile: null")
    with pytest.raises(SettingError, match="None"):
        load_params(project)


def test_registry_names_each_data_set_once_and_refuses_others():
    assert all(entry.name == name for name, entry in DATASETS.items())
    assert dataset("mooncake").manifest.rows == 12_031
    assert dataset("prism").manifest.rows == 68_371
    with pytest.raises(SettingError, match=r"(?s)moonlight.*mooncake"):
        dataset("moonlight")
