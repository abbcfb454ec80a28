"""The PEARL family on the page, in the files and on the command line."""

import csv
import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import made_up_pearl as made_rows
import numpy as np
import pandas as pd
import pytest

from pearl.experiments import load_experiment
from pearl.project import Project
from pearl.report.claims import load_paper
from pearl.report.contrasts import Point
from pearl.report.kinds import kind_of
from pearl.report.rewards.lines import mean_and_error
from pearl.report.rows import read_rows
from pearl.report.settings import ReportSettings
from pearl.runs import results

Run = Callable[..., str]
PAGES = ("index.html", "index.md")
PAPER = ("pearl.html", "pearl.md")
OF_REGISTRY = ("pearl-table03", "pearl-theory")
SAMPLE = {
    "profile": "sample",
    "source": "sample",
    "seeds": range(42, 47),
    "base": {**made_rows.PRISM, "update_interval": None},
}


def put(frames: Iterable[pd.DataFrame], project: Project) -> None:
    """Leave rows where `pearl run` does."""
    for frame in frames:
        first = frame.iloc[0]
        folder = project.store / "results" / f"{first['profile']}-{first['data_source']}"
        name = str(first["experiment"]).replace("/", "-")
        rows = [
            {key: value for key, value in row.items() if not is_missing(value)}
            for row in frame.to_dict("records")
        ]
        results.write(folder / f"{name}.parquet", rows)


def is_missing(value: object) -> bool:
    return isinstance(value, float) and value != value


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def read(file: Path) -> str:
    text = file.read_text().replace("&#39;", "'").replace("&lt;", "<").replace("&#34;", '"')
    return text.replace("&amp;", "&")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, run: Run) -> SimpleNamespace:
    """Reports of all experiments: paper-hub and sample-sample, neither of them the main one."""
    root = tmp_path_factory.mktemp("rewards") / "project"
    root.mkdir()
    (root / "dvc.yaml").write_text("{}\n")
    (root / "params.yaml").write_text("profile: smoke\nreport: {resamples: 999}\n")
    project = Project(root)
    put(made_rows.all_frames().values(), project)
    put(made_rows.all_frames(**SAMPLE).values(), project)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        said = run("--profile", "paper"), run("--profile", "sample")
    reports = project.reports
    return SimpleNamespace(
        project=project, hub=reports / "paper-hub", sample=reports / "sample-sample", said=said
    )


def test_another_profile_has_a_folder_of_its_own(
    made: SimpleNamespace,
) -> None:
    paper, sample = made.said
    assert (
        "wrote reports/paper-hub/index.html: pearl/table03, pearl/table05, pearl/table06" in paper
    )
    assert "pearl/table08" in paper
    assert "profile sample, source sample" in sample
    assert "wrote reports/sample-sample/index.html" in sample
    assert not (made.project.reports / "index.html").exists()


def test_the_simulation_alone_makes_a_report(project: Project, run: Run) -> None:
    put([made_rows.table08()], project)
    said = run("--profile", "paper")
    assert "wrote reports/paper-hub/index.html: pearl/table03, pearl/table08, pearl/theory" in said
    page = read(project.reports / "paper-hub/pearl.html")
    assert "data source <b>none</b>: simulated, no data set" in page
    assert "<code>pearl run pearl/table05</code>" in page
    assert re.search(r"[0-9]+ numbers and [0-9]+ other claims of pearl/table05\.", page)
    waiting = {claim.experiment for claim in load_paper("pearl").claims} - {"pearl/table08"}
    assert page.count("not run here</span>") == len(waiting)
    assert "Sample data." not in page


def test_data_sets_of_different_sources_stand_side_by_side(project: Project, run: Run) -> None:
    settings = "profile: sample\nsources: {mooncake: mirror}\nreport: {resamples: 999}\n"
    (project.root / "params.yaml").write_text(settings)
    put([made_rows.table05(**{**SAMPLE, "profile": "paper"}), made_rows.table08()], project)
    said = run("--profile", "paper", "--source", "sample")
    assert (
        "wrote reports/paper-sample/index.html: pearl/table03, pearl/table05, pearl/table08" in said
    )
    put([made_rows.table05()], project)
    said = run("--profile", "paper")
    assert "mooncake: mirror, prism: hub" in said
    assert (
        "wrote reports/paper-mixed/index.html: pearl/table03, pearl/table05, pearl/table08" in said
    )
    assert "paper-mixed" in (project.reports / "variants.md").read_text()


def test_files(made: SimpleNamespace) -> None:
    stems = [one.replace("/", "-") for one in made_rows.all_frames()]
    tables = {f"tables/{stem}.csv" for stem in (*stems, *OF_REGISTRY, "pearl-cost")}
    figures = {
        f"figures/pearl-{name}.{suffix}"
        for name in ("figure3", "figure4")
        for suffix in ("png", "svg", "dark.svg")
    }
    tables.add("tables/pearl-claims.md")
    assert set(digests(made.hub)) == {*PAGES, *PAPER, *tables, *figures}


def test_the_same_rows_give_the_same_bytes(
    made: SimpleNamespace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digests(made.hub)
    monkeypatch.chdir(made.project.root)
    run("--profile", "paper")
    assert digests(made.hub) == before


def test_csv_columns_are_a_contract(made: SimpleNamespace) -> None:
    file = made.hub / "tables/pearl-table05.csv"
    assert file.read_text().splitlines()[0] == (
        "experiment,profile,row,column,measured,ci_low,ci_high,ci_method,n_seeds,published,delta,"
        "verdict,data_source,run_keys"
    )
    rows = list(csv.DictReader(file.open()))
    at = {(row["row"], row["column"]): row for row in rows}
    assert len(at) == len(rows)
    cell = at["f = 0.5", "PEARL"]
    assert (cell["published"], cell["verdict"], cell["n_seeds"]) == (".641", "reproduced", "20")
    assert (cell["ci_method"], cell["data_source"]) == ("BCa", "hub")
    assert len(cell["run_keys"].split(";")) == 20
    simulated = list(csv.DictReader((made.hub / "tables/pearl-table08.csv").open()))
    assert {row["data_source"] for row in simulated} == {"none"}
    assert {row["experiment"] for row in simulated} == {"pearl/table08"}


@pytest.mark.parametrize("name", PAPER)
def test_published_stands_beside_measured(name: str, made: SimpleNamespace) -> None:
    page = read(made.hub / name)
    for printed in (".641", "+.040", "\N{MINUS SIGN}.053", ".066", "4.92", "0.42", "~40%"):
        assert f"paper {printed}" in page
    assert "All 28 printed numbers are reproduced." in page
    assert "Published statements that disagree" in page
    assert "m = 22" in page
    assert "simulated, no data set" in page


@pytest.mark.parametrize("name", PAPER)
def test_sample_sections_are_marked_and_simulated_ones_are_not(
    name: str, made: SimpleNamespace
) -> None:
    page = read(made.sample / name)
    assert "The numbers of the sections marked so come from sample data" in page
    assert "not testable on sample data" in page
    mark = "<h3>" if name.endswith("html") else "### "
    section = page[page.index(f"{mark}Controlled simulation: all preferences inverted") :]
    caption = section[: section.index("simulated, no data set")]
    assert "sample data" not in caption.lower()


def test_pages_ask_nothing_of_the_network_and_show_what_is_there(made: SimpleNamespace) -> None:
    page = (made.hub / "pearl.html").read_text()
    assert str(made.project.root) not in page
    for address in re.findall(r"""(?:src|href|srcset)=["']([^"']*)["']""", page):
        assert not re.match(r"[a-z]+:|//", address), address
        if not address.startswith(("#", "../")):
            assert (made.hub / address).is_file(), address


def test_what_pearl_costs_is_told_without_times(made: SimpleNamespace) -> None:
    rows = list(csv.DictReader((made.hub / "tables/pearl-cost.csv").open()))
    at = {(row["row"], row["column"]): row for row in rows}
    assert float(at["f = 0.5", "parameters"]["measured"]) == 115_457
    seeds = np.arange(42, 62)
    rate = float(at["f = 0.5", "injection rate"]["measured"])
    assert rate == pytest.approx((0.4 + 0.01 * np.sin(seeds)).mean(), rel=1e-5)
    assert at["f = 0.5", "cap rate"]["measured"] == "0"
    assert {row["experiment"] for row in rows} == {"pearl/cost"}
    assert {row["column"] for row in rows} == {"parameters", "injection rate", "cap rate"}


def test_a_band_is_one_standard_error() -> None:
    # 1, 2, 3: s = 1, n = 3; one seed has none
    mean, error = mean_and_error(np.array([[1.0, 4.0], [2.0, 4.0], [3.0, 10.0]]))
    assert mean.tolist() == [2, 6]
    assert error.tolist() == pytest.approx([1 / 3**0.5, 2.0])
    assert mean_and_error(np.array([[1.0, 4.0]]))[1].tolist() == [0, 0]


def test_figures_draw_what_there_is(tmp_path: Path) -> None:
    from pearl.report.figures import figure_of

    frame = made_rows.all_frames()["pearl/figure3"]
    experiment = load_experiment("pearl/figure3")
    kept = frame[(frame["method"] != "greedy") & (frame["seed"] == 42)]
    runs = read_rows(kept, experiment.methods)
    settings = ReportSettings(resamples=999)
    table = kind_of(experiment).estimate(experiment, load_paper("pearl"), runs, settings, 10)
    figure_of("learning_curves", experiment.id).draw(table, tmp_path, "one")
    assert {file.name for file in tmp_path.iterdir()} == {"one.png", "one.svg", "one.dark.svg"}
    assert table.rewards.method_of(Point("greedy").under(flip=0.5)) is None


def test_the_contents_come_first_and_lead_to_every_section(made: SimpleNamespace) -> None:
    page = (made.hub / "pearl.html").read_text()
    top, rest = page.split('<h2 id="claims">')
    assert "published claims" in top
    contents = top[top.index("published claims") :]
    assert set(re.findall(r'href="#([^"]+)"', contents)) >= {
        "claims",
        *re.findall(r'<article id="([^"]+)">', rest),
    }
    assert contents.index("<h4>Tables</h4>") < contents.index("<h4>Figures</h4>")
    markdown = (made.hub / "pearl.md").read_text()
    for anchor in re.findall(r"\]\(#([^)]+)\)", markdown):
        assert f'<a id="{anchor}"></a>' in markdown


def test_run_keys_and_long_notes_are_folded_away(made: SimpleNamespace) -> None:
    page = (made.hub / "pearl.html").read_text()
    article = page[page.index('<article id="pearl-table05">') :].split("</article>")[0]
    shown = re.sub(r"<details.*?</details>(</dd>\s*</dl>\s*</details>)?", "", article, flags=re.S)
    assert "<code>" in article
    assert "<code>" not in shown
    assert "Benjamini-Hochberg" in article
    assert "Benjamini-Hochberg" not in shown
    assert "tables/pearl-table05.csv" in shown
