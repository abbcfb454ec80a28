import gzip
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from made_prism import write_made_sample

from pearl.datasets.dataset import FullSample
from pearl.datasets.mooncake.sample import make_trace
from pearl.datasets.mooncake.trace import MooncakeTrace
from pearl.datasets.prism.entry import PRISM, TEXT
from pearl.datasets.registry import DATASETS
from pearl.project import Project

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Publisher:
    """A publisher on 127.0.0.1: each request takes the next behaviour, then all are honest."""

    content: bytes
    script: list[Callable[["Publisher", BaseHTTPRequestHandler], None]] = field(
        default_factory=list
    )
    ranges: list[str | None] = field(default_factory=list)
    url: str = ""


def honest(publisher: Publisher, handler: BaseHTTPRequestHandler, *, most: int | None = None):
    """Serve what Range asks for; `most` bytes of it, then break the connection."""
    asked = handler.headers["Range"]
    start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
    body = publisher.content[start:]
    handler.send_response(206 if asked else 200)
    if asked:
        end = len(publisher.content)
        handler.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[:most])


def breaks_after(count: int):
    return lambda publisher, handler: honest(publisher, handler, most=count)


def ignores_range(count: int | None = None):
    def serve(publisher, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(publisher.content)))
        handler.end_headers()
        handler.wfile.write(publisher.content[:count])

    return serve


def answers(status: int):
    return lambda publisher, handler: handler.send_error(status)


def stalls(seconds: float):
    def serve(publisher, handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(publisher.content)))
        handler.end_headers()
        handler.wfile.write(publisher.content[:10])
        time.sleep(seconds)

    return serve


def serves(body: bytes, *, encoding: str = "", length: bool = True):
    def serve(publisher, handler):
        handler.send_response(200)
        sent = gzip.compress(body) if encoding else body
        if encoding:
            handler.send_header("Content-Encoding", encoding)
        if length:
            handler.send_header("Content-Length", str(len(sent)))
        handler.end_headers()
        handler.wfile.write(sent)

    return serve


def another_part(publisher, handler):
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes 0-9/{len(publisher.content)}")
    handler.send_header("Content-Length", "10")
    handler.end_headers()
    handler.wfile.write(publisher.content[:10])


BEHAVIOURS = {
    "another_part": another_part,
    "answers": answers,
    "breaks_after": breaks_after,
    "ignores_range": ignores_range,
    "serves": serves,
    "stalls": stalls,
}


@pytest.fixture
def behaviour():
    """The ways in which a server may behave, by name."""
    return type("Behaviour", (), {name: staticmethod(f) for name, f in BEHAVIOURS.items()})


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    state = Publisher(content=bytes(range(256)) * 4000)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.ranges.append(self.headers["Range"])
            serve = state.script.pop(0) if state.script else honest
            serve(state, self)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def sample_trace() -> MooncakeTrace:
    return make_trace()


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "mooncake"
    DATASETS["mooncake"].write_sample(folder)
    return folder


@pytest.fixture
def project(tmp_path: Path, sample_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of its own with Mooncake alone: its sample in samples/ and in data/, no mirror."""
    monkeypatch.delitem(DATASETS, "prism")
    root = tmp_path / "project"
    for name in ("samples", "data"):
        folder = root / name / "mooncake"
        folder.mkdir(parents=True)
        for file in sample_folder.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
    (root / "dvc.yaml").write_text("stages: {}\n")
    settings = {"profile": "sample", "sources": {"mooncake": None}}
    (root / "params.yaml").write_text(yaml.safe_dump(settings))
    monkeypatch.delenv("PEARL_DATA_MIRROR", raising=False)
    monkeypatch.setenv("PEARL_HOME", str(root))
    return Project(root)


def made_sample(folder: Path) -> None:
    write_made_sample(folder, TEXT)


def made_full_sample(folder: Path) -> None:
    write_made_sample(folder, TEXT, users=9)


@pytest.fixture
def prism_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with PRISM alone: made-up files as its samples, and no mirror named."""
    monkeypatch.delitem(DATASETS, "mooncake")
    full = FullSample(version="made-up", write=made_full_sample)
    entry = replace(PRISM, write_sample=made_sample, full_sample=full, compare=None)
    monkeypatch.setitem(DATASETS, "prism", entry)
    root = tmp_path / "prism project"
    for name in ("samples", "data"):
        made_sample(root / name / "prism")
    (root / "dvc.yaml").write_text("stages: {}\n")
    (root / "params.yaml").write_text(yaml.safe_dump({"profile": "sample"}))
    monkeypatch.delenv("PEARL_DATA_MIRROR", raising=False)
    monkeypatch.setenv("PEARL_HOME", str(root))
    return Project(root)


@pytest.fixture
def publish(project: Project, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change the publisher's facts, in the registry and beside the project's samples alike."""

    def change(**facts: object) -> None:
        entry = DATASETS["mooncake"]
        manifest = type(entry.manifest).model_validate(entry.manifest.model_dump() | facts)
        monkeypatch.setitem(DATASETS, "mooncake", replace(entry, manifest=manifest))
        for folder in (project.samples, project.data):
            file = folder / "mooncake" / "manifest.yaml"
            file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | facts))

    return change


@pytest.fixture(scope="session")
def real_file() -> Path:
    file = ROOT.parent / "shared" / "data" / "mooncake" / "conversation_trace.jsonl"
    if not file.is_file():
        pytest.skip("the publisher's trace isn't beside the project (../shared/data)")
    return file
