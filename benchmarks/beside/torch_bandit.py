"""PEARL written step by step in torch, as one would first write it: what pearl's own is timed with.

Network and Adam in float32, the Gram matrix's inverse in float64, an eigendecomposition at every
injection. Dropout and order of the updates are pearl's draws, so that both learn the same.
"""

from __future__ import annotations

import numpy as np
import torch

from pearl.bandits.method import BanditMethod
from pearl.bandits.network import TrainingSettings, Weights
from pearl.bandits.training import update_draws


class TorchBandit:
    def __init__(
        self,
        method: BanditMethod,
        training: TrainingSettings,
        weights: Weights,
        stated: np.ndarray,
        embeddings: np.ndarray,
        seed: int,
    ) -> None:
        self.method, self.training, self.seed = method, training, seed
        self.stated, self.embeddings = torch.from_numpy(stated), torch.from_numpy(embeddings)
        self.network = torch.nn.ModuleDict(
            {
                "users": torch.nn.Embedding(*weights.users.shape),
                "first": torch.nn.Linear(*weights.w1.shape),
                "second": torch.nn.Linear(*weights.w2.shape),
                "head": torch.nn.Linear(len(weights.head), 1),
            }
        )
        given = {
            "users.weight": weights.users,
            "first.weight": weights.w1.T,
            "first.bias": weights.b1,
            "second.weight": weights.w2.T,
            "second.bias": weights.b2,
            "head.weight": weights.head[None],
            "head.bias": weights.bias,
        }
        state = {name: torch.from_numpy(array.copy()) for name, array in given.items()}
        self.network.load_state_dict(state)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=training.learning_rate)
        self.ceiling = 1.0 / method.regularization
        self.inverse = self.ceiling * torch.eye(len(weights.head), dtype=torch.float64)
        self.errors = torch.full((len(stated),), method.error_start, dtype=torch.float64)
        self.updates = 0

    def features(
        self, users: torch.Tensor, arms: torch.Tensor, kept: torch.Tensor | None = None
    ) -> torch.Tensor:
        net = self.network
        share = (1.0 - self.errors[users]).float()[:, None]
        x = torch.cat([self.stated[users], share * net["users"](users), self.embeddings[arms]], 1)
        for k, layer in enumerate((net["first"], net["second"])):
            x = torch.relu(layer(x))
            if kept is not None:
                x = x * kept[:, k] / (1.0 - self.training.dropout)
        return x

    @torch.no_grad()
    def step(self, user: int, arms: np.ndarray, rewards: np.ndarray) -> tuple[int, bool]:
        """Choose, observe, learn; return the arm and whether uncertainty was injected."""
        rows = torch.from_numpy(arms)
        g = self.features(torch.full_like(rows, user), rows)
        means = torch.sigmoid(self.network["head"](g))[:, 0].double()
        g = g.double()
        sigma = torch.sqrt(torch.einsum("ki,ij,kj->k", g, self.inverse, g))
        old = self.errors[user].item()
        arm = int(torch.argmax(means + self.method.gamma * old * sigma))
        error = abs(float(rewards[arm]) - means[arm].item())
        image = self.inverse @ g[arm]
        self.inverse -= torch.outer(image, image) / (1.0 + g[arm] @ image)
        injected = error > old > self.method.threshold
        if injected:
            self.inverse += self.method.eta * error**2 * torch.outer(g[arm], g[arm])
            values, vectors = torch.linalg.eigh(self.inverse)
            self.inverse = (vectors * values.clamp(max=self.ceiling)) @ vectors.T
        self.errors[user] = self.method.beta * old + (1.0 - self.method.beta) * error
        return arm, injected

    def learn(self, users: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        """Update the network on these observations and rebuild the Gram matrix from them."""
        n, batch = len(users), self.training.batch
        rows = [torch.from_numpy(array) for array in (users, arms, rewards.astype(np.float32))]
        for k in range(self.training.passes):
            order, kept = update_draws(self.training, n, self.seed, self.updates, k)
            masks = torch.from_numpy(kept).float()
            for first in range(0, n, batch):
                some = torch.from_numpy(order[first : first + batch])
                g = self.features(rows[0][some], rows[1][some], masks[first : first + batch])
                predicted = torch.sigmoid(self.network["head"](g))[:, 0]
                loss = torch.nn.functional.mse_loss(predicted, rows[2][some])
                self.adam.zero_grad()
                loss.backward()
                self.adam.step()
        self.updates += 1
        with torch.no_grad():
            g = self.features(rows[0], rows[1]).double()
            gram = self.method.regularization * torch.eye(g.shape[1], dtype=torch.float64)
            self.inverse = torch.linalg.inv(gram + g.T @ g)
