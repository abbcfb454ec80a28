"""VRF: a user weights 12 bases by a Gaussian of his own, a variational factorisation of rewards.

    r = sigmoid(w_u . phi),  q(w_u) = N(c + m_u, diag e^(v_u)),  prior N(c, I)

c, the population's weights, belongs to the bases; m_u and v_u are the user's. Pretraining and
online updates lower E_q (r - mu)^2 + beta KL(q || prior), with a draw of the weights an
observation. mu stands at the mean weights, sigma is the standard deviation over 16 draws of
weights, the same draws for all arms and users until the next update.
"""

from __future__ import annotations

import math

import numpy as np

from pearl.bandits.gradient import exps, sigmoids
from pearl.bandits.heads.bases import combined, dots, spread
from pearl.bandits.heads.head import RewardHead
from pearl.bandits.heads.network import Floats, Ints, Parameters
from pearl.bandits.heads.parts import Loss, Rows, squared
from pearl.bandits.network import Floats32
from pearl.randomness import generator


class VRF(RewardHead):
    """Twelve bases, beta .001 (Table 4), 16 draws."""

    outputs = 12
    based = True
    sampled = True
    beta = 0.001
    draws = 16

    def tables(self, users: int) -> Parameters:
        """Return q at the prior, around population weights of length 1."""
        common = np.full(self.outputs, 1.0 / math.sqrt(self.outputs), dtype=np.float32)
        shift, log_variance = np.zeros((2, users, self.outputs), dtype=np.float32)
        return {"common": common, "shift": shift, "log_variance": log_variance}

    def personal(self) -> list[str]:
        """Return m_u and v_u."""
        return ["shift", "log_variance"]

    def pretraining_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return the negative ELBO, with unit weight on the squared error."""
        n, users = len(phi), rows.users
        shift = p["shift"][users].astype(np.float64)
        log_variance = p["log_variance"][users].astype(np.float64)
        sd = exps(0.5 * log_variance)
        w = p["common"].astype(np.float64) + shift + sd * rows.noise
        logits = dots(w, phi)
        losses, slope = squared(sigmoids(logits), rows.rewards)
        kl, kl_shift, kl_log_variance = divergence(shift, log_variance)
        by_w = slope[:, None] * phi
        by_table = {name: np.zeros(p[name].shape) for name in self.tables(0)}
        for row in by_w:
            by_table["common"] += row
        np.add.at(by_table["shift"], users, by_w + self.beta * kl_shift)
        np.add.at(
            by_table["log_variance"],
            users,
            0.5 * by_w * sd * rows.noise + self.beta * kl_log_variance,
        )
        return Loss(
            math.fsum(losses) + self.beta * math.fsum(kl),
            slope[:, None] * w / n,
            {name: g / n for name, g in by_table.items()},
        )

    def online_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return the same: squared error and beta KL."""
        return self.pretraining_loss(p, phi, rows)

    def predict(
        self, p: Parameters, phi: Floats, users: Ints, noise: Floats
    ) -> tuple[Floats, Floats]:
        """Return mu at the mean weights, and the standard deviation over the draws."""
        w = p["common"].astype(np.float64) + p["shift"][users].astype(np.float64)
        sd = exps(0.5 * p["log_variance"][users].astype(np.float64))
        drawn = [sigmoids(dots((w + sd * draw)[:, None, :], phi)) for draw in noise]
        return sigmoids(dots(w[:, None, :], phi)), spread(drawn)

    def linear(self, p: Parameters) -> tuple[Floats32, Floats32]:
        """Return the mean weights' sum of the bases, user by user."""
        return combined(p, p["common"] + p["shift"])

    def noise(self, seed: int, number: int) -> Floats:
        """Return 16 standard normal draws of 12 weights."""
        shape = (self.draws, self.outputs)
        return generator(seed, "policy/weights", number).standard_normal(shape)


def divergence(shift: Floats, log_variance: Floats) -> tuple[Floats, Floats, Floats]:
    """Return KL(N(m, e^v) || N(0, 1)), summed over weights (n,), and its slopes by m and v."""
    variance = exps(log_variance)
    terms = 0.5 * (variance + shift * shift - 1.0 - log_variance)
    total = np.zeros(len(terms))
    for b in range(terms.shape[1]):
        total += terms[:, b]
    return total, shift, 0.5 * (variance - 1.0)
