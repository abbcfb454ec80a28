import gzip
import json
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pearl.datasets.mooncake import MooncakeTrace, read_jsonl, write_jsonl
from pearl.datasets.mooncake.trace import new_block_order_holds, violations
from pearl.errors import DataError
from pearl.files import sha256_of

GOOD = [
    {"timestamp": 0, "input_length": 1000, "output_length": 5, "hash_ids": [0, 1]},
    {"timestamp": 0, "input_length": 1300, "output_length": 1, "hash_ids": [0, 2, 3]},
    {"timestamp": 3000, "input_length": 1025, "output_length": 7, "hash_ids": [0, 2, 4]},
    {"timestamp": 5999, "input_length": 512, "output_length": 0, "hash_ids": [0]},
]


def lines(requests=GOOD):
    return [json.dumps(request) for request in requests]


def write(tmp_path, text, encoding="utf-8"):
    file = tmp_path / "trace.jsonl"
    file.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return file


def error_of(file):
    with pytest.raises(DataError) as caught:
        read_jsonl(file)
    assert caught.value.remedy
    assert str(file) in str(caught.value)
    return caught.value


def outcome(file):
    try:
        return read_jsonl(file)
    except DataError as error:
        return error


def same(one: MooncakeTrace, other: MooncakeTrace) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("timestamp", "input_length", "output_length", "offsets", "blocks")
    )


def test_a_small_trace_by_hand(tmp_path):
    trace = read_jsonl(write(tmp_path, "\n".join(lines()) + "\n"))
    assert len(trace) == 4
    assert trace.timestamp.tolist() == [0, 0, 3000, 5999]
    assert trace.input_length.tolist() == [1000, 1300, 1025, 512]
    assert trace.output_length.tolist() == [5, 1, 7, 0]
    assert trace.offsets.tolist() == [0, 2, 5, 8, 9]
    assert trace.blocks.tolist() == [0, 1, 0, 2, 3, 0, 2, 4, 0]
    assert trace.blocks.dtype == np.int64
    assert new_block_order_holds(trace)


def changed(row, **fields):
    requests = [dict(request) for request in GOOD]
    requests[row] |= fields
    return "\n".join(lines(requests)) + "\n"


@pytest.mark.parametrize(
    ("row", "field", "value", "said"),
    [
        (0, "timestamp", "0", "not an integer"),
        (1, "timestamp", 0.5, "0.5 is not an integer"),
        (1, "timestamp", True, "true is not an integer"),
        (1, "timestamp", None, "null is not an integer"),
        (1, "timestamp", -1, "-1 is below 0"),
        (1, "timestamp", 2**63, "64 bits"),
        (3, "timestamp", 2999, "2999 comes after 3000"),
        (2, "input_length", 0, "below 1"),
        (2, "output_length", -4, "below 0"),
        (2, "output_length", [1], "not an integer"),
        (1, "hash_ids", [0, 2, "3"], "not an integer"),
        (1, "hash_ids", [0, 2, False], "false is not an integer"),
        (1, "hash_ids", [0, 2, -3], "below 0"),
        (1, "hash_ids", [0, 2, 3.0], "not an integer"),
        (1, "hash_ids", [0, 2, 10**30], "64 bits"),
        (1, "hash_ids", [0, 2], "2 block ids"),
        (1, "hash_ids", [], "0 block ids"),
        (1, "hash_ids", None, "not a list"),
        (1, "hash_ids", {"0": 2}, "not a list"),
        (1, "hash_ids", "0, 2, 3", "not a list"),
        (2, "hash_ids", [5, 6, 7], "the first block is 5"),
        (2, "hash_ids", [0, 4, 2], "block 2 follows block 4"),
        (2, "hash_ids", [0, 3, 9], "block 3 follows block 0"),
        (2, "hash_ids", [0, 2, 2], "block 2 follows block 2"),
        (1, "hash_ids", [0, 0, 3], "begins the request"),
        (3, "hash_ids", [1], "the first block is 1"),
    ],
)
def test_a_wrong_value_is_named_with_line_and_field(tmp_path, row, field, value, said):
    error = error_of(write(tmp_path, changed(row, **{field: value})))
    assert (error.line, error.field) == (row + 1, field)
    assert said in error.problem


@pytest.mark.parametrize(("tokens", "blocks"), [(1024, 2), (1537, 4), (1, 1), (2**62, 2**53)])
def test_another_number_of_blocks_than_the_tokens_make(tmp_path, tokens, blocks):
    error = error_of(write(tmp_path, changed(2, input_length=tokens)))
    assert (error.line, error.field) == (3, "hash_ids")
    assert f"3 block ids, but {tokens} input tokens make {blocks} " in error.problem


@pytest.mark.parametrize("field", list(GOOD[0]))
def test_a_missing_field_is_named(tmp_path, field):
    requests = [dict(request) for request in GOOD]
    del requests[2][field]
    error = error_of(write(tmp_path, "\n".join(lines(requests))))
    assert (error.line, error.field) == (3, field)
    assert "missing" in error.problem


def test_a_field_too_many_or_twice_is_named(tmp_path):
    error = error_of(write(tmp_path, changed(1, user="someone")))
    assert (error.line, error.field) == (2, "user")
    twice = lines()[0].replace('"timestamp": 0', '"timestamp": 0, "timestamp": 1')
    error = error_of(write(tmp_path, twice + "\n"))
    assert (error.line, error.field) == (1, "timestamp")
    assert "twice" in error.problem


@pytest.mark.parametrize("kept", range(1, len(lines()[3])))
def test_a_last_line_cut_anywhere_is_truncated(tmp_path, kept):
    error = error_of(write(tmp_path, "\n".join([*lines()[:3], lines()[3][:kept]])))
    assert error.line == 4
    assert "cut off" in error.problem


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (b"", None, "empty"),
        (b"\n\n", None, "empty"),
        (b"not json\n", 1, "cut off"),
        (b"{broken}\n", 1, "not JSON"),
        (b"17\n", 1, "a JSON int"),
        (b'"text"\n', 1, "a JSON str"),
        (b"null\n", 1, "a JSON NoneType"),
        (b'[{"timestamp": 0}]\n', 1, "JSON array"),
        (b"<html><body>404</body></html>", 1, "web page"),
        (gzip.compress(b"x"), 1, "gzip"),
        (b"PK\x03\x04rest", 1, "zip"),
        (b"PAR1rest", 1, "Parquet"),
        (b"version https://git-lfs.github.com/spec/v1\n", 1, "LFS pointer"),
        (b"\xef\xbb\xbf{}", 1, "byte order mark"),
    ],
)
def test_files_of_another_kind(tmp_path, text, line, said):
    error = error_of(write(tmp_path, text))
    assert error.line == line
    assert said in error.problem


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_utf_16_is_explained(tmp_path, encoding):
    error = error_of(write(tmp_path, "\n".join(lines()), encoding))
    assert "UTF-16" in error.problem


def test_bytes_that_are_no_text_and_nul_bytes_are_placed(tmp_path):
    three = "\n".join(lines()[:3]).encode() + b"\n"
    error = error_of(write(tmp_path, three + b'{"timestamp": "\xfc"}'))
    assert error.line == 4
    error = error_of(write(tmp_path, three + b"\0" * 100))
    assert error.line == 4
    assert "NUL" in error.problem


def test_an_empty_line_in_the_middle_is_refused(tmp_path):
    text = "\n".join([lines()[0], "", *lines()[1:]])
    error = error_of(write(tmp_path, text))
    assert error.line == 2


def test_json_that_breaks_parsers_is_an_error_like_another(tmp_path):
    deep = '{"timestamp": ' + "[" * 200_000
    assert error_of(write(tmp_path, deep)).line == 1
    long = '{"timestamp": ' + "9" * 10_000 + "}"
    assert error_of(write(tmp_path, long)).line == 1
    nan = lines()[0].replace('"timestamp": 0', '"timestamp": NaN')
    assert error_of(write(tmp_path, nan)).field == "timestamp"


def test_lines_of_another_data_set_are_named_foreign(tmp_path):
    prism = {"conversation_id": "c1", "user_id": "u1", "conversation_history": [], "timing": {}}
    error = error_of(write(tmp_path, json.dumps(prism) + "\n"))
    assert error.line == 1
    assert "conversation_id" in error.problem
    assert "timestamp" in error.problem


def test_missing_file_and_folder(tmp_path):
    assert "no such file" in error_of(tmp_path / "absent.jsonl").problem
    assert "no such file" in error_of(tmp_path).problem


@st.composite
def traces(draw):
    """Traces that keep the rules: each request extends a prefix of an earlier one."""
    requests, chains, unused, now = [], [[0]], 1, 0
    for _ in range(draw(st.integers(1, 12))):
        base = draw(st.sampled_from(chains))
        kept = base[: draw(st.integers(1, len(base)))]
        fresh = draw(st.integers(0, 4))
        ids = [*kept, *range(unused, unused + fresh)]
        unused += fresh
        chains.append(ids)
        now += draw(st.integers(0, 10_000))
        length = 512 * len(ids) - draw(st.integers(0, 511))
        output = draw(st.integers(0, 2**40))
        values = (now, length, output, ids)
        requests.append(
            dict(
                zip(("timestamp", "input_length", "output_length", "hash_ids"), values, strict=True)
            )
        )
    return requests


@given(traces())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip(tmp_path, requests):
    text = "".join(line + "\n" for line in lines(requests))
    trace = read_jsonl(write(tmp_path, text))
    assert violations(trace) == []
    assert new_block_order_holds(trace)
    again = tmp_path / "again.jsonl"
    write_jsonl(trace, again)
    assert again.read_text() == text
    assert same(trace, read_jsonl(again))


@given(traces(), st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_mutated_byte_is_read_or_explained(tmp_path, requests, data):
    """Whatever one byte becomes: the trace is valid, or its line or a later one is named."""
    text = "".join(line + "\n" for line in lines(requests)).encode()
    place = data.draw(st.integers(0, len(text) - 1))
    byte = data.draw(st.integers(0, 255))
    assume(text[place] != byte)
    file = write(tmp_path, text[:place] + bytes([byte]) + text[place + 1 :])
    found = outcome(file)
    if isinstance(found, MooncakeTrace):
        assert violations(found) == []
    else:
        assert found.remedy
        assert found.line >= text.count(b"\n", 0, place) + 1


@given(traces(), st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_field_of_another_type_is_always_named(tmp_path, requests, data):
    row = data.draw(st.integers(0, len(requests) - 1))
    field = data.draw(st.sampled_from(list(requests[0])))
    value = data.draw(
        st.one_of(st.none(), st.booleans(), st.text(), st.floats(allow_nan=False), st.just({}))
    )
    requests[row] = requests[row] | {field: value}
    error = error_of(write(tmp_path, "\n".join(lines(requests))))
    assert (error.line, error.field) == (row + 1, field)


def test_the_earliest_broken_line_is_named_first(tmp_path):
    requests = [dict(request) for request in GOOD]
    requests[3]["timestamp"] = 1
    requests[1]["input_length"] = 5000
    assert error_of(write(tmp_path, "\n".join(lines(requests)))).line == 2


def test_arrays_of_another_shape_are_refused():
    five = [np.zeros(0, np.int64)] * 3
    with pytest.raises(ValueError, match="offsets"):
        MooncakeTrace(*five, np.ones(1, np.int64), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="int64"):
        MooncakeTrace(*five, np.zeros(1, np.int32), np.zeros(0, np.int64))
    with pytest.raises(ValueError, match="offsets"):
        MooncakeTrace(*five, np.zeros(1, np.int64), np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="differ in length"):
        MooncakeTrace(
            five[0],
            np.zeros(1, np.int64),
            *five,
        )


def test_the_publishers_trace_is_read_fast_and_written_back_byte_for_byte(real_file, tmp_path):
    started = time.process_time()
    trace = read_jsonl(real_file)
    assert time.process_time() - started < 1.5
    assert len(trace) == 12_031
    assert len(np.unique(trace.timestamp // 10_000)) == 354
    assert new_block_order_holds(trace)
    write_jsonl(trace, tmp_path / "again.jsonl")
    published = "b8cbb061a85206d729d91cdc2981f43c9e0d99209dce588d3af5f7934408b9df"
    assert sha256_of(tmp_path / "again.jsonl") == published
