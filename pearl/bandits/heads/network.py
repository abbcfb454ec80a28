"""Two layers with several outputs: what the reward heads stand on.

The layers are the MLP's, drawn from the same streams; in place of its one linear head stand B of
them, phi_b = heads_b . g + offsets_b. Products are `bandits.gradient.multiply`'s, everything else
is elementwise: bit-equal on every machine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pearl.bandits.adam import factors, move
from pearl.bandits.gradient import multiply
from pearl.bandits.network import Floats32, TrainingSettings, initial_weights
from pearl.randomness import generator

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Parameters = dict[str, Floats32]
"""All that is learned, by name; float32, changed in place. A head adds its own to the network's."""

LAYERS = ("users", "w1", "b1", "w2", "b2", "heads", "offsets")
"""The network's: learned embeddings (U, E), two layers, heads (B, d) and offsets (B,)."""


class Adam(NamedTuple):
    """The optimiser's state, by parameter, as in torch."""

    m: Parameters
    v: Parameters
    steps: dict[str, int]


class Pass(NamedTuple):
    """What a forward pass over n rows leaves for the way back."""

    x: Floats32
    """[s_u; share e(u); z] (n, S + E + Z)."""
    g1: Floats32
    g2: Floats32
    """g (n, d)."""
    slope1: Floats32
    """What ReLU and dropout multiplied the layer by (n, d)."""
    slope2: Floats32
    outputs: Floats32
    """phi (n, B)."""


def initial(
    settings: TrainingSettings, users: int, stated: int, arm: int, outputs: int, seed: int
) -> Parameters:
    """Draw the network that pretraining starts from; its layers are the MLP's of that seed."""
    weights = initial_weights(settings, users, stated, arm, seed)
    bound = 1.0 / math.sqrt(settings.hidden)

    def uniform(part: str, *shape: int) -> Floats32:
        draws = generator(seed, f"bandit/init/{part}").random(shape)
        return ((2.0 * draws - 1.0) * bound).astype(np.float32)

    return {
        **{name: getattr(weights, name) for name in LAYERS[:5]},
        "heads": uniform("heads", outputs, settings.hidden),
        "offsets": uniform("offsets", outputs),
    }


def new_adam(parameters: Parameters) -> Adam:
    """Return Adam's state before its first step."""
    m, v = ({name: np.zeros_like(a) for name, a in parameters.items()} for _ in range(2))
    return Adam(m, v, dict.fromkeys(parameters, 0))


def inputs(
    p: Parameters, stated: Floats32, share: Floats32, embeddings: Floats32, users: Ints, arms: Ints
) -> Floats32:
    """Return [s_u; share_u e(u); z] of every row (n, S + E + Z)."""
    embedded = share[users, None] * p["users"][users]
    return np.concatenate([stated[users], embedded, embeddings[arms]], axis=1)


def forward(p: Parameters, x: Floats32, kept: NDArray[np.bool_] | None, scale: float) -> Pass:
    """Return the pass over rows.

    Args:
        p: the parameters.
        x: the inputs (n, S + E + Z).
        kept: what dropout keeps of both layers' outputs (n, 2, d); None drops nothing.
        scale: 1 / (1 - dropout).
    """
    g1, slope1 = _layer(x, p["w1"], p["b1"], None if kept is None else kept[:, 0], scale)
    g2, slope2 = _layer(g1, p["w2"], p["b2"], None if kept is None else kept[:, 1], scale)
    outputs = np.tile(p["offsets"], (len(x), 1))
    multiply(g2, np.ascontiguousarray(p["heads"].T), outputs)
    return Pass(x, g1, g2, slope1, slope2, outputs)


def backward(
    p: Parameters, s: Pass, d_outputs: Floats32, stated: int
) -> tuple[Parameters, Floats32]:
    """Return the gradient of all of LAYERS but `users`, and that of the embedding's inputs (n, E).

    Args:
        p: the parameters.
        s: their forward pass.
        d_outputs: the loss by phi (n, B).
        stated: S, the first of the inputs that the embedding gave.
    """
    d2 = _product(d_outputs, p["heads"]) * s.slope2
    d1 = _product(d2, p["w2"].T) * s.slope1
    embedding = p["users"].shape[1]
    return {
        "w1": _product(s.x.T, d1),
        "b1": _sums(d1),
        "w2": _product(s.g1.T, d2),
        "b2": _sums(d2),
        "heads": _product(d_outputs.T, s.g2),
        "offsets": _sums(d_outputs),
    }, _product(d1, p["w1"][stated : stated + embedding].T)


def descend(p: Parameters, adam: Adam, gradient: Parameters, rate: float) -> None:
    """Take a step of torch's Adam with every parameter that `gradient` names."""
    for name, slope in gradient.items():
        adam.steps[name] += 1
        step, spread = factors(adam.steps[name], rate)
        move(p[name], adam.m[name], adam.v[name], slope, step, spread)


def _layer(
    x: Floats32, w: Floats32, b: Floats32, kept: NDArray[np.bool_] | None, scale: float
) -> tuple[Floats32, Floats32]:
    """Return dropout(relu(x w + b)) and its slope."""
    z = np.tile(b, (len(x), 1))
    multiply(x, w, z)
    slope = (z > 0).astype(np.float32)
    if kept is not None:
        slope *= kept.astype(np.float32) * np.float32(scale)
    return z * slope, slope


def _product(a: Floats32, b: Floats32) -> Floats32:
    out = np.zeros((a.shape[0], b.shape[1]), dtype=np.float32)
    if out.size:
        multiply(np.ascontiguousarray(a), np.ascontiguousarray(b), out)
    return out


def _sums(a: Floats32) -> Floats32:
    """Return the sum over rows, in their order."""
    return _product(np.ones((1, len(a)), dtype=np.float32), a).reshape(-1)
