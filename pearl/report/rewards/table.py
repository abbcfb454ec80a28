"""A table of rewards, estimated: intervals, paired comparisons, and the cells of its CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pearl.experiments import Experiment
from pearl.report.cells import Cell
from pearl.report.claims import AnyClaim, NumberClaim, OrderClaim, Paper, ParityClaim
from pearl.report.comparisons import Comparison, compare
from pearl.report.contrasts import Contrast, Point, parse_contrast
from pearl.report.numbers import MINUS
from pearl.report.rewards.plan import EFFECT, Difference, P, Plan, Value
from pearl.report.rewards.reading import Rewards, Sample
from pearl.report.settings import ReportSettings
from pearl.report.statistics import Interval, effect_size, interval

SYMBOLS = {"flip": "f"}
CURVE = "recovery/"
"""Begins the name of a series whose ends are both told; of others the last place goes without."""
ADDED = "difference that the paper orders"
"""The column of a difference that only a claim asks for."""


@dataclass(frozen=True)
class RewardTable:
    """The estimates of one experiment; q-values come later, when all tables are known.

    `estimates` and `samples` are by contrast; `comparisons` and `effects` by the row of a
    difference. `claims` are the experiment's own.
    """

    experiment: Experiment
    rewards: Rewards
    plan: Plan
    claims: tuple[AnyClaim, ...]
    p_values: Mapping[Contrast, str]
    samples: dict[Contrast, Sample]
    estimates: dict[Contrast, Interval]
    comparisons: dict[str, Comparison]
    effects: dict[str, Interval]
    settings: ReportSettings

    def tests(self) -> dict[str, Comparison]:
        """Return the family of comparisons, by row."""
        rows = {one.row for one in self.plan.differences if one.tested}
        return {row: one for row, one in self.comparisons.items() if row in rows}

    @property
    def family(self) -> str:
        """The family of comparisons in words."""
        added = sum(
            one.tested and one.column == ADDED and one.row in self.comparisons
            for one in self.plan.differences
        )
        if not added:
            return self.plan.family
        many = f"{added} {'other ' if self.plan.family else ''}order{'s' if added > 1 else ''}"
        also = f"the {many} that the paper states"
        return f"{self.plan.family}, and {also}" if self.plan.family else also

    def find(self, contrast: Contrast) -> tuple[str, str] | None:
        """Return the row and column of the cell that holds a contrast."""
        laid: tuple[Value | Difference, ...] = (*self.plan.values, *self.plan.differences)
        return next(((one.row, one.column) for one in laid if one.contrast == contrast), None)

    def printed(self, contrast: Contrast, quantity: str | None = None) -> NumberClaim | None:
        """Return the published number of a contrast."""
        for claim in self.claims:
            if isinstance(claim, NumberClaim) and (claim.contrast, claim.quantity) == (
                contrast,
                quantity,
            ):
                return claim
        return None

    def cell(self, contrast: Contrast, row: str, column: str) -> Cell:
        """Return the cell of a contrast, with no verdict on it."""
        sample = self.samples.get(contrast)
        claim = self.printed(contrast)
        measured = self.estimates.get(contrast)
        return Cell(
            row,
            column,
            measured,
            sample.keys if sample else (),
            published=claim.published.replace(",", "") if claim else self.derived(contrast),
            delta=measured.estimate - claim.value if claim and measured else None,
        )

    def derived(self, contrast: Contrast) -> str:
        """Return a published difference that follows from printed numbers; "" where none does."""
        if contrast.is_value:
            return ""
        terms = [self.printed(Contrast((point,))) for point in contrast.points]
        found = [term for term in terms if term is not None]
        if len(found) < len(terms):
            return ""
        added = len(contrast.plus)
        total = sum(c.value for c in found[:added]) - sum(c.value for c in found[added:])
        return f"{total:+.3f}".replace("0.", ".", 1)


def estimate_plan(
    experiment: Experiment,
    paper: Paper,
    rewards: Rewards,
    plan: Plan,
    settings: ReportSettings,
) -> RewardTable:
    """Estimate a plan's cells, and those that the paper's claims on it add."""
    claims = paper.of(experiment.id)
    plan = _with_claims(plan, claims, rewards)
    samples: dict[Contrast, Sample] = {}
    estimates: dict[Contrast, Interval] = {}
    comparisons: dict[str, Comparison] = {}
    effects: dict[str, Interval] = {}
    for value in plan.values:
        found = rewards.contrasted(value.contrast)
        if found is not None:
            stream = f"{experiment.id}/{value.row}/{value.column}"
            samples[value.contrast] = found
            estimates[value.contrast] = interval(
                found.values, stream=stream, statistic=plan.statistic, settings=settings
            )
    for one in plan.differences:
        found = rewards.contrasted(one.contrast)
        if found is None:
            continue
        stream = f"{experiment.id}/{one.row}/{one.column}"
        made = compare(
            found.values,
            0 * found.values,
            stream=stream,
            settings=settings,
            always_t=True,
            statistic=plan.statistic,
        )
        samples[one.contrast] = found
        estimates[one.contrast] = made.difference
        comparisons[one.row] = made
        effect = effect_size(found.values, stream=f"{stream}/d", settings=settings)
        if one.effect and effect is not None:
            effects[one.row] = effect
    told = {
        parse_contrast(text): printed
        for text, printed in paper.p_values.get(experiment.id, {}).items()
    }
    return RewardTable(
        experiment,
        rewards,
        plan,
        claims,
        told,
        samples,
        estimates,
        comparisons,
        effects,
        settings,
    )


def reward_cells(
    table: RewardTable,
    in_table: Mapping[str, float | None],
    in_paper: Mapping[str, float | None],
    sizes: tuple[int, int],
) -> list[Cell]:
    """Lay out the table: its values, then each difference with p, effect size and q-values.

    Args:
        table: the estimates.
        in_table, in_paper: q-value of each tested row within this table and within all tables of
            the paper; `sizes` are the two families' m.
    """
    made = [table.cell(one.contrast, one.row, one.column) for one in table.plan.values]
    for one in table.plan.differences:
        made.append(table.cell(one.contrast, one.row, one.column))
        comparison = table.comparisons.get(one.row)
        if comparison is None:
            continue
        keys, n = table.samples[one.contrast].keys, comparison.difference.n
        if comparison.p_value is not None:
            told = table.p_values.get(one.contrast, "")
            column = f"{P}{comparison.test})"
            made.append(Cell(one.row, column, _number(comparison.p_value, n), keys, published=told))
        if one.row in table.effects:
            claim = table.printed(one.contrast, "effect size")
            effect = table.effects[one.row]
            cell = Cell(one.row, EFFECT, effect, keys)
            if claim is not None:
                delta = effect.estimate - claim.value
                cell = replace(cell, published=claim.published, delta=delta)
            made.append(cell)
        families = (("table", in_table, sizes[0]), ("paper", in_paper, sizes[1]))
        for family, q_values, m in families:
            q = q_values.get(one.row)
            if q is not None:
                made.append(Cell(one.row, f"BH q ({family}, m={m})", _number(q, n), keys))
    return made


def contrasts_of(claim: AnyClaim) -> tuple[Contrast, ...]:
    """Return the contrasts that a claim is about."""
    if isinstance(claim, OrderClaim | ParityClaim):
        return claim.contrasts
    if isinstance(claim, NumberClaim) and claim.contrast is not None:
        return (claim.contrast,)
    return ()


def contrast_title(
    contrast: Contrast, rewards: Rewards, *, without: frozenset[str] = frozenset()
) -> str:
    """Print a contrast for people: "PEARL - Greedy, f = 0.5, epoch 1"; leave out some words.

    A difference of differences is printed as one of two pairs.
    """
    if len(contrast.plus) == len(contrast.minus) == 2:
        (a, d), (b, c) = contrast.plus, contrast.minus
        common = shared_words([contrast], rewards)
        pairs = (Contrast((a,), (b,)), Contrast((c,), (d,)))
        first, second = (contrast_title(p, rewards, without=without | common) for p in pairs)
        said = f"({first}) {MINUS} ({second})"
        return ", ".join([said, *_in_order(contrast.points[0], rewards, common - without)])
    shared = shared_words([contrast], rewards)
    said = ""
    for number, point in enumerate(contrast.points):
        own = [word for word in _words(point, rewards) if word not in shared | without]
        name = rewards.label(point.method) + (f" ({', '.join(own)})" if own else "")
        sign = f" {MINUS} " if number >= len(contrast.plus) else " + "
        said += (sign if number else "") + name
    return ", ".join([said, *_in_order(contrast.points[0], rewards, shared - without)])


def shared_words(contrasts: Sequence[Contrast], rewards: Rewards) -> frozenset[str]:
    """Return the words that every point of the contrasts has: settings, epoch, series."""
    words = [set(_words(point, rewards)) for one in contrasts for point in one.points]
    return frozenset(set.intersection(*words)) if words else frozenset()


def _in_order(point: Point, rewards: Rewards, chosen: frozenset[str]) -> list[str]:
    return [word for word in _words(point, rewards) if word in chosen]


def setting_words(name: str, value: float | str) -> str:
    """Print a setting: "f = 0.5"."""
    shown = f"{value:g}" if isinstance(value, float) else value
    return f"{SYMBOLS.get(name, name)} = {shown}"


def _words(point: Point, rewards: Rewards) -> list[str]:
    words = [setting_words(name, value) for name, value in point.settings]
    if point.variant:
        words.append(point.variant)
    if point.series:
        words.append(point.series.partition("/")[2].replace("_", " "))
    if isinstance(point.at, int):
        words.append(f"epoch {rewards.epoch(point.at)}")
    elif point.series.startswith(CURVE) or (point.series and point.at != "last"):
        words.append(point.at)
    return words


def _measured(series: str) -> str:
    """Return the column of a value that only a claim asks for: what its series measures."""
    kind, _, name = series.partition("/")
    return "reward" if kind in ("", "recovery") else name.replace("_", " ")


def _with_claims(plan: Plan, claims: Sequence[AnyClaim], rewards: Rewards) -> Plan:
    """Add the cells that claims name and the plan doesn't hold; orders join the tests."""
    values, differences = list(plan.values), list(plan.differences)
    known = {one.contrast for one in values} | {one.contrast for one in differences}
    for claim in claims:
        for contrast in contrasts_of(claim):
            if contrast in known or contrast.reversed() in known:
                continue
            known.add(contrast)
            title = contrast_title(contrast, rewards)
            if contrast.is_value:
                values.append(Value(title, _measured(contrast.points[0].series), contrast))
                continue
            tested = isinstance(claim, OrderClaim)
            differences.append(Difference(title, ADDED, contrast, tested=tested))
    return replace(plan, values=tuple(values), differences=tuple(differences))


def _number(value: float, n: int) -> Interval:
    return Interval(value, None, None, "none", n)
