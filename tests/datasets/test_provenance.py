import json

import pytest
from pydantic import ValidationError

from pearl.errors import DataError
from pearl.provenance import FileFacts, Provenance

FACTS = FileFacts(name="a.jsonl", sha256="0" * 64, byte_count=3)


def made(**changes):
    fields = {
        "dataset": "mooncake",
        "source": "mirror",
        "publisher": "somebody",
        "revision": "r1",
        "url": "https://example.org",
        "licence": "Apache-2.0",
        "commercial": True,
        "files": (FACTS,),
        "rows": 3,
        "label": "Mooncake (mirror)",
    }
    return Provenance(**(fields | changes))


def test_round_trip_through_a_folder_is_exact(tmp_path):
    provenance = made(publisher="Zürich")
    provenance.write(tmp_path)
    assert Provenance.read(tmp_path) == provenance
    text = (tmp_path / "provenance.json").read_text(encoding="utf-8")
    assert text == provenance.to_json()
    assert "Zürich" in text


def test_fingerprint_names_bytes_and_source_and_nothing_else():
    base = made()
    assert len(base.fingerprint) == 16
    assert int(base.fingerprint, 16) >= 0
    same = made(label="another", licence="other", url="u", revision="r2", publisher="p", rows=4)
    assert same.fingerprint == base.fingerprint
    other_file = FileFacts(name="a.jsonl", sha256="1" * 64, byte_count=3)
    renamed = FileFacts(name="b.jsonl", sha256="0" * 64, byte_count=3)
    different = [
        made(source="hub"),
        made(dataset="prism"),
        made(files=(other_file,)),
        made(files=(renamed,)),
        made(files=(FACTS, other_file)),
    ]
    assert len({base.fingerprint, *(p.fingerprint for p in different)}) == 6


def test_fingerprint_does_not_depend_on_the_order_of_files():
    second = FileFacts(name="b.jsonl", sha256="1" * 64, byte_count=3)
    one, other = made(files=(FACTS, second)), made(files=(second, FACTS))
    assert one.fingerprint == other.fingerprint


@pytest.mark.parametrize(
    ("field", "value"),
    [("source", "web"), ("rows", -1), ("files", []), ("commercial", "perhaps"), ("dataset", "")],
)
def test_a_wrong_field_is_named(tmp_path, field, value):
    document = json.loads(made().to_json()) | {field: value}
    (tmp_path / "provenance.json").write_text(json.dumps(document))
    with pytest.raises(DataError) as caught:
        Provenance.read(tmp_path, remedy="do this")
    assert caught.value.field == field
    assert "do this" in str(caught.value)


def test_missing_foreign_and_binary_files_are_explained(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        Provenance.read(tmp_path)
    (tmp_path / "provenance.json").write_text("[1, 2")
    with pytest.raises(DataError, match="JSON"):
        Provenance.read(tmp_path)
    (tmp_path / "provenance.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="UTF-8"):
        Provenance.read(tmp_path)


def test_a_field_too_many_and_a_change_are_refused():
    with pytest.raises(ValidationError):
        made(date="today")
    with pytest.raises(ValidationError):
        made().rows = 4
