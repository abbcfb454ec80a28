"""URM: the logit is Gaussian, its mean and log-variance two outputs of one network.

    logit ~ N(m, e^s),  mu = sigmoid(m),  sigma = mu (1 - mu) e^(s / 2)

sigma is the sigmoid's delta method. Pretraining lowers the Gaussian negative log-likelihood of all
ratings under N(mu, sigma^2), online updates the squared error of mu alone. sigma says how noisy a
rating is, not how little is known of it: it is aleatoric.
"""

from __future__ import annotations

import math

import numpy as np

from pearl.bandits.gradient import exps, sigmoids, softpluses
from pearl.bandits.heads.head import RewardHead
from pearl.bandits.heads.network import Floats, Ints, Parameters
from pearl.bandits.heads.parts import Loss, Rows, squared
from pearl.bandits.network import Floats32

_WIDEST = 10.0
"""|s| is cut here, where its gradient vanishes: nothing overflows."""


class URM(RewardHead):
    """Two outputs: the logit's mean and log-variance."""

    outputs = 2

    def pretraining_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return (log sigma^2 + (r - mu)^2 / sigma^2) / 2, summed, and its gradient."""
        m, s = phi[:, 0], np.clip(phi[:, 1], -_WIDEST, _WIDEST)
        mu = sigmoids(np.ascontiguousarray(m))
        slope = mu * (1.0 - mu)
        # log(mu (1 - mu)), from the logit: mu itself may round to 1
        log_slope = -(np.abs(m) + 2.0 * softpluses(-np.abs(m)))
        precision = exps(-(2.0 * log_slope + s))
        error = rows.rewards - mu
        off = error * error * precision
        losses = 0.5 * (2.0 * log_slope + s + off)
        by_m = (1.0 - 2.0 * mu) * (1.0 - off) - error * slope * precision
        by_s = np.where(np.abs(phi[:, 1]) <= _WIDEST, 0.5 * (1.0 - off), 0.0)
        return Loss(math.fsum(losses), np.stack([by_m, by_s], axis=1) / len(phi), {})

    def online_loss(self, p: Parameters, phi: Floats, rows: Rows) -> Loss:
        """Return the squared error of mu; the log-variance has no part in it."""
        losses, by_m = squared(sigmoids(np.ascontiguousarray(phi[:, 0])), rows.rewards)
        return Loss(math.fsum(losses), np.stack([by_m, 0.0 * by_m], axis=1) / len(phi), {})

    def predict(
        self, p: Parameters, phi: Floats, users: Ints, noise: Floats
    ) -> tuple[Floats, Floats]:
        """Return mu and sigma, as above."""
        mu = sigmoids(np.ascontiguousarray(phi[..., 0]))
        s = np.clip(phi[..., 1], -_WIDEST, _WIDEST)
        return mu, mu * (1.0 - mu) * exps(0.5 * s)

    def linear(self, p: Parameters) -> tuple[Floats32, Floats32]:
        """Return the mean's head, the same for all users."""
        return p["heads"][:1], p["offsets"][:1, None]
