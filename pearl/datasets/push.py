"""Push what DVC tracks to a folder, unless a licence forbids passing it on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pearl.datasets.registry import DATASETS
from pearl.errors import PearlError
from pearl.project import Project
from pearl.provenance import FILE_NAME as PROVENANCE
from pearl.provenance import Provenance

REMOTE = "pearl-folder"


def noncommercial(project: Project) -> list[str]:
    """Name the data sets whose publisher's files would be pushed against a non-commercial licence.

    A folder that DVC tracks but whose provenance isn't here counts as the publisher's.
    """
    found = []
    lock = project.root / "dvc.lock"
    tracked = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    for name, entry in DATASETS.items():
        for folder in (room / name for room in (project.raw, project.tables, project.embeddings)):
            if (folder / PROVENANCE).is_file():
                allowed = Provenance.read(folder).commercial
            else:
                allowed = entry.manifest.commercial or f"{folder.parent.name}/{name}" not in tracked
            if not allowed and name not in found:
                found.append(name)
    return found


def push(project: Project, folder: Path, *, allow_noncommercial: bool = False) -> None:
    """Run `dvc push` to a folder, which becomes the remote "pearl-folder" of this clone alone.

    Raises:
        PearlError: a data set's licence is non-commercial and nobody said that it may be pushed;
            or dvc fails.
    """
    refused = noncommercial(project)
    if refused and not allow_noncommercial:
        licences = ", ".join(f"{name} ({DATASETS[name].manifest.licence})" for name in refused)
        raise PearlError(
            f"Not pushed: the licence forbids commercial use of {licences}.",
            remedy="Where the folder's readers may use it so, add --allow-noncommercial.",
        )
    target = str(folder.expanduser().absolute())
    _dvc(project, "remote", "add", "--local", "--force", REMOTE, target)
    _dvc(project, "push", "--remote", REMOTE)
    print(f"In another clone: dvc remote add --local {REMOTE} {target} && dvc pull -r {REMOTE}")


def _dvc(project: Project, *words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "dvc", *words], cwd=project.root, check=False)
    if done.returncode:
        raise PearlError(
            f"`dvc {' '.join(words)}` ended with exit code {done.returncode}.",
            remedy="What dvc printed above says why; `dvc doctor` shows its set-up.",
        )
