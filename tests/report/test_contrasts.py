import pytest
from hypothesis import given
from hypothesis import strategies as st

from pearl.report.contrasts import Contrast, Point, parse_contrast

NAMES = st.sampled_from(["pearl", "greedy", "neural_ucb_a", "no_online"])
POINTS = st.builds(
    lambda name, flip, at: Point(name, (("flip", flip),), at),
    NAMES,
    st.sampled_from([0.0, 0.25, 0.5]),
    st.one_of(st.integers(1, 20), st.sampled_from(["first", "last", "mean"])),
)


def written(contrast: Contrast) -> str:
    terms = [("+", one) for one in contrast.plus] + [("-", one) for one in contrast.minus]
    return " ".join(
        f"{sign} {one.method}[flip={dict(one.settings)['flip']} epoch={one.at}]"
        for sign, one in terms
    )


def test_what_stands_after_the_bar_holds_for_every_term() -> None:
    read = parse_contrast("pearl - greedy | flip=0.5 epoch=1")
    settings = (("flip", 0.5),)
    assert read == Contrast((Point("pearl", settings, 1),), (Point("greedy", settings, 1),))
    assert not read.is_value
    assert read.reversed().plus == read.minus


def test_a_term_has_settings_of_its_own() -> None:
    read = parse_contrast("a[flip=0.75] - b[flip=0.75] - a[flip=0.25] + b[flip=0.25] | epoch=10")
    assert [(p.method, dict(p.settings)["flip"]) for p in read.plus] == [("a", 0.75), ("b", 0.25)]
    assert [(p.method, dict(p.settings)["flip"]) for p in read.minus] == [("b", 0.75), ("a", 0.25)]
    assert {p.at for p in read.points} == {10}


def test_series_variant_and_words() -> None:
    (point,) = parse_contrast("pearl | series=recovery/all epoch=mean variant=v adam=kept").plus
    assert point == Point("pearl", (("adam", "kept"),), "mean", "recovery/all", "v")
    assert parse_contrast("pearl").is_value


@given(st.lists(POINTS, min_size=1, max_size=3), st.lists(POINTS, max_size=3))
def test_what_is_written_is_read_back(plus: list[Point], minus: list[Point]) -> None:
    contrast = Contrast(tuple(plus), tuple(minus))
    assert parse_contrast(written(contrast)) == contrast


@pytest.mark.parametrize(
    "text",
    ["", "| flip=0.5", "- pearl", "pearl greedy", "pearl | flip", "pearl | epoch=0", "pearl > b"],
)
def test_what_does_not_read_so_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected terms|nothing is added|name=value|no epoch"):
        parse_contrast(text)
