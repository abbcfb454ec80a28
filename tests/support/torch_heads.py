"""The reward heads in torch: losses written as their definitions, gradients by autograd."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from pearl.bandits.heads.parts import Features, Model
from pearl.bandits.network import TrainingSettings

Tensors = Mapping[str, torch.Tensor]


class TorchHead:
    """A head's parameters as leaves, with torch's Adam over those that are trained."""

    def __init__(
        self,
        model: Model,
        known: Features,
        training: TrainingSettings,
        trained: tuple[str, ...] | None = None,
    ) -> None:
        self.p = {
            name: torch.from_numpy(array.copy()).requires_grad_()
            for name, array in model.parameters.items()
        }
        self.stated, self.arms = (torch.from_numpy(part) for part in known)
        self.scale = 1.0 / (1.0 - training.dropout)
        leaves = [self.p[name] for name in trained or self.p]
        self.adam = torch.optim.Adam(leaves, lr=training.learning_rate)

    def phi(
        self,
        users: np.ndarray,
        arms: np.ndarray,
        kept: np.ndarray | None,
        share: np.ndarray | None = None,
    ) -> torch.Tensor:
        """Return phi (n, B)."""
        factor = 1.0 if share is None else torch.from_numpy(share[users])[:, None]
        embedded = factor * self.p["users"][torch.from_numpy(users)]
        x = torch.cat([self.stated[users], embedded, self.arms[arms]], dim=1)
        for k, (w, b) in enumerate((("w1", "b1"), ("w2", "b2"))):
            x = torch.relu(x @ self.p[w] + self.p[b])
            if kept is not None:
                x = x * torch.from_numpy(kept[:, k]) * self.scale
        return x @ self.p["heads"].T + self.p["offsets"]

    def step(self, losses: torch.Tensor) -> float:
        """Descend on the mean; return the sum."""
        self.adam.zero_grad()
        losses.mean().backward()
        self.adam.step()
        return float(losses.detach().sum())

    def assert_same(self, model: Model, tolerance: float = 1e-5) -> None:
        for name, leaf in self.p.items():
            np.testing.assert_allclose(
                model.parameters[name], leaf.detach().numpy(), rtol=0, atol=tolerance, err_msg=name
            )


def urm_nll(p: Tensors, phi: torch.Tensor, users: torch.Tensor, rewards: torch.Tensor,
            noise: torch.Tensor) -> torch.Tensor:  # fmt: skip
    mu = torch.sigmoid(phi[:, 0])
    sd = mu * (1 - mu) * torch.exp(torch.clamp(phi[:, 1], -10, 10) / 2)
    return torch.nn.functional.gaussian_nll_loss(mu, rewards, sd**2, eps=1e-30, reduction="none")


def urm_squares(p: Tensors, phi: torch.Tensor, users: torch.Tensor, rewards: torch.Tensor,
                noise: torch.Tensor) -> torch.Tensor:  # fmt: skip
    return (torch.sigmoid(phi[:, 0]) - rewards) ** 2 + 0.0 * phi[:, 1]


def vrf_elbo(p: Tensors, phi: torch.Tensor, users: torch.Tensor, rewards: torch.Tensor,
             noise: torch.Tensor) -> torch.Tensor:  # fmt: skip
    shift, log_variance = p["shift"][users], p["log_variance"][users]
    q = torch.distributions.Normal(p["common"] + shift, torch.exp(log_variance / 2))
    prior = torch.distributions.Normal(p["common"], torch.ones_like(shift))
    drawn = q.loc + q.scale * noise
    mu = torch.sigmoid((drawn * phi).sum(dim=1))
    return (mu - rewards) ** 2 + 0.001 * torch.distributions.kl_divergence(q, prior).sum(dim=1)


def mrm_squares(p: Tensors, phi: torch.Tensor, users: torch.Tensor, rewards: torch.Tensor,
                noise: torch.Tensor) -> torch.Tensor:  # fmt: skip
    return (torch.sigmoid((p["weights"][users] * phi).sum(dim=1)) - rewards) ** 2


def adapted(start: torch.Tensor, psi: torch.Tensor, steps: int, rate: float) -> torch.Tensor:
    """Return the weights after MAML's inner steps on pairs psi (n, B), to be differentiated."""
    w = start
    for _ in range(steps):
        loss = torch.nn.functional.softplus(-(psi @ w)).mean()
        (slope,) = torch.autograd.grad(loss, w, create_graph=True)
        w = w - rate * slope
    return w


def maml_loss(
    start: torch.Tensor, support: torch.Tensor, query: torch.Tensor, steps: int, rate: float
) -> torch.Tensor:
    """Return a task's query loss after adaptation on its support."""
    return torch.nn.functional.softplus(-(query @ adapted(start, support, steps, rate))).mean()
