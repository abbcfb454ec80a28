"""published/pearl.yaml: the digits as printed, and names that mean something."""

from pathlib import Path

import pytest

from pearl.datasets.prism.slates import STATED
from pearl.experiments import load_exhibits, load_experiments
from pearl.report.claims import NumberClaim, load_paper
from pearl.report.contrasts import parse_contrast
from pearl.report.kinds import is_shown
from pearl.report.rewards.structural import CHECKS
from pearl.report.rewards.table import contrasts_of

PAPER = Path(__file__).resolve().parents[3] / "shared/papers/000_5231d216d45c55b2.reflowed.txt"
PRINTED = {
    "pearl/table05": """
        .875 .651 .649 .639 .615 .631 .604 .548 .875 .641 .616 .610 .593 .601 .541 .542
        .875 .667 .640 .632 .598 .621 .480 .537 +.002 +.025 +.040 +.027""",
    "pearl/table06": ".541 .601 .610 .616 .641 +.060 +.009 +.006 +.025",
    "pearl/table07": ".684 .681 .664 .554 -.003 -.020 -.130",
    "pearl/table08": ".848 .795 .776 .754 .734 .711 -.053 -.072 -.094 -.114 -.137",
    "pearl/table13": """
        .544 .547 .541 .541 .541 .554 .558 .545 .541 .542
        .574 .571 .556 .541 .542 .641 .616 .601 .541 .542""",
    "pearl/table14": "-.013 +.004 +.047 4.92",
    "pearl/figure4": "0.42 0.75",
}
IN_THE_TEXT = (
    "0.25 .875 .651 .649 .639 .615 .631 .604 .548 0.50 .875 .641 .616 .610 .593 .601 .541 .542"
    " 0.75 .875 .667 .640 .632 .598 .621 .480 .537",
    "No-Online (static model) .541 Greedy + online updates .601 +.060 NeuralUCB-F + fixed"
    " exploration .610 +.009 NeuralUCB-A + error-adaptive expl. .616 +.006 PEARL + bidirectional"
    " Gram .641 +.025",
    "Greedy .684 — — — PEARL ( γ =4, η =0 . 01) .681 − .003 [ − .005, +.000] .066 No-Online .664"
    " − .020 [ − .021, − .018] < .001 Random .554 − .130 [ − .131, − .128] < .001",
    ".848 — NeuralUCB ( α =20) .795 − .053 Random .776 − .072 SW-UCB ( W =50) .754 − .094"
    " NeuralTS .734 − .114 Greedy .711 − .137",
    "PEARL ( γ =4 . 0) .544 .554 .574 .641 NeuralUCB-A ( η =0) .547 .558 .571 .616 Greedy .541"
    " .545 .556 .601 No-Online .541 .541 .541 .541 Random .541 .542 .542 .542",
    "− .013 [ − .019, − .008] <. 001 Greedy ↑ 0.50 PEARL − Greedy +.004 [ − .001, +.009] .118 n.s."
    " 0.75 PEARL − Greedy +.047 [+.039, +.055]",
    "d = 4 . 92",
)
"""What the digits above were read from."""


def numbers(experiment: str) -> list[NumberClaim]:
    claims = load_paper("pearl").of(experiment)
    return [claim for claim in claims if isinstance(claim, NumberClaim)]


@pytest.mark.parametrize("experiment", PRINTED)
def test_the_numbers_stand_as_printed(experiment: str) -> None:
    assert [claim.published for claim in numbers(experiment)] == PRINTED[experiment].split()


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's text isn't here")
@pytest.mark.parametrize("passage", IN_THE_TEXT)
def test_the_paper_prints_them(passage: str) -> None:
    assert passage in " ".join(PAPER.read_text().split())


def test_printed_intervals_give_the_half_widths() -> None:
    found = {(c.experiment, c.published): c.half_width for c in numbers("pearl/table07")}
    found |= {(c.experiment, c.published): c.half_width for c in numbers("pearl/table14")}
    told = {key[1]: width for key, width in found.items() if width is not None}
    # (high - low) / 2
    assert told == {
        "-.003": pytest.approx(0.0025),
        "-.020": pytest.approx(0.0015),
        "-.130": pytest.approx(0.0015),
        "-.013": pytest.approx(0.0055),
        "+.004": pytest.approx(0.005),
        "+.047": pytest.approx(0.008),
    }
    assert numbers("pearl/table05")[1].tolerance == pytest.approx(0.0005)


def test_claims_name_experiments_methods_and_settings() -> None:
    paper, experiments = load_paper("pearl"), load_experiments()
    assert len({claim.id for claim in paper.claims}) == len(paper.claims)
    for claim in paper.claims:
        if claim.experiment in load_exhibits():
            continue  # tests/report/test_exhibits.py
        experiment = experiments[claim.experiment]
        assert is_shown(experiment)
        known = {*experiment.methods, *paper.labels}
        for contrast in contrasts_of(claim):
            for point in contrast.points:
                assert point.method in known, claim.id
                for name, value in point.settings:
                    assert value in experiment.grid[name], claim.id
        if claim.kind == "structural":
            assert claim.check in CHECKS
    for name, told in paper.p_values.items():
        for text in told:
            named = {point.method for point in parse_contrast(text).points}
            of_users = experiments[name].report.table == "correlations"
            assert named <= set(STATED if of_users else experiments[name].methods)


def test_every_experiment_of_the_paper_but_the_appendix_has_claims() -> None:
    shown = {e.id for e in load_experiments().values() if e.paper == "pearl" and is_shown(e)}
    assert shown - {claim.experiment for claim in load_paper("pearl").claims} == {"pearl/settings"}


def test_what_disagrees_is_listed() -> None:
    said = " ".join(one.about + one.statements for one in load_paper("pearl").disagreements)
    for words in (".604", ".613", "36,560", "1,395", "+.035", ".645", ".636", ".618", "4.92"):
        assert words in said
