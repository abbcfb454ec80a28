import csv
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from pearl.errors import PearlError
from pearl.project import Project
from pearl.report.claims import load_paper

Put = Callable[[pd.DataFrame, str], Path]
MAIN = {"profile": "sample", "source": "sample", "horizon": 20_000, "memory": 60}
PAGES = ("index.html", "index.md")
PAPER = ("memory.html", "memory.md")
COLUMNS = (
    "experiment,profile,row,column,measured,ci_low,ci_high,ci_method,n_seeds,published,delta,"
    "verdict,data_source,run_keys"
)
CAVEAT = (
    "Intervals cover seeds, each of which draws its own request stream and directions; they don't"
    " cover new users, another trace or another split."
)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def read(file: Path) -> str:
    """A page's text with its escapes undone."""
    return file.read_text().replace("&#39;", "'").replace("&lt;", "<")


def test_the_stage_writes_its_outputs_and_nothing_else(made: SimpleNamespace) -> None:
    assert set(digests(made.main)) == {
        "index.html",
        "index.md",
        "memory.html",
        "memory.md",
        "tables/memory-claims.md",
        "tables/memory-figure1e.csv",
        "figures/memory-figure1e.png",
        "figures/memory-figure1e.svg",
        "figures/memory-figure1e.dark.svg",
    }


def test_the_same_rows_give_the_same_bytes_whatever_variants_exist(
    made: SimpleNamespace, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.project.root)
    run("--stage")
    both, first = digests(made.reports), digests(made.main)
    assert {name: both[name] for name in first} == first
    assert "paper-mirror/tables/memory-figure1e.csv" in both


def test_order_of_rows_and_process_change_no_byte(project: Project, made: SimpleNamespace) -> None:
    folder = project.store / "results/paper-mirror"
    folder.mkdir(parents=True)
    made.frame.iloc[::-1].to_parquet(folder / "memory-figure1e.parquet")
    again = "from pearl.cli.report import report; report('paper', 'mirror', False)"
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", again], check=True, cwd=project.root, env=environment)
    assert digests(project.reports / "paper-mirror") == digests(made.variant)


def test_csv(made: SimpleNamespace) -> None:
    frame, file = made.frame, made.variant / "tables/memory-figure1e.csv"
    assert file.read_text().splitlines()[0] == COLUMNS
    rows = list(csv.DictReader(file.open()))
    assert {row["profile"] for row in rows} == {"paper"}
    assert {row["data_source"] for row in rows} == {"mirror"}
    keys = {key[:12] for key in frame["key"]}
    for row in rows:
        assert set(row["run_keys"].split(";")) <= keys | {""}
        assert bool(row["run_keys"]) == bool(row["measured"])
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
    assert at["instance", "norm of theta*"]["verdict"] == "reproduced"
    assert at["RSM-LinUCB", "clip tie share"]["measured"] == "1"
    assert ("Myopic LinUCB", "clip tie share") not in at
    assert ("Myopic LinUCB", "BH q (table, m=5)") in at
    assert ("Myopic LinUCB", "BH q (paper, m=5)") in at


def test_pages_ask_nothing_of_the_network_and_hold_no_path_of_this_machine(
    made: SimpleNamespace,
) -> None:
    for file in made.main.rglob("*"):
        if file.suffix in (".html", ".md", ".csv"):
            assert str(made.project.root) not in file.read_text()
    for name in ("index.html", "memory.html"):
        page = (made.main / name).read_text()
        wanted = re.findall(r"""(?:src|href|srcset)=["']([^"']*)["']""", page)
        assert wanted
        for address in wanted:
            assert not re.match(r"[a-z]+:|//", address), address
            file, _, anchor = address.partition("#")
            if file != "variants.js":
                place = made.main / (file or name)
                assert place.is_file(), address
                assert not anchor or f'id="{anchor}"' in place.read_text(), address
        assert "@import" not in page
        assert "url(" not in page


@pytest.mark.parametrize("name", [*PAGES, *PAPER])
def test_sample_data_is_said_everywhere(name: str, made: SimpleNamespace) -> None:
    page = read(made.main / name)
    assert "sample data made by pearl's generator, not Mooncake" in page
    assert "Sample data." in page


def test_the_claims_stand_alone_with_what_they_stand_on(made: SimpleNamespace) -> None:
    alone, page = read(made.variant / "tables/memory-claims.md"), read(made.variant / "memory.md")
    told, _, _ = alone.partition("## Where the numbers come from")
    claims = [line for line in told.splitlines() if line.count(" | ") == 5]
    assert len(claims) > 10
    assert all(line in page for line in claims)
    keys = sorted({key[:12] for key in made.frame["key"]})
    digest = hashlib.sha256(" ".join(keys).encode()).hexdigest()[:12]
    assert f"| {len(keys)} | `{digest}` |" in alone
    assert "Sample data." not in alone


@pytest.mark.parametrize("name", PAPER)
def test_what_the_intervals_cover_stands_beneath_every_table(
    name: str, made: SimpleNamespace
) -> None:
    for folder in (made.main, made.variant):
        page = read(folder / name)
        # beneath the table, and where the numbers come from
        assert page.count(CAVEAT) == 2
        assert "new users or request streams" not in page


def elsewhere() -> list[str]:
    """The claims on experiments that the made-up project has no results of."""
    claims = load_paper("memory").claims
    return [claim.id for claim in claims if claim.experiment != "memory/figure1e"]


@pytest.mark.parametrize("name", PAPER)
def test_a_claim_whose_experiment_has_no_results_is_shown_as_not_run(
    name: str, made: SimpleNamespace
) -> None:
    page = read(made.variant / name)
    row = page[page.index("lowest mean regret throughout the memory sweep") :][:700]
    said = [
        "Figure 1 (F)",
        "the experiment memory/figure1f has no results here",
        "not run here",
        "not testable here",
    ]
    assert all(text in row for text in said)
    # what ran isn't called so
    called = page.count("not run here</span>") + page.count("| not run here |")
    assert called == len(elsewhere())


@pytest.mark.parametrize("name", PAPER)
def test_both_norms_are_reported(name: str, made: SimpleNamespace) -> None:
    page = read(made.variant / name)
    row = page[page.index("The norm of \N{GREEK SMALL LETTER THETA}* is at most S") :][:900]
    for text in ("0.1157", "norm of theta*", "0.1448", "S, the bound of that norm", "reproduced"):
        assert text in row


@pytest.mark.parametrize("name", PAPER)
def test_the_page_names_what_the_numbers_stand_on(name: str, made: SimpleNamespace) -> None:
    page = (made.variant / name).read_text()
    for text in ("ab" * 32, "Apache-2.0", "reconstructed from the published counts"):
        assert text in page
    assert made.frame["key"].iloc[0][:12] in page
    assert f"../{name}" in page
    assert "Sample data." not in page


@pytest.mark.parametrize("name", PAGES)
def test_the_index_counts_verdicts_and_leads_to_the_paper(name: str, made: SimpleNamespace) -> None:
    page, paper = read(made.variant / name), read(made.variant / name.replace("index", "memory"))
    told = re.sub("<[^>]*>", "", page)
    found = re.search(
        r"Of (\d+) published claims.*?(\d+) reproduced, (\d+) not reproduced, (\d+) not testable"
        r" here, (\d+) not run here\.",
        told,
    )
    assert found is not None
    every, *parts = map(int, found.groups())
    assert sum(parts) == every == len(load_paper("memory").claims)
    assert parts[-1] == len(elsewhere())
    assert found[0] in re.sub("<[^>]*>", "", paper)
    assert "reproduced" in told
    assert "pearl run pearl/table05" in told  # the paper without results
    assert ("memory.html#memory-figure1e" if name.endswith("html") else "(memory.md)") in page


@pytest.mark.parametrize("name", PAPER)
def test_what_holds_for_a_whole_section_is_said_once(name: str, made: SimpleNamespace) -> None:
    page = read(made.main / name)
    claims = page[: page.index("Intervals cover seeds")]
    assert claims.count("measured at horizon 20,000 (stated for 100,000), memory 60") == 1


def test_a_page_of_a_paper_without_results_is_removed(
    project: Project, put: Put, run: Callable[..., str], made_up: ModuleType
) -> None:
    left = project.reports / "paper-mirror" / "pearl.html"
    left.parent.mkdir(parents=True)
    left.write_text("of an earlier report")
    put(made_up.frame(), "store/results/paper-mirror")
    run("--profile", "paper", "--source", "mirror")
    assert not left.exists()


def test_variants_are_listed(made: SimpleNamespace) -> None:
    assert '"folder": "paper-mirror"' in (made.reports / "variants.js").read_text()
    assert "(paper-mirror/index.md)" in (made.reports / "variants.md").read_text()


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
