import shutil
from dataclasses import replace

import pytest
import yaml
from typer.testing import CliRunner

from pearl.cli.data import app
from pearl.datasets import verify as verify_module
from pearl.datasets.mooncake import read_table, write_table
from pearl.datasets.registry import DATASETS
from pearl.errors import PearlError, SettingError, SourceError
from pearl.provenance import Provenance


@pytest.fixture
def run(project, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def command(*words):
        result = CliRunner().invoke(app, list(words), catch_exceptions=True)
        if isinstance(result.exception, PearlError):
            raise result.exception
        return result

    return command


@pytest.fixture
def no_network(monkeypatch):
    """Any socket is a failure."""

    def refused(*words, **more):
        raise AssertionError("the network was touched")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)


def settings(project, **fields):
    project.params_file.write_text(yaml.safe_dump(fields))


def test_the_stages_print_the_source_first_and_write_their_folders(run, project, no_network):
    result = run("fetch", "mooncake", "--stage")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "mooncake: source sample (the profile's default)"
    assert run("build", "mooncake", "--stage").exit_code == 0
    assert Provenance.read(project.tables / "mooncake").source == "sample"
    assert not project.store.exists()


def test_outside_a_stage_neither_raw_nor_tables_is_written(run, project, no_network):
    assert run("fetch").exit_code == 0
    result = run("build")
    assert result.exit_code == 0
    assert "sample data made by pearl's generator, not Mooncake" in result.stdout
    assert not project.raw.exists()
    assert not project.tables.exists()


def test_a_stage_takes_its_source_from_params_alone(run, project):
    settings(project, profile="sample", sources={"mooncake": "mirror"})
    with pytest.raises(SourceError, match="PEARL_DATA_MIRROR"):
        run("fetch", "--stage")
    settings(project, profile="paper", sources={"mooncake": "sample"})
    lines = run("fetch", "--stage").stdout.splitlines()
    assert lines[0] == "mooncake: source sample (params.yaml)"
    for option in (["--source", "sample"], ["--profile", "sample"]):
        with pytest.raises(SettingError, match="--stage"):
            run("fetch", "--stage", *option)


def test_the_source_option_and_wrong_words(run):
    assert run("build", "--source", "sample").stdout.startswith("mooncake: source sample (--source")
    for words in (["--source", "web"], ["--profile", "huge"]):
        with pytest.raises(SettingError):
            run("build", *words)
    with pytest.raises(SettingError, match="'moon'"):
        run("fetch", "moon")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"source": {"mooncake": "hub"}}, ["'source'", "'sources'"]),
        ({"sources": {"mooncak": "hub"}}, ["'mooncak'", "'mooncake'"]),
        ({"profil": "paper"}, ["'profil'", "'profile'"]),
    ],
)
@pytest.mark.parametrize("command", [["status"], ["verify"], ["fetch", "--stage"], ["build"]])
def test_a_misspelt_setting_never_means_the_default(run, project, fields, words, command):
    settings(project, **fields)
    with pytest.raises(SettingError) as caught:
        run(*command)
    for word in words:
        assert word in str(caught.value)


def test_status_says_what_is_here_and_how_to_get_the_rest_without_network(
    run, project, no_network, monkeypatch
):
    run("build", "--source", "sample")
    text = run("status").stdout
    assert text.startswith("mooncake: source sample (the profile's default)\n")
    for said in (
        "Apache-2.0",
        "a2a4b18ac537fd798d50e6e9f57031ce86419a37",
        "PEARL_DATA_MIRROR isn't set",
        "pearl data fetch mooncake --source hub",
        "dvc repro fetch@mooncake",
        "dvc repro build@mooncake",
        "12,031",
        "3,993",
        "store/data/mooncake/",
    ):
        assert said in text
    shutil.rmtree(project.samples)
    assert "pearl data sample mooncake" in run("status").stdout
    assert "source hub (the profile's default)" in run("status", "--profile", "paper").stdout


def test_verify_passes_on_whole_data(run, project, no_network):
    run("fetch", "--stage")
    run("build", "--stage")
    run("build")
    result = run("verify")
    assert result.exit_code == 0
    for said in ("3,993 requests", "byte for byte", "prefix-chained", "tables/: made from raw/"):
        assert said in result.stdout
    assert "NO" not in result.stdout


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        ("samples/mooncake/conversation_trace.jsonl", "sample: files and checksums"),
        ("raw/mooncake/conversation_trace.jsonl", "raw/: files and provenance"),
        ("raw/mooncake/provenance.json", "raw/: files and provenance"),
        ("tables/mooncake/requests.parquet", "the table equals the publisher's file"),
        ("tables/mooncake/provenance.json", "tables/: made from raw/"),
    ],
)
def test_verify_fails_on_any_damaged_file(run, project, damage, check):
    run("fetch", "--stage")
    run("build", "--stage")
    file = project.root / damage
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    result = run("verify")
    assert result.exit_code == 1
    entry = DATASETS["mooncake"]
    failed = [c.name for c in verify_module.verify(project, entry, "sample") if not c.passed]
    assert check in failed
    assert "checks failed" in result.stdout


def test_verify_sees_a_whole_table_of_other_data(run, project):
    run("fetch", "--stage")
    run("build", "--stage")
    wrong = Provenance.read(project.tables / "mooncake").model_copy(update={"source": "hub"})
    wrong.write(project.tables / "mooncake")
    checks = verify_module.verify(project, DATASETS["mooncake"], "sample")
    assert [c.name for c in checks if not c.passed] == [
        "tables/: as they were built",
        "tables/: made from raw/",
        "the table equals the publisher's file",
    ]


@pytest.mark.parametrize("place", ["tables", "store"])
def test_verify_sees_another_table_under_the_same_provenance(run, project, place):
    run("fetch", "--stage")
    run("build", "--stage")
    run("build")
    (built,) = (project.store / "data" / "mooncake").glob("[!.]*/")
    folder = {"tables": project.tables / "mooncake", "store": built}[place]
    trace = read_table(folder)
    write_table(replace(trace, timestamp=trace.timestamp + 1), folder)
    result = run("verify")
    assert result.exit_code == 1
    assert "changed since it was made (requests.parquet)" in result.stdout
    run("build", "--stage")
    run("build")
    assert run("verify").exit_code == 0


def test_verify_of_absent_sources_fails_and_says_how_to_get_them(run, no_network):
    result = run("verify", "--source", "hub")
    assert result.exit_code == 1
    assert "pearl data fetch mooncake --source hub" in result.stdout
    assert run("verify", "--source", "mirror").exit_code == 1


def test_verify_counts_the_publishers_requests(run, real_file, monkeypatch):
    monkeypatch.setenv("PEARL_DATA_MIRROR", str(real_file.parents[1]))
    result = run("verify", "--source", "mirror")
    assert result.exit_code == 0
    assert "12,031 requests" in result.stdout
    assert "b8cbb061a852" in result.stdout


def test_sample_makes_the_committed_folder_anew(run, project, sample_folder):
    shutil.rmtree(project.samples)
    assert run("sample").exit_code == 0
    for file in sample_folder.iterdir():
        assert (project.samples / "mooncake" / file.name).read_bytes() == file.read_bytes()


def test_help_names_every_command(run):
    text = run("--help").stdout
    for command in ("status", "fetch", "build", "verify", "push", "sample"):
        assert command in text
