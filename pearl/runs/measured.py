"""What was measured without a run: an exhibit's values as a Parquet file of steady bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pearl.errors import DataError
from pearl.files import whole_file
from pearl.provenance import Provenance
from pearl.runs.canonical import canonical

SCHEMA = pa.schema(
    [
        ("exhibit", pa.string()),
        ("profile", pa.string()),
        ("data_source", pa.string()),
        ("provenance", pa.string()),
        ("quantity", pa.string()),
        ("name", pa.string()),
        ("value", pa.float64()),
    ]
)
REMEDY = "Make it with `dvc repro` or `pearl run`."


@dataclass(frozen=True)
class Measured:
    """Values by quantity and name, with what they were measured in.

    Nine significant digits of each value are kept: what is the same on every machine.
    """

    exhibit: str
    profile: str
    source: str
    provenance: Provenance
    values: Mapping[str, Mapping[str, float]]

    def summary(self, name: str) -> float:
        """Return a value of the quantity "summary"."""
        return self.values["summary"][name]

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        about = {
            "exhibit": self.exhibit,
            "profile": self.profile,
            "data_source": self.source,
            "provenance": canonical(self.provenance.model_dump(mode="json")),
        }
        rows = [
            {**about, "quantity": quantity, "name": name, "value": float(f"{value:.9g}")}
            for quantity, named in self.values.items()
            for name, value in named.items()
        ]
        with whole_file(path) as temporary:
            pq.write_table(pa.Table.from_pylist(rows, SCHEMA), temporary, compression="zstd")

    @classmethod
    def read(cls, path: Path) -> Measured:
        """Read what `write` wrote; DataError where it is missing, damaged or something else."""
        if not path.is_file():
            raise DataError(path, "there is no such file", remedy=REMEDY)
        try:
            table = pq.read_table(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(path, f"not readable as Parquet: {error}", remedy=REMEDY) from error
        rows = table.to_pylist() if table.schema.equals(SCHEMA) else []
        if not rows:
            raise DataError(path, "not what an exhibit measured", remedy=REMEDY)
        values: dict[str, dict[str, float]] = {}
        for row in rows:
            values.setdefault(row["quantity"], {})[row["name"]] = row["value"]
        first = rows[0]
        return cls(
            exhibit=first["exhibit"],
            profile=first["profile"],
            source=first["data_source"],
            provenance=Provenance.model_validate_json(first["provenance"]),
            values=values,
        )
