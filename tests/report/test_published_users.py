"""What published/pearl.yaml says of users, calibration and uncertainty: the digits as printed."""

from pathlib import Path

import pytest

from pearl.report.claims import NumberClaim, load_paper

PAPER = Path(__file__).resolve().parents[3] / "shared/papers/000_5231d216d45c55b2.reflowed.txt"
PRINTED = {
    "pearl/table01": "+0.178 +0.154 +0.134 +0.100 +0.086 +0.012 -0.001 -0.073 +0.14",
    "pearl/table12": ".635 .625 +.010 .617 .600 +.018 .601 .578 +.023 0.35 0.47",
    "pearl/figure1a": "+0.23 4 3",
    "pearl/figure5": "0.011 0.011 0.014 0.014 0.029 0.029 0.37 0.42",
    "pearl/figure6": "+.039 +.019",
    "pearl/section09": "0.227 0.355 0.240 0.190 0.555 0.567 0.783 0.732",
}
IN_THE_TEXT = (
    "Helpfulness +0.178 4 . 3 × 10 [−] [11] Strong Fluency +0.154 1 . 2 × 10 [−] [8] Strong"
    " Factuality +0.134 6 . 8 × 10 [−] [7] Strong Diversity +0.100 2 . 1 × 10 [−] [4] Moderate"
    " Safety +0.086 1 . 5 × 10 [−] [3] Moderate Personalisation +0.012 0 . 668 None Creativity −"
    " 0.001 0 . 958 None Values − 0.073 0 . 007 Negative",
    "overall extremity-error correlation is ρ =+0.14",
    "PEARL ( γ =4 . 0) .635 .617 .601 Greedy .625 .600 .578 Gap +.010* +.018* +.023*",
    "low ( < 0 . 35), mid (0.35–0.47), and high ( ≥ 0 . 47)",
    "( ρ up to +0.23 for helpfulness)",
    "helpfulness peaks at epoch 4, safety at epoch 3",
    "PEARL (ECE 0.008–0.011), Greedy (0.011–0.014), and NeuralTS (0.008–0.029)",
    "(ECE 0.37 at flip 0.5 to 0.42 at flip 0.75)",
    "largest for low-divergence users (+3.9 pts) and moderate for mediumdivergence users (+1.9"
    " pts)",
    "(regret 0.227 vs. 0.240) far more than Greedy (0.355 vs. 0.190)",
    "(epoch 0: 0.555 vs. 0.567) but recover faster and reach a higher final reward (epoch 9: 0.783"
    " vs. 0.732)",
)
"""What the digits above were read from."""


@pytest.mark.parametrize("experiment", PRINTED)
def test_the_numbers_stand_as_printed(experiment: str) -> None:
    claims = load_paper("pearl").of(experiment)
    found = [claim.published for claim in claims if isinstance(claim, NumberClaim)]
    assert found == PRINTED[experiment].split()


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's text isn't here")
@pytest.mark.parametrize("passage", IN_THE_TEXT)
def test_the_paper_prints_them(passage: str) -> None:
    assert passage in " ".join(PAPER.read_text().split())


def test_facts_of_a_printed_table_are_claims_of_their_own() -> None:
    claims = [c for c in load_paper("pearl").of("pearl/table01") if isinstance(c, NumberClaim)]
    assert all(claim.printed and claim.contrast is None for claim in claims)
    assert {claim.fact: claim.value for claim in claims}["values"] == -0.073
