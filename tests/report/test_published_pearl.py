"""published/pearl.yaml: the digits as printed, and names that mean something."""

import re
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
    "pearl/table09": ".634 .664 +.030 .601 .641 +.040 .592 .627 +.035",
    "pearl/table10": ".649 .625 +.024 .639 .618 +.021 .641 .613 +.028",
    "pearl/table11": ".651 .642 .631 +.009 .641 .612 .601 +.029 .667 .646 .621 +.021",
    "pearl/table14": "-.013 +.004 +.047 4.92",
    "pearl/table15": """
        .652 .648 .639 .615 .631 .604 .548 .642 .615 .609 .592 .600 .542 .542
        .667 .640 .632 .596 .623 .480 .537""",
    "pearl/table16": """
        .641 .616 .610 .601 .593 .560 .547 .544 .554 .548 .544 .542
        -.025 -.031 -.040 -.048 -.081 -.094 -.097 -.087 -.093 -.097 -.099""",
    "pearl/table17": ".616 .645 .641 .634 .647 .635 .635 .637",
    "pearl/table18": ".641 .616 .614 .581",
    "pearl/table19": """
        .648 .627 .664 .595 .589 .603 .589 .583 .570 .608 .607 .576 .620 .618 .584 .631 .629 .594
        .641 .639 .605 +.036 +.002""",
    "pearl/table20": ".652 .631 .644 .642 .610 .612 .667 .640 .636",
    "pearl/section05": "0.619 0.618 0.618 0.617",
    "pearl/section28": "0.621 0.615 0.641 0.604",
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
    "25% 0.5 .634 .664 +.030 50% (main) 0.5 .601 .641 +.040 75% 0.5 .592 .627 +.035",
    "Adaptive ( γ =4 . 0) .649 ± .011 .639 ± .019 .641 ± .015 Greedy .625 ± .008 .618 ± .014 .613"
    " ± .017 Gap (A − G) +.024 +.021 +.028",
    "( d u =40) .651 .641 .667 PEARL γ =4 . 0 ( d u =0) .642 .612 .646 Greedy .631 .601 .621 d u"
    " =40 vs. d u =0 +.009 +.029 +.021",
    "PEARL ( γ =4) .652 [.647,.655] .642 [.638,.646] .667 [.660,.671] NUCB-A ( η =0) .648"
    " [.645,.653] .615 [.610,.620] .640 [.635,.645] NUCB-F .639 [.635,.643] .609 [.604,.615] .632"
    " [.626,.637] NeuralTS .615 [.613,.616] .592 [.590,.595] .596 [.593,.602] Greedy .631"
    " [.628,.636] .600 [.591,.609] .623 [.618,.626] No-Online .604 [.601,.607] .542 [.539,.545]"
    " .480 [.478,.483] Random .548 [.547,.549] .542 [.540,.543] .537 [.536,.538]",
    ".641 — NeuralUCB-A ( η =0) .616 − .025 NeuralUCB-F .610 − .031 Greedy .601 − .040 NeuralTS"
    " .593 − .048 SW-UCB ( W =1000) .560 − .081 SW-UCB ( W =500) .547 − .094 SW-UCB ( W =200) .544"
    " − .097 MRM (adaptive) .554 − .087 URM (adaptive) .548 − .093 VRF (adaptive) .544 − .097"
    " Random .542 − .099",
    "η =0 (NeuralUCB-A) .616 η =0 . 001 .645 η =0 . 01 (default) .641 η =0 . 1 .634 Auto η base =0"
    " . 01 .647 Auto η base =0 . 05 .635 Auto η base =0 . 1 .635 Always-inject ( η =0 . 01) .637",
    "PEARL ( γ =4, η =0 . 01) .641 NeuralUCB-A ( η =0) .616 D-NeuralUCB ( γ gram =0 . 999) .614"
    " D-NeuralUCB ( γ gram =0 . 99) .581",
    "PEARL ( γ =4 . 0) .648 .595 .589 .608 .620 .631 .641 NeuralUCB-A ( η =0) .627 .589 .583 .607"
    " .618 .629 .639 Greedy .664 .603 .570 .576 .584 .594 .605",
    "32 (default) .652 .642 .667 8 .631 .610 .640 0 (NeuralUCB-A) .644 .612 .636",
    "β = 0 . 1: 0.619, β = 0 . 3: 0.618, β = 0 . 5: 0.618, β = 0 . 7: 0.617",
    "achieves 0.621 at flip 0.5, slightly above Discounted NeuralUCB ( γ gram = 0 . 999: 0.615)",
    "converging to standard NeuralUCB-F (0.604)",
    "PEARL closes 29.7% of the Random-to-Oracle gap versus Greedy’s 17.7%",
    "( ∼ 40% of interactions)",
    "∼ 100K-parameter MLP",
)
"""What the digits above were read from."""


def numbers(experiment: str, *, printed: bool = True) -> list[NumberClaim]:
    claims = load_paper("pearl").of(experiment)
    return [c for c in claims if isinstance(c, NumberClaim) and c.printed == printed]


@pytest.mark.parametrize("experiment", PRINTED)
def test_the_numbers_stand_as_printed(experiment: str) -> None:
    assert [claim.published for claim in numbers(experiment)] == PRINTED[experiment].split()


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's text isn't here")
@pytest.mark.parametrize("passage", IN_THE_TEXT)
def test_the_paper_prints_them(passage: str) -> None:
    assert passage in " ".join(PAPER.read_text().split())


def test_numbers_of_the_text_stand_as_printed() -> None:
    found = [
        (c.published, c.quantity, c.tolerance) for c in numbers("pearl/table05", printed=False)
    ]
    assert found == [
        ("29.7", "gap closed", pytest.approx(0.05)),
        ("17.7", "gap closed", pytest.approx(0.05)),
        ("0.4", None, pytest.approx(0.05)),
        ("100,000", None, 50_000),
    ]


def test_table_15s_intervals_give_its_half_widths() -> None:
    (text,) = (passage for passage in IN_THE_TEXT if "[.647,.655]" in passage)
    ends = re.findall(r"\[(\.\d+),(\.\d+)\]", text)
    printed = [(float(high) - float(low)) / 2 for low, high in ends]
    by_row = [printed[f::3] for f in range(3)]
    found = [claim.half_width for claim in numbers("pearl/table15")]
    assert found == pytest.approx([width for row in by_row for width in row])


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
                assert point.variant in ("", *experiment.variants), claim.id
                for name, value in point.settings:
                    assert value in experiment.grid[name], claim.id
        if claim.kind == "structural":
            assert claim.check in CHECKS
    for name, told in paper.p_values.items():
        for text in told:
            named = {point.method for point in parse_contrast(text).points}
            of_users = experiments[name].report.table == "correlations"
            assert named <= set(STATED if of_users else experiments[name].methods)


def test_every_experiment_but_the_appendix_and_what_is_beyond_has_claims() -> None:
    shown = {e.id for e in load_experiments().values() if e.paper == "pearl" and is_shown(e)}
    assert shown - {claim.experiment for claim in load_paper("pearl").claims} == {
        "pearl/partial-global",
        "pearl/settings",
    }


def test_what_disagrees_is_listed() -> None:
    said = " ".join(one.about + one.statements for one in load_paper("pearl").disagreements)
    for words in (".604", ".613", "36,560", "1,395", "+.035", ".645", ".636", ".618", "4.92"):
        assert words in said
