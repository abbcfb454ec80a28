"""Tables and figures without runs: what they are made of, and what they say of it."""

import csv
import re
from pathlib import Path

import pytest

from pearl.bandits.method import BanditMethod, load_methods
from pearl.errors import PearlError, SettingError
from pearl.experiments import Profile, load_exhibits, load_experiments, load_params
from pearl.project import Project
from pearl.provenance import FileFacts, Provenance, Source
from pearl.report.claims import NumberClaim, load_paper
from pearl.report.exhibits import configuration as table04
from pearl.report.exhibits.asked import Asked, judge_fact
from pearl.report.exhibits.kinds import exhibit_kind
from pearl.report.exhibits.methods_table import difference_words, method_rows, selection_words
from pearl.report.exhibits.printed import PrintedSetting, load_printed_tables
from pearl.report.printing import markdown_rows
from pearl.report.views import Entry
from pearl.runs.measured import Measured
from pearl.theory import checks

PAPER = Path(__file__).resolve().parents[3] / "shared/papers/000_5231d216d45c55b2.reflowed.txt"
PRISM = {
    "pearl/figure2": {
        "user mean": {str(i): 40.0 + i % 40 for i in range(1395)},
        "model sd": {"one": 13.2, "other": 20.0},
        "model raters": {"one": 900.0, "other": 800.0},
        "summary": {
            "users": 1395.0,
            "mean of means": 58.6,
            "sd of means": 11.52,
            "models": 21.0,
            "least model sd": 13.2,
        },
    },
    "pearl/table02": {
        "summary": {
            "users": 1500.0,
            "users with ratings": 1396.0,
            "slates of several": 7990.0,
            "slates": 8011.0,
            "features": 8.0,
            "lowest rating": 1.0,
            "highest rating": 100.0,
            "ratings used": 100.0,
            "models": 21.0,
            "most candidates": 4.0,
        }
    },
    "pearl/table04": {
        "summary": {
            "users": 1500.0,
            "users with interactions": 1395.0,
            "candidates": 4.0,
            "interactions": 5011.0,
            "pretraining": 1355.0,
            "online": 3656.0,
            "total": 36560.0,
        }
    },
}


def provenance(source: Source) -> Provenance:
    return Provenance(
        dataset="prism",
        source=source,
        label="sample data made by pearl's generator, not PRISM" if source == "sample" else "PRISM",
        publisher="someone",
        revision="1",
        url="",
        licence="CC",
        commercial=False,
        rows=3,
        files=(FileFacts(name="a", sha256="0" * 64, byte_count=1),),
    )


@pytest.fixture
def bare(tmp_path: Path) -> Project:
    (tmp_path / "dvc.yaml").write_text("{}\n")
    (tmp_path / "params.yaml").write_text("profile: paper\nreport: {resamples: 999}\n")
    return Project(tmp_path)


def asked(project: Project, name: str, source: Source = "hub", profile: Profile = "paper") -> Asked:
    exhibit = load_exhibits()[name]
    found = None
    if exhibit.dataset is not None:
        found = Measured(name, profile, source, provenance(source), PRISM[name])
    return Asked(exhibit, project, load_params(project), profile, found)


def test_ids_are_not_those_of_experiments_and_kinds_exist() -> None:
    exhibits = load_exhibits()
    assert not set(exhibits) & set(load_experiments())
    for exhibit in exhibits.values():
        assert exhibit_kind(exhibit)
    assert len([*exhibits, *load_experiments()]) >= 30


@pytest.mark.parametrize("name", ["pearl/figure2", "pearl/table02", "pearl/table04"])
def test_claims_are_judged_by_the_publishers_data_alone(bare: Project, name: str) -> None:
    claims = load_paper("pearl").of(name)
    assert claims
    for claim in claims:
        assert judge_fact(claim, asked(bare, name)).verdict == "reproduced", claim.id
        found = judge_fact(claim, asked(bare, name, "sample"))
        assert found.verdict == "not testable here"


def test_a_fact_beyond_the_printed_digits_fails(bare: Project) -> None:
    found = asked(bare, "pearl/figure2")
    claims = {claim.id: claim for claim in load_paper("pearl").of("pearl/figure2")}
    for fact, claim, value in (
        ("sd of means", "users_means_are_spread", 11.56),
        ("users", "users_with_ratings", 1396.0),
        ("least model sd", "every_model_divides", 12.99),
    ):
        values = {"summary": {**PRISM["pearl/figure2"]["summary"], fact: value}}
        other = Measured("pearl/figure2", "paper", "hub", provenance("hub"), values)
        told = Asked(found.exhibit, bare, found.params, "paper", other)
        assert judge_fact(claims[claim], told).verdict == "not reproduced"


def test_no_other_claim_can_be_made_of_an_exhibit(bare: Project) -> None:
    order = next(c for c in load_paper("pearl").claims if not isinstance(c, NumberClaim))
    with pytest.raises(SettingError, match="facts alone"):
        judge_fact(order, asked(bare, "pearl/table02"))
    kind = exhibit_kind(load_exhibits()["pearl/table03"])
    with pytest.raises(SettingError, match="measures nothing"):
        kind.judge(order, None, {})


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's text isn't here")
def test_printed_words_stand_in_the_paper() -> None:
    text = re.sub(r"[^a-z0-9]", "", PAPER.read_text().lower())
    tables = load_printed_tables()
    for name, row in tables.datasets.rows.items():
        for word in (name, *row):
            assert re.sub(r"[^a-z0-9]", "", word.lower()) in text, word
    for method in tables.methods:
        for word in (method.selection.replace("µ", ""), method.tests):
            assert re.sub(r"[^a-z0-9]", "", word.lower()) in text, word
    for setting in tables.configuration:
        words = setting.published.replace("²", "2").replace("ε_u", "")
        assert re.sub(r"[^a-z0-9]", "", words.replace("µ", "").lower()) in text, setting


def test_table_3_agrees_with_the_registry_and_would_tell_if_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {row.printed.printed: row for row in method_rows()}
    assert len(rows) == 14
    for row in rows.values():
        assert row.selection[1], row.printed.printed
        assert row.personalised[1], row.printed.printed
        assert row.online[1], row.printed.printed
    assert rows["NeuralUCB-F"].differs == "exploration at a fixed rate, no injection"
    assert rows["PEARL (d_u = 0)"].differs == "no features of users"
    registry = dict(load_methods())
    registry["greedy"] = registry["greedy"].model_copy(update={"exploration": "fixed"})
    registry["no_online"] = registry["no_online"].model_copy(update={"online": True})
    monkeypatch.setattr("pearl.report.exhibits.methods_table.load_methods", lambda: registry)
    rows = {row.printed.printed: row for row in method_rows()}
    assert not rows["Greedy"].selection[1]
    assert not rows["No-Online"].online[1]


def test_every_method_of_the_registry_has_words() -> None:
    registry = load_methods()
    for name, method in registry.items():
        assert selection_words(method), name
        assert difference_words(method, registry), name
    made = BanditMethod(exploration="fixed", forgetting="window", window=7, alpha=2.5)
    assert selection_words(made) == "UCB, α = 2.5, the newest 7 observations"


def test_table_4_is_the_papers_under_its_profile(bare: Project) -> None:
    rows = table04.configuration(asked(bare, "pearl/table04")).rows
    assert [row.printed.parameter for row in rows if row.same is False] == []
    assert sum(row.same is None for row in rows) == 5
    assert all(row.printed.fixed for row in rows if row.same is None)


def test_table_4_tells_what_differs(bare: Project) -> None:
    (bare.root / "params.yaml").write_text("prism: {dropout: 0.2, min_spread: 0.2}\n")
    found = table04.configuration(asked(bare, "pearl/table04", "sample", "sample"))
    rows = {row.printed.parameter: row for row in found.rows}
    differ = {name for name, row in rows.items() if row.same is False}
    assert differ == {
        "Dataset",
        "Dropout",
        "Candidate filtering, spread",
        "Online update interval",
        "Max online observations",
        "Random seeds",
    }
    assert rows["Dropout"].ours == "0.2"
    assert rows["Online update interval"].ours == "a third of an epoch"
    assert rows["Random seeds"].ours == "5 (0, 1, 2, 3, 4)"
    assert rows["Dataset"].ours == "sample data made by pearl's generator, not PRISM"
    assert rows["Users"].word == "not testable here"


def test_a_row_of_table_4_stands_in_one_place() -> None:
    with pytest.raises(ValueError, match="stands in one place"):
        PrintedSetting(parameter="a", published="1", value=1, setting="batch", fact="users")
    with pytest.raises(ValueError, match="a value to compare with"):
        PrintedSetting(parameter="a", published="1", setting="batch")


def test_theory_stands_in_the_table_with_its_verdicts(bare: Project) -> None:
    found = asked(bare, "pearl/theory")
    kind = exhibit_kind(found.exhibit)
    made = kind.make(found)
    (grid,) = kind.grids(made, [])
    assert [row[0] for row in grid.rows] == [check.statement for check in checks()]
    words = [row[2][1].text for row in grid.rows]
    assert set(words) == {"holds", "fails", "says nothing"}
    assert words.count("fails") == sum(check.holds == "no" for check in checks())


def test_theory_is_written_in_mathematical_characters() -> None:
    ascii_names = re.compile(
        r"\b(alpha|beta|gamma|delta|Delta|epsilon|eps|eta|kappa|lambda|mu|sigma|sqrt)\b"
        r"|\^| x |<=|>=|\de-\d|-\d"
    )
    for check in checks():
        for text in (check.statement, check.seen):
            assert not ascii_names.search(text), text


def test_bars_do_not_end_the_cells_of_a_markdown_table() -> None:
    assert markdown_rows([("|r|", True, (Entry("a | b"),))]) == [(r"**\|r\|**", r"a \| b")]


@pytest.mark.parametrize("source", ["hub", "sample"])
def test_figure_2_draws_what_was_measured(bare: Project, tmp_path: Path, source: Source) -> None:
    from pearl.report.figures import figure_of

    found = asked(bare, "pearl/figure2", source)
    made = exhibit_kind(found.exhibit).make(found)
    figure_of("heterogeneity", "pearl/figure2").draw(made, tmp_path, "two")
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.suffix != ".yaml"}
    assert {"two.png", "two.svg", "two.dark.svg"} <= set(first)
    figure_of("heterogeneity", "pearl/figure2").draw(made, tmp_path, "two")
    assert (tmp_path / "two.svg").read_bytes() == first["two.svg"]


def test_the_report_shows_exhibits_beside_runs(
    bare: Project, monkeypatch: pytest.MonkeyPatch, run: object
) -> None:
    """Measured files of the profile and source make a page; those of others are refused."""
    monkeypatch.chdir(bare.root)
    bare.params_file.write_text("profile: sample\nreport: {resamples: 999}\n")
    folder = bare.store / "results" / "paper-hub"
    for name, values in PRISM.items():
        Measured(name, "paper", "hub", provenance("hub"), values).write(
            folder / f"{name.replace('/', '-')}.parquet"
        )
    assert callable(run)
    said = run("--profile", "paper")
    assert "pearl/table02, pearl/table03, pearl/table04, pearl/figure2, pearl/theory" in said
    page = (bare.reports / "paper-hub/pearl.md").read_text()
    assert (
        "| 1,395 users have ratings. | Figure 2 (a) | number | 1,395 | 1,395 | reproduced |" in page
    )
    assert "Theory, checked numerically" in page
    assert "Sample data." not in page
    rows = list(csv.DictReader((bare.reports / "paper-hub/tables/pearl-table04.csv").open()))
    verdicts = {row["verdict"] for row in rows}
    assert verdicts == {"same", "not compared", "reproduced"}
    file = folder / "pearl-figure2.parquet"
    Measured("pearl/figure2", "smoke", "hub", provenance("hub"), PRISM["pearl/figure2"]).write(file)
    with pytest.raises(PearlError, match="this report is of profile paper"):
        run("--profile", "paper")


def test_what_is_made_of_the_registry_alone_is_no_report(
    bare: Project, monkeypatch: pytest.MonkeyPatch, run: object
) -> None:
    monkeypatch.chdir(bare.root)
    assert callable(run)
    with pytest.raises(PearlError, match="There are no results"):
        run("--profile", "paper", "--source", "mirror")
