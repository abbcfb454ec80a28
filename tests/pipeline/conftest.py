"""A clone of this project in which `make reproduce` has run once on the smoke profile."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Clone:
    root: Path

    def run(self, *command: str, check: bool = True, **variables: str) -> str:
        """Run a command inside the clone with this interpreter's programs on the PATH."""
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.root),
            "COLUMNS": "160",
            **variables,
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise AssertionError(f"{command} failed:\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def commit(self, message: str) -> None:
        self.run("git", "add", "--all")
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
        self.run("git", *identity, "commit", "--quiet", "--message", message)


def clone_project(target: Path) -> Clone:
    """Copy every file that git knows or would add, and commit them in a new repository."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    clone = Clone(target)
    clone.run("git", "init", "--quiet", "--initial-branch=main")
    clone.commit("clone")
    return clone


def set_profile(clone: Clone, profile: str) -> None:
    file = clone.root / "params.yaml"
    file.write_text(re.sub(r"^profile:.*$", f"profile: {profile}", file.read_text(), flags=re.M))


@pytest.fixture
def fresh(tmp_path: Path) -> Clone:
    return clone_project(tmp_path)


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    clone = clone_project(tmp_path_factory.mktemp("project"))
    set_profile(clone, "smoke")
    clone.run("python", "-m", "flows.reproduce")
    clone.commit("reproduced on the smoke profile")
    return clone
