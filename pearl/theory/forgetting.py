"""Proposition 5: how much uncertainty forgetting spends for each unit of it in V."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pearl.randomness import generator
from pearl.theory.check import Check

Array = NDArray[np.float64]
ROUNDING = 1e-9
PLACE = "Proposition 5 (section 7.4)"


def inefficiency(change: Array, basis: Array) -> float:
    """Return the trace of a change of A^-1 over its trace within V.

    Args:
        change: (d, d).
        basis: (d, s), orthonormal columns that span V.
    """
    return float(np.trace(change) / np.trace(basis.T @ change @ basis))


def length_ratio(g: Array, basis: Array) -> float:
    """Return |g|^2 over |P_V g|^2, the inefficiency of an injection along g."""
    inside = basis.T @ g
    return float(g @ g / (inside @ inside))


def bounds(inverse: Array, s: int) -> tuple[float, float]:
    """Return d / (s kappa) and d kappa / s."""
    values = np.linalg.eigvalsh(inverse)
    d, kappa = len(values), float(values[-1] / values[0])
    return d / (s * kappa), d * kappa / s


def subspace(d: int, s: int, index: int) -> Array:
    """Return an orthonormal basis (d, s) of a random subspace."""
    drawn = generator(0, "theory/subspace", index).standard_normal((d, s))
    basis: Array = np.linalg.qr(drawn)[0]
    return basis


def inverse_with(values: Array, index: int) -> Array:
    """Return a random symmetric matrix with these eigenvalues."""
    axes = subspace(len(values), len(values), 10_000 + index)
    return (axes * values) @ axes.T


def check_forgetting() -> tuple[Check, ...]:
    """Check the ratio of uniform discounting and of directional injection."""
    return (_bounds(), _discounting(), _within(), _along_features())


def _bounds() -> Check:
    source = generator(0, "theory/spectra")
    worst = np.inf
    for index in range(300):
        d = int(source.integers(2, 25))
        s = int(source.integers(1, d + 1))
        inverse = inverse_with(source.uniform(0.05, 1.0, d), index)
        low, high = bounds(inverse, s)
        ratio = inefficiency(0.1 * inverse, subspace(d, s, index))
        worst = min(worst, ratio / low, high / ratio)
    return Check(
        "Uniform discounting's inefficiency lies between d/(sκ) and dκ/s.",
        PLACE,
        "yes" if worst >= 1.0 - ROUNDING else "no",
        f"300 random A⁻¹ and V: bounds are met with a factor of at least {worst:.2f}",
    )


def _discounting() -> Check:
    d, s = 16, 4
    basis = np.eye(d)[:, :s]
    equal = inefficiency(np.eye(d), basis)
    known = inefficiency(np.diag([0.01] * s + [1.0] * (d - s)), basis)
    unknown = inefficiency(np.diag([1.0] * s + [0.01] * (d - s)), basis)
    return Check(
        "Uniform discounting's inefficiency is d/s.",
        PLACE,
        "yes" if abs(known - d / s) < ROUNDING and abs(unknown - d / s) < ROUNDING else "no",
        f"d/s = 4: {equal:.2f} where A⁻¹ is isotropic, {known:.0f} where V is known a hundred"
        f" times better than the rest and {unknown:.2f} where it is known worse",
    )


def _within() -> Check:
    d, s = 16, 4
    basis = subspace(d, s, 0)
    weights = generator(0, "theory/weights").uniform(0.1, 1.0, s)
    ratio = inefficiency((basis * weights) @ basis.T, basis)
    return Check(
        "Injection along directions within V has inefficiency 1.",
        PLACE,
        "yes" if abs(ratio - 1.0) < ROUNDING else "no",
        f"d = {d}, s = {s}: {ratio:.3f}",
    )


def _along_features() -> Check:
    d, s = 16, 4
    basis = np.eye(d)[:, :s]
    features = generator(0, "theory/features").standard_normal((4000, d))
    total = sum(np.outer(g, g) for g in features)
    ratio = inefficiency(np.asarray(total), basis)
    single = np.median([length_ratio(g, basis) for g in features])
    return Check(
        "PEARL's injection along the feature g has inefficiency 1.",
        PLACE,
        "yes" if abs(ratio - 1.0) < ROUNDING else "no",
        f"it is ‖g‖² / ‖P_V g‖², which is 1 only for g ∈ V: with isotropic features of d = {d},"
        f" s = {s} it is {ratio:.2f} in total and {single:.2f} in the median, as d/s = 4 of"
        " discounting",
    )
