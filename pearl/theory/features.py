"""Remark 4: how many feature dimensions of a network a shift in few latent dimensions takes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pearl.environments.partial_global import PartialGlobalWorld
from pearl.environments.partial_global_settings import NETWORK, PartialGlobalSettings
from pearl.simulation.partial_global_config import KIND
from pearl.simulation.partial_global_features import pretrain, seen
from pearl.theory.check import Check

ROUNDS = 200


class Span(NamedTuple):
    """V in a network's features."""

    dimensions: int
    """That hold 90% of the squared length of the differences."""
    hidden: int
    ratio: float
    """|g|^2 over |P_V g|^2, of sums."""


def shifted_spans(shifted: tuple[int, ...]) -> tuple[Span, ...]:
    """Return V for each number of shifted latent dimensions, of one network and 16 latent ones."""
    settings = PartialGlobalSettings(features="neural", shift_round=ROUNDS)
    part = {"kind": KIND, **{name: getattr(settings, name) for name in NETWORK}}
    network = pretrain(part, Path(), 0)
    found = []
    for s in shifted:
        world = PartialGlobalWorld.of(settings.model_copy(update={"shifted": s}), 0)
        features, in_v = seen(world, world.arms(ROUNDS), network)
        inside = float(np.sum(features[..., :in_v] ** 2))
        found.append(Span(in_v, settings.hidden, float(np.sum(features**2)) / inside))
    return tuple(found)


def check_features() -> tuple[Check, ...]:
    """Check whether few latent dimensions span few of a network's feature dimensions."""
    one, every = shifted_spans((1, 16))
    return (
        Check(
            "Few shifted latent dimensions take an even smaller share of the feature dimensions, so"
            " directional forgetting is d/s times more efficient.",
            "Remark 4 (section 7.4)",
            "yes" if one.dimensions <= 1 and one.ratio >= one.hidden / 2 else "no",
            f"a network of {one.hidden} features trained on one taste of 16 dimensions: a shift in"
            f" 1 spans {one.dimensions} of them (90% of squared length), one in all 16 spans"
            f" {every.dimensions}; ‖g‖² / ‖P_V g‖² is {one.ratio:.1f} and {every.ratio:.1f},"
            f" d/s would be {one.hidden} and {one.hidden // 16}",
        ),
    )
