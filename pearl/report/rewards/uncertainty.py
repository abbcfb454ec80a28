"""Section 22: sigma and the error tracker as a run goes on, by the share of flipped users."""

from __future__ import annotations

from pearl.experiments import Experiment
from pearl.report.contrasts import Contrast, Point
from pearl.report.rewards.plan import Column, GridPlan, Line, Plan, Value
from pearl.report.rewards.reading import Rewards
from pearl.report.rewards.table import setting_words

SIGMA, EPSILON = "\N{GREEK SMALL LETTER SIGMA}", "\N{GREEK SMALL LETTER EPSILON}"
SHOWN = {
    "uncertainty": f"{SIGMA} of the chosen arm",
    "tracker": f"error tracker {EPSILON}",
}
PRINTED = (1, 2, 3, 5, 10)


def uncertainty(experiment: Experiment, rewards: Rewards) -> Plan:
    """Lay out the mean sigma and tracker of chosen arms by epoch, a row a flip."""
    values, grids = [], []
    epochs = tuple(e for e in PRINTED if e <= rewards.epochs)
    for series, words in SHOWN.items():
        lines = []
        for m in experiment.methods:
            for flip in rewards.levels("flip"):
                named = setting_words("flip", flip)
                several = len(experiment.methods) > 1
                row = f"{rewards.label(m)}, {named}" if several else named
                places = []
                for e in epochs:
                    column = f"{series}, epoch {e}"
                    # The plan's epochs are those that were run: they aren't the paper's.
                    point = Point(m, at=_printed(rewards, e), series=f"epoch/{series}")
                    values.append(Value(row, column, Contrast((point.under(flip=flip),))))
                    places.append((row, column))
                lines.append(Line(row, tuple(places)))
        columns = tuple(Column(f"epoch {e}", "reward") for e in epochs)
        grids.append(GridPlan(f"Mean {words}", "flip", columns, tuple(lines)))
    remarks = (
        f"{SIGMA} is taken before the step's own shrink, {EPSILON} before the step; means over an"
        " epoch's interactions.",
    )
    return Plan(tuple(values), (), tuple(grids), "", remarks)


def _printed(rewards: Rewards, epoch: int) -> int:
    """Return the paper's epoch that stands for one of these runs'."""
    return next((e for e in range(1, rewards.paper_epochs + 1) if rewards.epoch(e) == epoch), epoch)
