import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from pearl.datasets import places
from pearl.datasets.download import Patience
from pearl.datasets.mooncake import read_table, write_table
from pearl.datasets.prepared import build, fetch, prepare
from pearl.datasets.registry import DATASETS
from pearl.errors import DataError, SettingError, SourceError
from pearl.files import sha256_of
from pearl.provenance import Provenance


def files_of(folder):
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A folder named as the mirror, with a place for the publisher's file."""
    folder = tmp_path / "mirror" / "mooncake"
    folder.mkdir(parents=True)
    monkeypatch.setenv("PEARL_DATA_MIRROR", str(folder.parent))
    return folder


@pytest.fixture
def small(project, publish):
    """Let the publisher's file be the sample's bytes, so that no real data is needed."""
    sample = places.sample(project, DATASETS["mooncake"])
    facts = [facts.model_dump() for facts in sample.provenance.files]
    publish(files=facts, rows=sample.provenance.rows)
    return (sample.folder / "conversation_trace.jsonl").read_bytes()


def test_the_stages_of_the_sample(project):
    provenance = fetch(project, "mooncake", "sample")
    assert provenance.source == "sample"
    assert sorted(files_of(project.raw)) == [
        "mooncake/conversation_trace.jsonl",
        "mooncake/provenance.json",
    ]
    copied = project.raw / "mooncake" / "conversation_trace.jsonl"
    assert sha256_of(copied) == provenance.files[0].sha256
    assert build(project, "mooncake") == provenance
    assert sorted(files_of(project.tables)) == [
        "mooncake/provenance.json",
        "mooncake/requests.parquet",
        "mooncake/seal.json",
    ]
    tables = project.tables / "mooncake"
    assert Provenance.read(tables) == provenance
    assert len(read_table(tables)) == provenance.rows
    assert not project.store.exists()


def test_stage_outputs_are_the_same_bytes_again_and_name_no_machine(project):
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    first = files_of(project.raw) | files_of(project.tables)
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    assert files_of(project.raw) | files_of(project.tables) == first
    assert not any(str(project.root).encode() in content for content in first.values())


def test_a_stage_takes_the_sample_from_data_and_prepare_from_samples(project):
    shutil.rmtree(project.samples)
    assert fetch(project, "mooncake", "sample").source == "sample"
    with pytest.raises(DataError, match=r"samples/mooncake"):
        prepare(project, "mooncake", "sample")
    shutil.copytree(project.data, project.samples)
    shutil.rmtree(project.data)
    with pytest.raises(DataError, match=r"data/mooncake"):
        fetch(project, "mooncake", "sample")
    assert prepare(project, "mooncake", "sample").provenance.source == "sample"


def test_prepare_builds_in_the_store_and_finds_it_again(project):
    first = prepare(project, "mooncake", "sample")
    assert first.folder == project.store / "data" / "mooncake" / first.provenance.fingerprint
    assert len(read_table(first.folder)) == first.provenance.rows
    assert not project.raw.exists()
    assert not project.tables.exists()
    made = (first.folder / "requests.parquet").stat().st_mtime_ns
    assert prepare(project, "mooncake", "sample") == first
    assert (first.folder / "requests.parquet").stat().st_mtime_ns == made


def test_prepare_hands_out_nothing_that_dvc_may_delete(project):
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    ready = prepare(project, "mooncake", "sample")
    assert ready.folder == project.store / "data" / "mooncake" / ready.provenance.fingerprint
    assert files_of(ready.folder) == files_of(project.tables / "mooncake")
    shutil.rmtree(project.tables)
    assert prepare(project, "mooncake", "sample") == ready
    assert len(read_table(ready.folder)) == ready.provenance.rows


def test_tables_of_dvc_spare_the_download(project, publisher, small):
    publisher.content = small
    fetch(project, "mooncake", "hub", base_url=publisher.url)
    build(project, "mooncake")
    shutil.rmtree(project.store)
    publisher.ranges.clear()
    ready = prepare(project, "mooncake", "hub", base_url=publisher.url)
    assert publisher.ranges == []
    assert files_of(ready.folder) == files_of(project.tables / "mooncake")


def test_tables_that_dvc_deletes_meanwhile_are_built_from_the_files(project, monkeypatch):
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    whole = files_of(project.tables / "mooncake")
    copyfile = shutil.copyfile

    def deletes(source, target, **options):
        if Path(source).is_relative_to(project.tables):
            shutil.rmtree(project.tables, ignore_errors=True)
        return copyfile(source, target, **options)

    monkeypatch.setattr(shutil, "copyfile", deletes)
    assert files_of(prepare(project, "mooncake", "sample").folder) == whole
    assert not project.tables.exists()


def another_table(folder):
    """Change one request of a table and leave everything else as it is."""
    trace = read_table(folder)
    output = trace.output_length.copy()
    output[7] += 1
    write_table(replace(trace, output_length=output), folder)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (another_table, "changed since it was made (requests.parquet)"),
        (lambda folder: (folder / "requests.parquet").unlink(), "requests.parquet"),
        (lambda folder: (folder / "requests.parquet").write_bytes(b"cut"), "requests.parquet"),
        (lambda folder: (folder / "provenance.json").unlink(), "provenance.json"),
        (lambda folder: (folder / "seal.json").unlink(), "no seal.json"),
        (lambda folder: (folder / "seal.json").write_text("[]"), "seal.json is damaged"),
        (lambda folder: (folder / "seal.json").write_bytes(b"\xff{"), "seal.json is damaged"),
        (lambda folder: (folder / "seal.json").write_text("{}"), "requests.parquet"),
    ],
)
def test_prepare_builds_anew_what_is_damaged_and_says_so(project, caplog, damage, said):
    ready = prepare(project, "mooncake", "sample")
    assert caplog.messages == []
    whole = files_of(ready.folder)
    damage(ready.folder)
    assert prepare(project, "mooncake", "sample") == ready
    assert files_of(ready.folder) == whole
    (message,) = caplog.messages
    assert said in message
    assert "built anew" in message


def test_changed_tables_of_dvc_are_not_copied(project):
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    whole = files_of(project.tables / "mooncake")
    another_table(project.tables / "mooncake")
    assert files_of(prepare(project, "mooncake", "sample").folder) == whole


def test_a_run_refuses_changed_tables_and_names_what_mends_them(project):
    folder = prepare(project, "mooncake", "sample").folder
    another_table(folder)
    with pytest.raises(DataError, match="changed since it was made") as caught:
        read_table(folder)
    assert "`pearl data build mooncake --source sample`" in caught.value.remedy
    assert "`dvc repro build@mooncake`" in caught.value.remedy


def test_a_changed_sample_is_refused_with_both_checksums(project):
    file = project.samples / "mooncake" / "conversation_trace.jsonl"
    published = sha256_of(file)
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(DataError) as caught:
        prepare(project, "mooncake", "sample")
    assert published in str(caught.value)
    assert sha256_of(file) in str(caught.value)
    assert "pearl data sample mooncake" in caught.value.remedy


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (lambda m: m.pop("sample"), "sample"),
        (lambda m: m["sample"].pop("seed"), "sample.seed"),
        (lambda m: m.update(rows="many"), "rows"),
        (lambda m: m.update(revision="main"), "revision"),
        (lambda m: m.update(colour="red"), "colour"),
        (lambda m: m.update(rows=7), None),
    ],
)
def test_a_changed_manifest_is_refused(project, edit, field):
    file = project.samples / "mooncake" / "manifest.yaml"
    manifest = yaml.safe_load(file.read_text())
    edit(manifest)
    file.write_text(yaml.safe_dump(manifest))
    with pytest.raises(DataError) as caught:
        prepare(project, "mooncake", "sample")
    assert caught.value.field == field
    assert caught.value.file == file


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"dataset: mooncake\n]\n", 2, "not YAML"),
        (b"title: a\ntitle: b\n", 2, "stands twice"),
        (bytes(range(256)), None, "not UTF-8"),
        (b"", None, "empty"),
        (b"- 1\n", None, "not named settings"),
    ],
)
def test_a_manifest_that_is_no_yaml_is_placed(project, content, line, said):
    (project.samples / "mooncake" / "manifest.yaml").write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        prepare(project, "mooncake", "sample")
    assert caught.value.line == line
    assert "pearl data sample mooncake" in caught.value.remedy


def test_build_wants_whole_raw_files(project):
    with pytest.raises(DataError, match="no such file"):
        build(project, "mooncake")
    fetch(project, "mooncake", "sample")
    file = project.raw / "mooncake" / "conversation_trace.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[:1000])
    with pytest.raises(DataError, match="sha256"):
        build(project, "mooncake")
    file.unlink()
    with pytest.raises(DataError, match="no such file"):
        build(project, "mooncake")
    assert not project.tables.exists()


def test_a_failed_build_leaves_the_older_tables(project):
    fetch(project, "mooncake", "sample")
    build(project, "mooncake")
    before = files_of(project.tables)
    raw = project.raw / "mooncake"
    wrong = Provenance.read(raw).model_copy(update={"rows": 5})
    wrong.write(raw)
    with pytest.raises(DataError, match="3993 records, where the manifest names 5"):
        build(project, "mooncake")
    assert files_of(project.tables) == before


def test_an_unknown_data_set_is_refused(project):
    for function in (lambda: fetch(project, "x", "sample"), lambda: build(project, "x")):
        with pytest.raises(SettingError, match="'x'"):
            function()


def test_the_mirror_is_used_only_when_it_is_whole(project, mirror, small):
    file = mirror / "conversation_trace.jsonl"
    with pytest.raises(SourceError, match="doesn't exist"):
        prepare(project, "mooncake", "mirror")
    file.write_bytes(small[:-100])
    with pytest.raises(SourceError) as caught:
        prepare(project, "mooncake", "mirror")
    assert sha256_of(file) in str(caught.value)
    assert DATASETS["mooncake"].manifest.files[0].sha256 in str(caught.value)
    assert f"{len(small) - 100} bytes" in str(caught.value)
    file.write_bytes(small)
    ready = prepare(project, "mooncake", "mirror")
    assert ready.provenance.label == "Mooncake conversation trace (mirror)"
    assert ready.folder.name == ready.provenance.fingerprint


def test_a_mirror_that_is_not_named_or_no_folder_is_an_error(project, monkeypatch, tmp_path):
    for function in (prepare, fetch):
        with pytest.raises(SourceError, match=r"(?s)PEARL_DATA_MIRROR isn't set.*--source"):
            function(project, "mooncake", "mirror")
        monkeypatch.setenv("PEARL_DATA_MIRROR", str(tmp_path / "absent"))
        with pytest.raises(SourceError, match="is no folder"):
            function(project, "mooncake", "mirror")
        monkeypatch.delenv("PEARL_DATA_MIRROR")
    assert not project.store.exists()


def test_the_hub_over_a_connection_that_breaks(project, publisher, behaviour, small):
    publisher.content = small
    publisher.script = [behaviour.breaks_after(400_000), behaviour.answers(503)]
    patience = Patience(pause=0.0)
    ready = prepare(project, "mooncake", "hub", base_url=publisher.url, patience=patience)
    assert ready.provenance.source == "hub"
    assert publisher.ranges == [None, "bytes=400000-", "bytes=400000-"]
    downloads = project.store / "downloads" / "mooncake" / ready.provenance.revision
    assert (downloads / "conversation_trace.jsonl").read_bytes() == small
    asked = len(publisher.ranges)
    assert fetch(project, "mooncake", "hub", base_url=publisher.url) == ready.provenance
    shutil.rmtree(downloads)
    assert prepare(project, "mooncake", "hub", base_url=publisher.url) == ready
    assert len(publisher.ranges) == asked


def test_sources_with_the_same_bytes_stay_apart(project, mirror, publisher, small):
    publisher.content = small
    (mirror / "conversation_trace.jsonl").write_bytes(small)
    hub = prepare(project, "mooncake", "hub", base_url=publisher.url)
    copied = prepare(project, "mooncake", "mirror")
    made = prepare(project, "mooncake", "sample")
    assert len({hub.folder, copied.folder, made.folder}) == 3
    tables = [files_of(ready.folder)["requests.parquet"] for ready in (hub, copied, made)]
    assert tables[0] == tables[1] == tables[2]


def test_no_source_falls_back_to_another(project, mirror, publisher, behaviour):
    publisher.script = [behaviour.answers(404)]
    with pytest.raises(SourceError, match="404"):
        prepare(project, "mooncake", "hub", base_url=publisher.url)
    with pytest.raises(SourceError, match="doesn't exist"):
        fetch(project, "mooncake", "mirror")
    assert not project.raw.exists()
    assert not (project.store / "data" / "mooncake").exists() or not list(
        (project.store / "data" / "mooncake").glob("*/*")
    )


def test_the_publishers_trace_from_the_mirror(project, real_file, monkeypatch):
    monkeypatch.setenv("PEARL_DATA_MIRROR", str(real_file.parents[1]))
    ready = prepare(project, "mooncake", "mirror")
    assert len(read_table(ready.folder)) == ready.provenance.rows == 12_031
    assert ready.provenance.licence == "Apache-2.0"


PREPARE = """
import sys
from pathlib import Path
from pearl.datasets.prepared import prepare
from pearl.project import Project
print(prepare(Project(Path(sys.argv[1])), "mooncake", "sample").folder)
"""


def test_two_processes_prepare_the_same_data_at_once(project):
    command = [sys.executable, "-c", PREPARE, str(project.root)]
    where = Path(__file__).resolve().parents[2]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=where) for _ in range(3)
    ]
    printed = {child.communicate(timeout=60)[0].strip() for child in children}
    assert [child.returncode for child in children] == [0, 0, 0]
    (folder,) = printed
    assert len(read_table(Path(folder))) == 3_993
    assert [f.name for f in Path(folder).parent.iterdir() if f.suffix == ".part"] == []
