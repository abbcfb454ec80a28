from pathlib import Path
from types import ModuleType

import made_up_sweep
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pearl.report.claims import load_paper
from pearl.report.figures import FIGURES
from pearl.report.final_regret import estimate
from pearl.report.labels import apart
from pearl.report.regret_by_setting import RegretBySetting, estimate_by_setting
from pearl.report.regret_by_setting_figure import draw_sweep, end_of, lines_of
from pearl.report.regret_lines import (
    Line,
    Look,
    hidden,
    leaves_at,
    looks,
    mark_cut,
    over_time,
    shown_top,
)
from pearl.report.rows import MethodRuns, read_rows
from pearl.report.settings import ReportSettings
from pearl.report.style import DARK, LIGHT

SETTINGS = ReportSettings(resamples=999)
PLAIN = Look("black", "-", leads=False)
X = np.array([0.0, 1.0, 2.0, 3.0])


def runs(curves: list[list[float]]) -> MethodRuns:
    seeds = tuple(range(len(curves)))
    return MethodRuns("a", "A", seeds, tuple(map(str, seeds)), {}, np.array(curves))


def line(*mean: float, spread: float = 0.0) -> Line:
    return Line("A", PLAIN, np.array(mean), np.full(len(mean), spread))


def swept(**sweep: object) -> RegretBySetting:
    of = made_up_sweep.experiment(**sweep)
    rows = read_rows(made_up_sweep.frame(of), of.methods)
    return estimate_by_setting(of, load_paper("memory"), rows, SETTINGS)


def test_the_band_is_one_sample_standard_deviation() -> None:
    # 1, 2, 3 and 4, 4, 10 over three seeds: s = 1 and sqrt(12), divided by n - 1
    drawn = over_time(runs([[1, 4], [2, 4], [3, 10]]), PLAIN)
    assert drawn.mean.tolist() == [0, 2, 6]
    assert drawn.spread.tolist() == [0, 1, pytest.approx(12**0.5)]
    assert drawn.reach == pytest.approx(6 + 12**0.5)


def test_one_seed_has_no_band() -> None:
    drawn = over_time(runs([[1, 4]]), PLAIN)
    assert drawn.mean.tolist() == [0, 1, 4]
    assert drawn.spread.tolist() == [0, 0, 0]


def test_the_axis_ends_at_the_farthest_line_within_ten_times_the_reference() -> None:
    lines = {"ours": line(0, 4, spread=0.1), "near": line(0, 30, spread=11.0), "far": line(0, 42)}
    # The reference reaches 4.1: 41 is within ten times of it, band and all, 42 isn't.
    assert shown_top(lines, "ours") == pytest.approx(41)
    assert shown_top({**lines, "far": line(0, 40.9)}, "ours") == pytest.approx(41)


def test_the_best_other_method_is_always_shown() -> None:
    lines = {"ours": line(0, 1), "best": line(0, 50), "worst": line(0, 60)}
    assert shown_top(lines, "ours") == 50
    assert shown_top({"best": line(0, 50), "worst": line(0, 60)}, "ours") == 60
    assert shown_top({"ours": line(0, 3)}, "ours") == 3


def test_nothing_is_cut_where_all_lines_are_near(made_up: ModuleType) -> None:
    order = list(made_up.LEVELS)
    found = read_rows(made_up.frame(), order)[0]
    lines = {name: over_time(found.methods[name], PLAIN) for name in order}
    top = shown_top(lines, "rsm_linucb")
    assert all(not hidden(one, top) for one in lines.values())


def test_where_a_line_leaves_the_range() -> None:
    # Between (1, 10) and (2, 30) it crosses 15 at 1.25.
    assert leaves_at(X, line(0, 10, 30, 50), 15) == [pytest.approx(1.25)]
    assert leaves_at(X, line(0, 10, 30, 50), 60) == []
    assert leaves_at(X, line(20, 10, 5, 1), 15) == [0.0]


def test_what_lies_beyond_the_range_is_told() -> None:
    assert hidden(line(0, 10, 20), 30) == ""
    assert hidden(line(0, 10, 499_123), 30) == "\N{UPWARDS ARROW} 499k"
    assert hidden(line(0, 94_000, 1_580_000), 30) == "\N{UPWARDS ARROW} 94k\N{EN DASH}1.58M"
    assert end_of(line(0, 40, 20), 30) == (20, "20.0 (\N{UPWARDS ARROW} 40)")
    assert end_of(line(0, 40, 20), 50) == (20, "20.0")
    assert end_of(line(0, 20, 40), 30) == (40, "\N{UPWARDS ARROW} 40")


def test_near_arrowheads_stand_in_rows_of_their_own() -> None:
    figure = Figure(figsize=(4, 3))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_xlim(0, 100)
    lines = {name: line(0, 1) for name in "abcd"}
    mark_cut(axes, {"a": [10.0, 50.0], "b": [51.0], "c": [80.0], "d": []}, lines)
    heights = [float(drawn.get_ydata()[0]) for drawn in axes.lines]
    assert heights[0] == heights[2] < heights[1]
    assert len(heights) == 3


def test_a_family_shares_its_hue_and_the_reference_has_its_own() -> None:
    names = ("rsm_linucb", "rsm_linucb_x", "oful_original", "oful_refined", "random_union")
    for theme in (LIGHT, DARK):
        look = looks(names, "rsm_linucb", theme)
        assert look["rsm_linucb"].colour == look["rsm_linucb_x"].colour == theme.reference
        assert look["oful_original"].colour == look["oful_refined"].colour
        assert look["oful_original"].dashes != look["oful_refined"].dashes
        assert look["random_union"].colour == theme.soft
        assert [one.leads for one in look.values()] == [True, False, False, False, False]


def test_names_stay_beneath_the_ceiling_as_long_as_they_fit() -> None:
    places = apart([9.0, 9.5, 9.9], [1.0] * 3, floor=0.0, ceiling=10.0)
    assert places[-1] <= 10.0 + 1e-6
    assert np.all(np.diff(places) >= 1 - 1e-4)
    crowded = apart([0.0] * 4, [1.0] * 4, floor=0.0, ceiling=2.0)
    assert np.all(np.diff(crowded) > 0)


def test_a_sweep_is_drawn_at_its_values_and_words_side_by_side() -> None:
    figure = Figure(figsize=(4, 3))
    FigureCanvasAgg(figure)
    table = swept(grid={"memory": (100, 200)})
    lines = lines_of(table, table.sweeps[0], LIGHT)
    axes = figure.add_subplot(121)
    top = draw_sweep(axes, table.sweeps[0], lines, "rsm_linucb")
    assert axes.lines[0].get_xdata().tolist() == [100, 200]
    assert axes.get_ylim() == (0, pytest.approx(top))
    assert lines["myopic_linucb"].mean.min() > top > lines["rsm_linucb"].mean.max()
    table = swept(grid={"direction": ("normal", "spike")})
    axes = figure.add_subplot(122)
    draw_sweep(axes, table.sweeps[0], lines_of(table, table.sweeps[0], LIGHT), "rsm_linucb")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["normal", "spike"]


def test_a_method_that_was_not_run_at_every_value_has_no_line() -> None:
    of = made_up_sweep.experiment(grid={"memory": (100, 200)})
    frame = made_up_sweep.frame(of)
    gone = (frame["method"] == "oful_sqrt_mt") & frame["settings"].str.contains('"memory": 200,')
    rows = read_rows(frame[~gone], of.methods)
    table = estimate_by_setting(of, load_paper("memory"), rows, SETTINGS)
    assert "oful_sqrt_mt" not in lines_of(table, table.sweeps[0], LIGHT)


def test_figures_are_written_for_light_and_dark_pages_the_same_every_time(tmp_path: Path) -> None:
    of = made_up_sweep.experiment(id="memory/figure1a")
    rows = read_rows(made_up_sweep.frame(of), of.methods)
    base = estimate(rows, "rsm_linucb", of.methods, SETTINGS)
    changes = {"m200": {"memory": 200}, "r10": {"feature_bound": 10.0}, "s10": {"norm_bound": 10.0}}
    by_setting = swept(variants=changes)
    tables = {
        "regret_over_time": base,
        "regret_by_setting": by_setting,
        "memory_panels": by_setting,
    }
    for name, table in tables.items():
        for folder in ("first", "second"):
            (tmp_path / folder).mkdir(exist_ok=True)
            FIGURES[name].draw(table, tmp_path / folder, name)
        for file in (f"{name}.svg", f"{name}.png", f"{name}.dark.svg"):
            first, second = (
                (tmp_path / folder / file).read_bytes() for folder in ("first", "second")
            )
            assert first == second
        wide, tall = FIGURES[name].size(table)
        png = (tmp_path / "first" / f"{name}.png").read_bytes()
        pixels = tuple(int.from_bytes(png[i : i + 4], "big") for i in (16, 20))
        assert pixels == pytest.approx((2 * wide, 2 * tall), abs=2)
