"""Figure 5's numbers: how far predicted rewards lie from observed ones, beside the floor of ECE."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import Contrast, Point
from pearl.report.numbers import MINUS
from pearl.report.rewards.plan import Column, Difference, GridPlan, Line, Plan, Value
from pearl.report.rewards.reading import METRIC, Rewards
from pearl.report.rewards.table import setting_words

ECE, FLOOR = f"{METRIC}ece", f"{METRIC}ece_floor"
COLUMNS = {"ECE": ECE, "floor": FLOOR}
ABOVE = f"ECE {MINUS} floor"
REMARK = (
    "ECE: the chosen arm's prediction before its update against the reward, the last tenth of the"
    " interactions, 10 equal bins on [0, 1], empty ones skipped; seed by seed, then the mean."
    " Floor: the ECE to be expected of a model without bias, from rewards with mean"
    " \N{GREEK SMALL LETTER MU} and the residuals' standard deviation: what lies below it is noise."
)


def calibration(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out ECE, its floor and their difference, a row a method and flip."""
    values: list[Value] = []
    differences: list[Difference] = []
    lines = []
    for flip in rewards.levels("flip"):
        for m in experiment.methods:
            row = f"{rewards.label(m)}, {setting_words('flip', flip)}"
            points = {name: Point(m, series=of).under(flip=flip) for name, of in COLUMNS.items()}
            values += [Value(row, name, Contrast((point,))) for name, point in points.items()]
            pair = Contrast((points["ECE"],), (points["floor"],))
            differences.append(Difference(row, ABOVE, pair, tested=False))
            places = (*((row, name) for name in COLUMNS), (row, ABOVE))
            lines.append(Line(row, places, leads=m == experiment.reference))
    columns = (*(Column(name, "reward") for name in COLUMNS), Column(ABOVE, "difference"))
    grid = GridPlan("Expected calibration error", "method", columns, tuple(lines))
    return Plan(tuple(values), tuple(differences), (grid,), "", (REMARK,))
