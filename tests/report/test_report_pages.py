import csv
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from pearl.cli.report import report
from pearl.errors import PearlError
from pearl.project import Project
from pearl.report.build import build

Put = Callable[[pd.DataFrame, str], Path]
MAIN = {"profile": "sample", "source": "sample", "horizon": 20_000, "memory": 60}
COLUMNS = (
    "experiment,profile,row,column,measured,ci_low,ci_high,ci_method,n_seeds,published,delta,"
    "verdict,data_source,run_keys"
)


@pytest.fixture
def run() -> Callable[..., str]:
    app = typer.Typer()
    app.command()(report)

    def call(*words: str) -> str:
        done = CliRunner().invoke(app, list(words), catch_exceptions=False)
        assert done.exit_code == 0
        return done.output

    return call


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_the_stage_writes_its_outputs_and_nothing_else(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(**MAIN), "results")
    run("--stage")
    assert set(digests(project.reports)) == {
        "index.html",
        "index.md",
        "tables/memory-figure1e.csv",
        "figures/memory-figure1e.png",
        "figures/memory-figure1e.svg",
        "figures/memory-figure1e.dark.svg",
    }


def test_the_same_rows_give_the_same_bytes_whatever_variants_exist(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(**MAIN), "results")
    run("--stage")
    first = digests(project.reports)
    put(made_up.frame(), "store/results/paper-mirror")
    run("--profile", "paper", "--source", "mirror")
    run("--stage")
    both = digests(project.reports)
    assert {name: both[name] for name in first} == first
    assert "paper-mirror/tables/memory-figure1e.csv" in both


def test_order_of_rows_and_process_change_no_byte(project: Project, made_up: ModuleType) -> None:
    frame, made = made_up.frame(), []
    for number, rows in enumerate((frame, frame.iloc[::-1])):
        folder = project.root / f"rows{number}"
        folder.mkdir()
        rows.to_parquet(folder / "memory-figure1e.parquet")
        output = project.reports / f"paper-{number}"
        build(project, profile="paper", source="mirror", results_folder=folder, output=output)
        made.append(digests(output))
    (project.store / "results").mkdir(parents=True)
    (project.root / "rows1").rename(project.store / "results/paper-mirror")
    again = "from pearl.cli.report import report; report('paper', 'mirror', False)"
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", again], check=True, cwd=project.root, env=environment)
    made.append(digests(project.reports / "paper-mirror"))
    assert made[0] == made[1] == made[2]


def test_csv(project: Project, put: Put, run: Callable[..., str], made_up: ModuleType) -> None:
    frame = made_up.frame()
    put(frame, "store/results/paper-mirror")
    run("--profile", "paper", "--source", "mirror")
    file = project.reports / "paper-mirror/tables/memory-figure1e.csv"
    assert file.read_text().splitlines()[0] == COLUMNS
    rows = list(csv.DictReader(file.open()))
    assert {row["profile"] for row in rows} == {"paper"}
    assert {row["data_source"] for row in rows} == {"mirror"}
    keys = {key[:12] for key in frame["key"]}
    for row in rows:
        assert set(row["run_keys"].split(";")) <= keys
    at = {(row["row"], row["column"]): row for row in rows}
    assert len(at) == len(rows)
    final = frame[frame["method"] == "rsm_linucb"]["metric.final_regret"].mean()
    regret = at["RSM-LinUCB", "regret at t=100000"]
    assert float(regret["measured"]) == pytest.approx(final, rel=1e-5)
    assert (regret["ci_method"], regret["n_seeds"]) == ("Student t", "3")
    bound = at["Myopic LinUCB", "reduction by RSM-LinUCB (%)"]
    assert (bound["published"], bound["verdict"]) == ("20", "reproduced")
    assert float(bound["delta"]) == pytest.approx(float(bound["measured"]) - 20, abs=1e-4)
    assert at["instance", "actions"]["published"] == "855"
    assert ("Myopic LinUCB", "BH q (table, m=5)") in at
    assert ("Myopic LinUCB", "BH q (paper, m=5)") in at


def test_pages_ask_nothing_of_the_network_and_hold_no_path_of_this_machine(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(**MAIN), "results")
    run("--stage")
    for file in project.reports.rglob("*"):
        if file.suffix in (".html", ".md", ".csv"):
            assert str(project.root) not in file.read_text()
    page = (project.reports / "index.html").read_text()
    wanted = re.findall(r"""(?:src|href|srcset)=["']([^"']*)["']""", page)
    assert wanted
    for address in wanted:
        assert not re.match(r"[a-z]+:|//", address), address
        if not address.startswith("#") and address != "variants.js":
            assert (project.reports / address).is_file(), address
    assert "@import" not in page
    assert "url(" not in page


def test_sample_data_is_said_everywhere(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(**MAIN), "results")
    run("--stage")
    label = "sample data made by pearl&#39;s generator, not Mooncake"
    page = (project.reports / "index.html").read_text()
    assert label in page
    assert "Sample data." in page
    assert "Sample data." in (project.reports / "index.md").read_text()
    assert "Intervals cover seeds, not new users or request streams." in page


def test_the_page_names_what_the_numbers_stand_on(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    frame = made_up.frame()
    frame["fact.split_label"] = "reconstructed from the published counts"
    put(frame, "store/results/paper-mirror")
    run("--profile", "paper", "--source", "mirror")
    for name in ("index.html", "index.md"):
        page = (project.reports / "paper-mirror" / name).read_text()
        for text in ("ab" * 32, "Apache-2.0", "reconstructed from the published counts"):
            assert text in page
        assert frame["key"].iloc[0][:12] in page
        assert f"../{name}" in page
        assert "Sample data." not in page


def test_variants_are_listed(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(), "store/results/paper-mirror")
    run("--profile", "paper", "--source", "mirror")
    assert '"folder": "paper-mirror"' in (project.reports / "variants.js").read_text()
    assert "(paper-mirror/index.md)" in (project.reports / "variants.md").read_text()


def test_the_main_report_is_left_to_dvc(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(**MAIN), "results")
    for words in ((), ("--profile", "sample"), ("--source", "sample")):
        assert "reports/index.html" in run(*words)
    assert set(digests(project.reports)) == {"variants.js", "variants.md"}


def test_no_results_names_the_command(project: Project, run: Callable[..., str]) -> None:
    with pytest.raises(PearlError) as caught:
        run("--profile", "paper", "--source", "mirror")
    command = "pearl run memory/figure1e --profile paper --source mirror"
    assert command in caught.value.remedy


def test_results_of_another_variant_are_refused(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    put(made_up.frame(**MAIN), "store/results/paper-mirror")
    with pytest.raises(PearlError, match="this report is of profile paper on source mirror"):
        run("--profile", "paper", "--source", "mirror")
    put(made_up.frame(), "results")
    with pytest.raises(PearlError, match="this report is of profile sample"):
        run("--stage")
