"""Where a project is, and where its folders are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pearl.errors import PearlError
from pearl.yaml_files import read_mapping

MARKS = ("dvc.yaml", "params.yaml")


@dataclass(frozen=True)
class Project:
    """The folder that holds dvc.yaml and params.yaml, and what stands in it."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """Return the project at PEARL_HOME, else at the nearest parent of `start`.

        Args:
            start: a folder inside the project; the working folder by default.

        Raises:
            PearlError: PEARL_HOME isn't a project, or no parent is one.
        """
        home = os.environ.get("PEARL_HOME")
        if home:
            root = Path(home).expanduser().resolve()
            missing = [mark for mark in MARKS if not (root / mark).is_file()]
            if missing:
                raise PearlError(
                    f"PEARL_HOME={home} is no pearl project: no {' and no '.join(missing)} in it.",
                    remedy="Let PEARL_HOME name a clone of pearl, or unset it and work inside one.",
                )
            return cls(root)
        here = (start or Path.cwd()).resolve()
        for folder in (here, *here.parents):
            if all((folder / mark).is_file() for mark in MARKS):
                return cls(folder)
        raise PearlError(
            f"No pearl project at {here} or above it: a project holds dvc.yaml and params.yaml.",
            remedy="Change into a clone of pearl, or let the variable PEARL_HOME name one.",
        )

    @property
    def samples(self) -> Path:
        """Manifests and small samples, in git."""
        return self.root / "samples"

    @property
    def data(self) -> Path:
        """What data.dvc imports from samples/."""
        return self.root / "data"

    @property
    def raw(self) -> Path:
        """Publishers' files, made by the fetch stages."""
        return self.root / "raw"

    @property
    def tables(self) -> Path:
        """Typed tables, made by the build stages."""
        return self.root / "tables"

    @property
    def embeddings(self) -> Path:
        """Vectors of the tables' texts, made by the embed stages."""
        return self.root / "embeddings"

    @property
    def results(self) -> Path:
        """One Parquet file an experiment, made by the experiment stages alone."""
        return self.root / "results"

    @property
    def store(self) -> Path:
        """Finished runs, data variants and locks; append-only, outside DVC."""
        return self.root / "store"

    @property
    def mlruns(self) -> Path:
        """The MLflow store and its artifacts."""
        return self.root / "mlruns"

    @property
    def reports(self) -> Path:
        """Pages, figures and tables for people."""
        return self.root / "reports"

    @property
    def params_file(self) -> Path:
        """The settings that DVC watches."""
        return self.root / "params.yaml"

    def params(self) -> dict[str, Any]:
        """Return params.yaml as written; its names and values are unchecked.

        Raises:
            SettingError: the file is empty, isn't YAML in UTF-8, or not a mapping.
        """
        return read_mapping(self.params_file)
