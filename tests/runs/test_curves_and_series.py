"""Further curves and series of a run: kept, sealed, checked, compared, and in the rows."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import MACHINE, planned, trajectory

from pearl.errors import PearlError
from pearl.project import Project
from pearl.runs import CorruptRunError, DivergedError, PlannedRun, RunStore, results
from pearl.runs.comparing import differences
from pearl.runs.failures import check_finite
from pearl.runs.stored import FILES, SEAL, SERIES, read_run, write_run
from pearl.simulation.trajectory import Trajectory

floats = st.floats(allow_nan=False, allow_infinity=False)


def rich() -> Trajectory:
    return replace(
        trajectory(),
        curves={"reward": np.linspace(0.1, 0.6, 20)},
        series={"epoch/reward": np.array([0.4, 1 / 3]), "recovery/t": np.zeros(0)},
    )


@pytest.fixture
def store(project: Project) -> RunStore:
    return RunStore.of(project)


def test_they_come_back_as_they_were(store: RunStore) -> None:
    stored = store.write(planned(), rich(), MACHINE)
    assert stored.curves().keys() == {"reward"}
    np.testing.assert_array_equal(stored.curves()["reward"], rich().curves["reward"])
    assert {name: each.tolist() for name, each in stored.series().items()} == {
        "epoch/reward": [0.4, 1 / 3],
        "recovery/t": [],
    }


@given(st.dictionaries(st.text(min_size=1), st.lists(floats)))
def test_any_series_come_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, named: dict[str, list[float]]
) -> None:
    run = planned()
    folder = tmp_path_factory.mktemp("runs") / run.key
    series = {name: np.array(values) for name, values in named.items()}
    write_run(folder, run, replace(trajectory(), series=series), MACHINE)
    found = read_run(folder).series()
    assert {name: each.tobytes() for name, each in found.items()} == {
        name: each.tobytes() for name, each in series.items()
    }


@pytest.mark.parametrize("harm", ["cut", "gone", "put there"])
def test_damaged_series_are_named(store: RunStore, harm: str) -> None:
    run = planned()
    made = trajectory() if harm == "put there" else rich()
    file = store.write(run, made, MACHINE).folder / SERIES
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-3])
    elif harm == "gone":
        file.unlink()
    else:
        pq.write_table(pa.table({"name": ["x"], "values": [[1.0]]}), file)
    with pytest.raises(CorruptRunError, match=SERIES):
        store.read(run.key)


def test_runs_of_earlier_versions_are_read(store: RunStore) -> None:
    run = planned()
    folder = store.write(run, trajectory(), MACHINE).folder
    assert {file.name for file in folder.iterdir()} == {*FILES, SEAL}
    content = json.loads((folder / "run.json").read_text())
    for name in ("horizon_unit", "variant", "pretrain", "network"):
        del content[name]
    assert PlannedRun.model_validate({n: v for n, v in content.items() if n != "key"}) == run
    assert store.read(run.key).series() == {}
    assert store.read(run.key).curves() == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"curves": {"reward": np.full(20, np.nan)}}, "reward is nan in round 1"),
        ({"series": {"epoch/reward": np.array([0.1, np.inf])}}, "epoch/reward is inf in place 2"),
    ],
)
def test_what_is_not_finite_is_refused(store: RunStore, change: dict, words: str) -> None:
    with pytest.raises(DivergedError, match=words):
        store.write(planned(), replace(trajectory(), **change), MACHINE)
    assert store.all_keys() == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"curves": {"reward": np.zeros(19)}}, "reward has shape"),
        ({"series": {"x": np.zeros((2, 2))}}, "x has shape"),
        ({"curves": {"regret": np.zeros(20)}}, "name regret"),
        ({"series": {"final_regret": np.zeros(2)}}, "name final_regret"),
    ],
)
def test_wrong_shapes_and_names_are_refused(change: dict, words: str) -> None:
    with pytest.raises(PearlError, match=words):
        check_finite(planned(), replace(trajectory(), **change))


def test_epochs_may_have_any_number_of_rounds() -> None:
    check_finite(planned(horizon=2, horizon_unit="epochs"), rich())
    with pytest.raises(PearlError, match="regret has shape"):
        check_finite(planned(horizon=2), rich())
    nothing = Trajectory(np.zeros(0), np.zeros(0, dtype=np.int64))
    with pytest.raises(PearlError, match="regret has shape"):
        check_finite(planned(horizon=2, horizon_unit="epochs"), nothing)


def test_differences_are_told_curve_by_curve(store: RunStore) -> None:
    stored = store.write(planned(), rich(), MACHINE)
    assert differences(stored, rich()) == ()
    reward = rich().curves["reward"].copy()
    reward[3] = np.nextafter(reward[3], 1)
    other = replace(rich(), curves={"reward": reward}, series={"epoch/reward": np.zeros(2)})
    told = [word.split(":")[0] for word in differences(stored, other)]
    assert told == ["reward", "epoch/reward", "series recovery/t"]


def test_rows_thin_curves_and_keep_series_with_nine_digits(
    project: Project, tmp_path: Path
) -> None:
    run = planned(horizon=2, horizon_unit="epochs", variant="wide")
    long = trajectory(5_000)
    made = replace(
        long, curves={"reward": np.sqrt(np.arange(5_000.0))}, series={"s": np.array([1 / 3])}
    )
    row = results.row(RunStore.of(project).write(run, made, MACHINE), run)
    plain = results.row(RunStore.of(project).write(planned(), trajectory(), MACHINE), planned())
    results.write(tmp_path / "x.parquet", [row, plain])
    frame = results.read(tmp_path / "x.parquet").set_index("variant")
    wide = frame.loc["wide"]
    assert wide["curve_t"][-1] == 5_000
    assert len(wide["curve_t"]) <= 200
    expected = [float(f"{np.sqrt(t - 1):.9g}") for t in wide["curve_t"]]
    assert wide["curve.reward"].tolist() == expected
    assert wide["series.s"].tolist() == [0.333333333]
    assert frame.loc[""]["curve.reward"] is None
    columns = {"curve_t", "curve_regret", "episode_starts", "curve.reward", "series.s"}
    assert set(results.list_columns(frame)) == columns


def test_files_of_earlier_versions_have_no_variants(project: Project, tmp_path: Path) -> None:
    row = results.row(RunStore.of(project).write(planned(), trajectory(), MACHINE), planned())
    table = results.table([row]).drop_columns(["variant", "network"])
    pq.write_table(table, tmp_path / "old.parquet")
    found = results.read(tmp_path / "old.parquet")
    assert found[["variant", "network"]].iloc[0].tolist() == ["", ""]
