import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from made_runs import MACHINE, planned, trajectory

from pearl.errors import DataError
from pearl.project import Project
from pearl.runs import RunStore, results
from pearl.runs.machine import machine_facts, mixed_versions


def rows(project: Project) -> list[dict]:
    store = RunStore.of(project)
    runs = [planned(seed) for seed in range(3)]
    return [results.row(store.write(run, trajectory(), MACHINE), run) for run in runs]


def test_bytes_depend_on_the_runs_alone(project: Project, tmp_path: Path) -> None:
    made = rows(project)
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    results.write(one, made)
    results.write(other, reversed(made))
    assert one.read_bytes() == other.read_bytes()
    text = one.read_bytes()
    for secret in (b"2026-01-01", b"c0ffee", str(project.root).encode()):
        assert secret not in text


def test_rows_hold_what_the_report_needs(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    results.write(file, rows(project))
    frame = results.read(file)
    assert list(frame["key"]) == sorted(planned(seed).key for seed in range(3))
    first = frame[frame["seed"] == 0].iloc[0]
    assert json.loads(first["settings"]) == {"memory": 2}
    assert (first["experiment"], first["profile"], first["data_source"]) == (
        "toy/trial",
        "smoke",
        "none",
    )
    assert first["metric.final_regret"] == trajectory().regret[-1]
    assert first["fact.word"] == "w"
    np.testing.assert_array_equal(first["curve_t"], np.arange(1, 21))
    np.testing.assert_array_equal(first["curve_regret"], trajectory().regret)
    np.testing.assert_array_equal(first["episode_starts"], [1, 9])


def test_curve_rounds_begin_at_one_and_end_at_t() -> None:
    for horizon in (1, 2, 50, 2_000, 100_000):
        rounds = results.curve_rounds(horizon)
        assert rounds[0] == 1
        assert rounds[-1] == horizon
        assert len(rounds) <= 200
        assert (np.diff(rounds) > 0).all()


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    with pytest.raises(DataError, match="no such file"):
        results.read(file)
    file.write_bytes(b"not parquet at all")
    with pytest.raises(DataError, match="not readable"):
        results.read(file)


def test_metrics_that_a_method_lacks_are_null(project: Project, tmp_path: Path) -> None:
    made = rows(project)
    made[0]["metric.extra"] = 3
    results.write(tmp_path / "x.parquet", made)
    frame = results.read(tmp_path / "x.parquet")
    assert frame["metric.extra"].isna().sum() == 2


def test_machine_facts_are_taken_without_torch(tmp_path: Path) -> None:
    facts = machine_facts(tmp_path)
    assert facts["git_commit"] is None
    assert facts["packages"]["numpy"] == np.__version__
    assert {"numba", "scipy", "torch"} <= set(facts["packages"])
    assert facts["blas"]
    assert facts["cores"] >= 1
    script = (
        "import sys, pathlib\nfrom pearl.runs.machine import machine_facts\n"
        "machine_facts(pathlib.Path('.')); import pearl.sweeps, pearl.tracking.write\n"
        "assert not {'torch', 'mlflow', 'prefect', 'dvc', 'numba'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_mixed_versions_are_seen() -> None:
    other = {**MACHINE, "packages": {**MACHINE["packages"], "numba": "1"}}
    assert mixed_versions([MACHINE, MACHINE]) == {}
    assert mixed_versions([MACHINE, other]) == {"numba": ("0", "1")}
