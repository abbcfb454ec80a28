from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pearl.datasets.mooncake import MooncakeTrace, read_table, write_table
from pearl.datasets.mooncake.entry import MOONCAKE
from pearl.datasets.mooncake.table import FILE_NAME, SCHEMA, is_current
from pearl.errors import DataError
from pearl.files import seal, sha256_of


@pytest.fixture
def folder(tmp_path, sample_trace):
    write_table(sample_trace, tmp_path)
    return tmp_path


def error_of(folder):
    with pytest.raises(DataError) as caught:
        read_table(folder)
    assert "pearl data build mooncake" in caught.value.remedy
    return caught.value


def test_round_trip_with_fixed_bytes(folder, sample_trace, tmp_path_factory):
    found = read_table(folder)
    for field in fields(MooncakeTrace):
        assert np.array_equal(getattr(found, field.name), getattr(sample_trace, field.name))
        assert getattr(found, field.name).dtype == np.int64
    again = tmp_path_factory.mktemp("again")
    write_table(found, again)
    assert sha256_of(again / FILE_NAME) == sha256_of(folder / FILE_NAME)
    assert is_current(folder)


def test_columns_are_the_publishers(folder):
    table = pq.read_table(folder / FILE_NAME)
    assert table.schema.names == ["timestamp", "input_length", "output_length", "hash_ids"]
    assert table["hash_ids"][0].as_py()[0] == 0


def test_missing_damaged_and_cut_files(folder):
    file = folder / FILE_NAME
    content = file.read_bytes()
    for wrong in (b"", b"no parquet", content[: len(content) // 2], content[:-1]):
        file.write_bytes(wrong)
        assert "damaged" in error_of(folder).problem
        assert not is_current(folder)
    file.write_bytes(content[:5000] + bytes(2000) + content[7000:])
    assert error_of(folder).file == file
    file.unlink()
    assert "no such file" in error_of(folder).problem
    assert not is_current(folder)


@pytest.mark.parametrize("column", SCHEMA.names)
def test_a_missing_column_is_named(folder, column):
    table = pq.read_table(folder / FILE_NAME)
    pq.write_table(table.drop_columns([column]), folder / FILE_NAME)
    error = error_of(folder)
    assert error.field == column
    assert "missing" in error.problem
    assert not is_current(folder)


def test_other_types_empty_cells_extra_columns_and_layouts_are_named(folder):
    table = pq.read_table(folder / FILE_NAME)
    texts = table["timestamp"].cast(pa.string())
    pq.write_table(table.set_column(0, "timestamp", texts), folder / FILE_NAME)
    assert error_of(folder).field == "timestamp"
    holes = pa.array([None, *table["timestamp"].to_pylist()[1:]], pa.int64())
    pq.write_table(table.set_column(0, "timestamp", holes), folder / FILE_NAME)
    assert "empty cells" in error_of(folder).problem
    pq.write_table(table.append_column("user", table["timestamp"]), folder / FILE_NAME)
    assert error_of(folder).field == "user"
    old = table.replace_schema_metadata({"pearl.table": "mooncake requests 0"})
    pq.write_table(old, folder / FILE_NAME)
    assert "mooncake requests 0" in error_of(folder).problem
    assert not is_current(folder)


def test_values_that_break_a_rule_are_named(folder, sample_trace):
    wrong = sample_trace.timestamp.copy()
    wrong[100] = wrong[-1] + 1
    write_table(replace(sample_trace, timestamp=wrong), folder)
    error = error_of(folder)
    assert error.field == "timestamp"
    assert "request 101" in error.problem


def test_another_provenance_beside_the_table_is_refused(folder, sample_trace):
    right = MOONCAKE.manifest.provenance("mirror").model_copy(update={"rows": len(sample_trace)})
    right.write(folder)
    assert "no seal.json" in error_of(folder).problem
    seal(folder)
    assert len(read_table(folder)) == len(sample_trace)
    right.model_copy(update={"rows": 12_031}).write(folder)
    assert error_of(folder).field == "rows"
    right.model_copy(update={"dataset": "prism"}).write(folder)
    assert error_of(folder).field == "dataset"
    (folder / "provenance.json").write_text("{}")
    assert error_of(folder).file.name == "provenance.json"


def test_a_part_of_a_table_is_read_as_what_it_is(folder, sample_trace):
    """A row group whose list array doesn't begin at offset 0."""
    table = pq.read_table(folder / FILE_NAME).slice(0, 500)
    pq.write_table(table, folder / FILE_NAME, row_group_size=70)
    found = read_table(folder)
    assert len(found) == 500
    assert np.array_equal(found.blocks, sample_trace.blocks[: sample_trace.offsets[500]])
