import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pearl.datasets.download import Patience, download
from pearl.datasets.manifest import PublishedFile
from pearl.errors import SourceError
from pearl.provenance import FileFacts


@pytest.fixture
def facts(publisher):
    content = publisher.content
    digest = hashlib.sha256(content).hexdigest()
    return FileFacts(name="trace.jsonl", sha256=digest, byte_count=len(content))


@pytest.fixture
def get(publisher, facts, tmp_path):
    waits = []

    def run(**changes):
        patience = Patience(**({"pause": 1.0, "timeout": 5.0, "sleep": waits.append} | changes))
        return download(f"{publisher.url}/trace.jsonl", facts, tmp_path / "down", patience)

    run.waits, run.part = waits, tmp_path / "down" / "trace.jsonl.part"
    run.target = tmp_path / "down" / "trace.jsonl"
    return run


def test_whole_in_one_go_and_not_asked_for_again(publisher, get):
    file = get()
    assert file.read_bytes() == publisher.content
    assert not get.part.exists()
    assert get() == file
    assert publisher.ranges == [None]


def test_goes_on_where_the_connection_broke(publisher, get, behaviour):
    publisher.script = [behaviour.breaks_after(300_000), behaviour.breaks_after(200_000)]
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == [None, "bytes=300000-", "bytes=500000-"]
    assert get.waits == [1.0, 1.0]


def test_many_breaks_are_forgiven_while_bytes_come(publisher, get, behaviour):
    publisher.script = [behaviour.breaks_after(100_000)] * 10
    assert get(attempts=2).read_bytes() == publisher.content
    assert len(publisher.ranges) == 11


def test_a_server_that_ignores_range_is_read_from_the_beginning(publisher, get, behaviour):
    publisher.script = [behaviour.breaks_after(300_000), behaviour.ignores_range()]
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == [None, "bytes=300000-"]


def test_a_server_that_never_gets_further_ends_in_an_error(publisher, get, behaviour):
    publisher.script = [behaviour.ignores_range(100_000)] * 9
    with pytest.raises(SourceError, match="100000 of 1024000 bytes"):
        get(attempts=3)
    assert len(publisher.ranges) == 3
    assert get.part.stat().st_size == 100_000


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_tried_again_with_longer_waits(publisher, get, behaviour, status):
    publisher.script = [behaviour.answers(status)] * 3
    assert get().read_bytes() == publisher.content
    assert get.waits == [1.0, 2.0, 4.0]


def test_a_lasting_fault_is_an_error_with_ways_out(publisher, get, behaviour):
    publisher.script = [behaviour.answers(503)] * 5
    with pytest.raises(SourceError, match=r"(?s)503.*--source mirror"):
        get()
    assert len(publisher.ranges) == 5


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_refusal_is_final(publisher, get, behaviour, status):
    publisher.script = [behaviour.answers(status)]
    with pytest.raises(SourceError, match=str(status)):
        get()
    assert len(publisher.ranges) == 1
    assert get.waits == []


def test_wrong_bytes_are_deleted_and_both_checksums_named(publisher, facts, get):
    publisher.content = bytes(len(publisher.content))
    with pytest.raises(SourceError) as caught:
        get()
    assert facts.sha256 in str(caught.value)
    assert hashlib.sha256(publisher.content).hexdigest() in str(caught.value)
    assert not get.part.exists()
    assert not get.target.exists()
    assert len(publisher.ranges) == 1


def test_a_damaged_earlier_part_costs_one_more_attempt(publisher, get):
    get.part.parent.mkdir()
    get.part.write_bytes(b"\0" * 1000 + b"damaged")
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == ["bytes=1007-", None]


def test_a_part_that_is_already_whole_needs_no_server(publisher, get):
    get.part.parent.mkdir()
    get.part.write_bytes(publisher.content)
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == []


def test_a_part_that_is_too_long_is_thrown_away(publisher, get):
    get.part.parent.mkdir()
    get.part.write_bytes(publisher.content + b"x")
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == [None]


def test_a_changed_file_under_the_final_name_is_replaced(publisher, get):
    get.target.parent.mkdir()
    get.target.write_bytes(b"changed")
    assert get().read_bytes() == publisher.content


@pytest.mark.parametrize("length", [True, False])
def test_more_bytes_than_published_are_refused(publisher, get, behaviour, length):
    publisher.script = [behaviour.serves(publisher.content + b"more", length=length)]
    with pytest.raises(SourceError, match="more than the 1024000 bytes"):
        get()
    assert not get.part.exists()


def test_a_short_answer_without_a_length_is_gone_on_from(publisher, get, behaviour):
    publisher.script = [behaviour.serves(publisher.content[:5000], length=False)]
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == [None, "bytes=5000-"]


def test_an_encoded_answer_is_decoded(publisher, get, behaviour):
    publisher.script = [behaviour.serves(publisher.content, encoding="gzip")]
    assert get().read_bytes() == publisher.content


def test_another_part_than_asked_for_is_not_appended(publisher, get, behaviour):
    publisher.script = [behaviour.breaks_after(300_000), behaviour.another_part]
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == [None, "bytes=300000-", None]


def test_a_silent_server_is_given_up_and_asked_again(publisher, get, behaviour):
    publisher.script = [behaviour.stalls(1.5)]
    assert get(timeout=0.3).read_bytes() == publisher.content
    publisher.script = [behaviour.stalls(1.5)]
    get.target.unlink()
    with pytest.raises(SourceError, match="10 of 1024000"):
        get(timeout=0.3, attempts=1)


def test_no_server_at_all(facts, tmp_path):
    patience = Patience(attempts=2, pause=0.0)
    with pytest.raises(SourceError, match=r"(?s)can't be reached.*--source sample"):
        download("http://127.0.0.1:1/trace.jsonl", facts, tmp_path, patience)


KILLED = """
import sys
from pathlib import Path
from pearl.datasets.download import download
from pearl.provenance import FileFacts
url, sha256, byte_count, folder = sys.argv[1:]
facts = FileFacts(name="trace.jsonl", sha256=sha256, byte_count=int(byte_count))
download(url, facts, Path(folder))
"""


def test_kill_in_the_middle_then_resume(publisher, facts, get):
    sent = 400_000

    def slow(state, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(state.content)))
        handler.end_headers()
        handler.wfile.write(state.content[:sent])
        handler.wfile.flush()
        time.sleep(60)

    publisher.script = [slow]
    words = [f"{publisher.url}/trace.jsonl", facts.sha256, str(facts.byte_count)]
    command = [sys.executable, "-c", KILLED, *words, str(get.part.parent)]
    child = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    try:
        deadline = time.monotonic() + 30
        while not (get.part.exists() and get.part.stat().st_size > 100_000):
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    kept = get.part.stat().st_size
    assert 0 < kept <= sent
    assert not get.target.exists()
    assert get().read_bytes() == publisher.content
    assert publisher.ranges == [None, f"bytes={kept}-"]


@pytest.fixture
def get_open(publisher, tmp_path):
    """Download a file of which its publisher tells the name alone, or a checksum without a size."""

    def run(sha256=None):
        published = PublishedFile(name="survey.jsonl", sha256=sha256)
        patience = Patience(pause=0.0, timeout=5.0)
        return download(f"{publisher.url}/survey.jsonl", published, tmp_path / "down", patience)

    return run


@pytest.mark.parametrize("known", [True, False])
def test_without_a_published_size_the_servers_announcement_tells_the_end(
    publisher, get_open, behaviour, known
):
    publisher.script = [behaviour.breaks_after(300_000), behaviour.breaks_after(200_000)]
    digest = hashlib.sha256(publisher.content).hexdigest()
    file = get_open(digest if known else None)
    assert file.read_bytes() == publisher.content
    assert publisher.ranges == [None, "bytes=300000-", "bytes=500000-"]
    assert get_open(digest if known else None) == file
    assert len(publisher.ranges) == 3


def test_a_published_checksum_is_checked_without_a_size(publisher, get_open):
    with pytest.raises(SourceError, match="other bytes than were published"):
        get_open("0" * 64)


def test_a_file_of_unknown_length_and_checksum_is_refused(publisher, get_open, behaviour):
    publisher.script = [behaviour.serves(b"{}", length=False)]
    with pytest.raises(SourceError, match="doesn't say how long"):
        get_open()


def test_what_was_whole_before_a_kill_is_asked_for_again(publisher, get_open, tmp_path):
    part = tmp_path / "down" / "survey.jsonl.part"
    part.parent.mkdir()
    part.write_bytes(publisher.content)
    assert get_open().read_bytes() == publisher.content
