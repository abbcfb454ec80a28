"""What the system refuses and what a terminal lacks end as words, never as a traceback."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pearl.cli.app
from flows import experiment as stage
from pearl import files
from pearl.cli import main, without_traceback
from pearl.errors import SettingError, of_system
from pearl.project import Project


def end_of(error: BaseException) -> int | str | None:
    with pytest.raises(SystemExit) as caught, without_traceback():
        raise error
    return caught.value.code


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "can't be written: No space left on device"),
        (errno.EDQUOT, "can't be written: Disk quota exceeded"),
        (errno.EROFS, "can't be read or written: Read-only file system"),
        (errno.EACCES, "can't be read or written: Permission denied"),
    ],
)
def test_a_disk_that_refuses(number: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert end_of(OSError(number, os.strerror(number), "/place/file")) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: /place/file {said}.")
    assert "choose another folder; finished runs are kept" in printed
    assert end_of(OSError(number, os.strerror(number))) == 1
    assert capsys.readouterr().err.startswith(f"error: A file {said}.")


def test_a_really_full_device(capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(SystemExit), without_traceback(), open("/dev/full", "w") as full:
        full.write("x" * 100_000)
    assert "No space left on device" in capsys.readouterr().err


def test_a_full_disk_names_the_file_that_was_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "curve.parquet"
    with pytest.raises(SystemExit), without_traceback(), files.whole_file(target):
        raise OSError(errno.ENOSPC, "as pyarrow says it")
    assert capsys.readouterr().err.startswith(f"error: {target} can't be written: No space left")


def test_a_path_that_leads_nowhere_is_the_users_if_they_named_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for named in (tmp_path / "absent", tmp_path / "file" / "below"):
        with pytest.raises(OSError) as caught:  # noqa: PT011, its class differs
            named.read_bytes()
        assert of_system(caught.value) is None
        assert of_system(caught.value, ["", str(tmp_path / "other")]) is None
        monkeypatch.setattr(sys, "argv", ["pearl", "report", f"--output={named.parent}"])
        assert end_of(caught.value) == 1
        assert f"{named} can't be reached" in capsys.readouterr().err
        monkeypatch.setattr(sys, "argv", ["pearl", "report"])
        with pytest.raises(OSError, match=str(named)), without_traceback():
            raise caught.value
        monkeypatch.setenv("PEARL_DATA_MIRROR", str(named))
        assert end_of(caught.value) == 1
        monkeypatch.delenv("PEARL_DATA_MIRROR")


def test_a_read_only_samples_folder(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(self: Path, *words: object, **more: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))

    monkeypatch.setattr(files.Path, "mkdir", refused)
    monkeypatch.setattr(sys, "argv", ["pearl", "data", "sample"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: {project.samples}")
    assert "Read-only file system" in printed


def test_pearls_own_errors_and_a_stop(capsys: pytest.CaptureFixture[str]) -> None:
    assert end_of(SettingError("wrong", remedy="right")) == 1
    assert capsys.readouterr().err == "error: wrong\n  right\n"
    assert end_of(KeyboardInterrupt()) == 130


def test_a_bug_keeps_its_traceback() -> None:
    for bug in (ValueError("a bug"), OSError(errno.EIO, "a bug", "file"), OSError("a bug")):
        with pytest.raises(type(bug), match="a bug"), without_traceback():
            raise bug


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_the_characters(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    monkeypatch.setattr(pearl.cli.app, "app", lambda: print("M · σ …", flush=True))
    main()
    assert raw.getvalue().startswith(b"M ")


@pytest.mark.parametrize("word", ["abc", "0", "-1", "1.5", "\u0663", "9" * 5000])
def test_workers_that_are_no_count(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("PEARL_WORKERS", word)
    with pytest.raises(SettingError, match=r"PEARL_WORKERS=.* is no count"):
        stage.worker_count()


def test_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEARL_WORKERS", "3")
    assert stage.worker_count() == 3
    for unset in ("", " "):
        monkeypatch.setenv("PEARL_WORKERS", unset)
        assert stage.worker_count() == len(os.sched_getaffinity(0))


def test_the_stage_says_what_is_wrong_without_a_traceback(project: Project) -> None:
    root = Path(__file__).resolve().parents[2]
    for variables, said in (
        ({"PEARL_WORKERS": "abc"}, "PEARL_WORKERS=abc"),
        ({"PEARL_HOME": str(project.root / "nowhere")}, "is no pearl project"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "flows.experiment", "toy/trial"],
            cwd=project.root,
            env={**os.environ, "PYTHONPATH": str(root), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert said in done.stderr
