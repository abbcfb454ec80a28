"""The reward network in torch: the reference that the compiled trainer is held to."""

from __future__ import annotations

import numpy as np
import torch

from pearl.bandits.network import Weights


class TorchNetwork(torch.nn.Module):
    """Linear-ReLU-Dropout twice and a linear head, from given weights.

    Dropout takes the outputs to keep as an argument (n, 2, d); None drops nothing.
    """

    def __init__(self, weights: Weights, dropout: float = 0.1) -> None:
        super().__init__()
        inputs, d = weights.w1.shape
        self.dropout = dropout
        self.users = torch.nn.Embedding(*weights.users.shape)
        self.layer1 = torch.nn.Linear(inputs, d)
        self.layer2 = torch.nn.Linear(d, d)
        self.head = torch.nn.Linear(d, 1)
        with torch.no_grad():
            self.users.weight.copy_(torch.from_numpy(weights.users))
            self.layer1.weight.copy_(torch.from_numpy(weights.w1.T))
            self.layer1.bias.copy_(torch.from_numpy(weights.b1))
            self.layer2.weight.copy_(torch.from_numpy(weights.w2.T))
            self.layer2.bias.copy_(torch.from_numpy(weights.b2))
            self.head.weight.copy_(torch.from_numpy(weights.head[None]))
            self.head.bias.copy_(torch.from_numpy(weights.bias))

    def inputs(
        self,
        stated: torch.Tensor,
        embeddings: torch.Tensor,
        users: torch.Tensor,
        arms: torch.Tensor,
        share: torch.Tensor | float = 1.0,
    ) -> torch.Tensor:
        """Return [s_u; share e(u); z] for rows of users (n,) and arms (n,)."""
        return torch.cat([stated[users], share * self.users(users), embeddings[arms]], dim=1)

    def features(self, x: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        """Return g (n, d)."""
        for k, layer in enumerate((self.layer1, self.layer2)):
            x = torch.relu(layer(x))
            if kept is not None:
                x = x * kept[:, k] / (1.0 - self.dropout)
        return x

    def logits(self, x: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        """Return the head's output (n,); its sigmoid is the predicted reward."""
        return self.head(self.features(x, kept)).squeeze(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the predicted reward (n,), nothing dropped."""
        return torch.sigmoid(self.logits(x))

    def weights(self) -> Weights:
        """Return copies of the parameters in pearl's layout."""
        arrays = (
            self.users.weight,
            self.layer1.weight.T,
            self.layer1.bias,
            self.layer2.weight.T,
            self.layer2.bias,
            self.head.weight[0],
            self.head.bias,
        )
        return Weights(*(np.ascontiguousarray(a.detach().numpy()).copy() for a in arrays))
