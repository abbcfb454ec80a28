"""Section 3's Algorithm 1 written down again, in float64 NumPy, one interaction at a time.

Only the network's training is pearl's own (it is tested against torch elsewhere).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from pearl.bandits.method import BanditMethod
from pearl.bandits.network import Adam, TrainingSettings, Weights
from pearl.bandits.training import update
from pearl.environments.interactions import Block

Row = dict[str, float]


def literal_replay(
    blocks: Iterable[Block],
    method: BanditMethod,
    training: TrainingSettings,
    weights: Weights,
    adam: Adam,
    stated: np.ndarray,
    embeddings: np.ndarray,
    seed: int,
    size: int,
) -> list[Row]:
    """Play an error-adaptive, fixed or greedy method without a prior; return what each step saw.

    A window's Gram matrix is inverted anew in every step, from the features as they were learned.
    """
    errors = np.full(len(stated), method.error_start)
    inverse = np.eye(training.hidden) / method.regularization
    seen: list[tuple[int, int, float]] = []
    met: set[int] = set()
    learned: list[np.ndarray] = []
    window = method.window if method.forgetting == "window" else None
    identity = np.eye(training.hidden)

    def gram(rows: list[np.ndarray]) -> np.ndarray:
        g = np.array(rows)
        return np.linalg.inv(method.regularization * identity + g.T @ g)

    rows: list[Row] = []
    updates = 0
    for block in blocks:
        for user, arms, rewards in zip(block.users, block.arms, block.rewards, strict=True):
            g = np.array([_features(weights, stated, embeddings, user, a, errors) for a in arms])
            mean = 1 / (1 + np.exp(-(g @ weights.head.astype(float) + float(weights.bias[0]))))
            sigma = np.sqrt(np.einsum("ki,ij,kj->k", g, inverse, g))
            factor: Mapping[str, float] = {
                "none": 0.0,
                "fixed": method.alpha,
                "error_adaptive": method.gamma * errors[user],
            }
            arm = int(np.argmax(mean + factor[method.exploration] * sigma))
            old, error = errors[user], abs(rewards[arm] - mean[arm])
            if method.forgetting == "discount":
                inverse = inverse / method.discount
            image = inverse @ g[arm]
            inverse = inverse - np.outer(image, image) / (1 + g[arm] @ image)
            injected = method.forgetting == "directional" and error > old > method.threshold
            if injected:
                eta = method.eta
                if method.injection == "mean_error":
                    eta *= np.mean([errors[u] for u in {*met, user}]) / 0.5
                inverse = inverse + eta * error**2 * np.outer(g[arm], g[arm])
                values, vectors = np.linalg.eigh(inverse)
                inverse = (vectors * np.minimum(values, 1 / method.regularization)) @ vectors.T
            errors[user] = method.beta * old + (1 - method.beta) * error
            seen.append((user, arms[arm], rewards[arm]))
            met.add(user)
            learned.append(g[arm])
            if window is not None and len(learned) > window:
                inverse = gram(learned[-window:])
            if method.forgetting == "restart" and np.mean(errors) > method.restart_above:
                inverse, injected = identity / method.regularization, True
            rows.append(
                {
                    "choice": arm,
                    "mean": mean[arm],
                    "sigma": sigma[arm],
                    "tracker": old,
                    "injected": injected,
                }
            )
        if block.update:
            newest = seen[-min(size, window or size) if method.window_training else -size :]
            users, arms, rewards = (np.array(column) for column in zip(*newest, strict=True))
            update(
                *(weights, adam, stated, users, arms, rewards, errors),
                *(embeddings, training, seed, updates),
            )
            updates += 1
            learned = [
                _features(weights, stated, embeddings, u, a, errors)
                for u, a, _ in seen[-min(size, window or size) :]
            ]
            inverse = gram(learned)
    return rows


def _features(
    weights: Weights,
    stated: np.ndarray,
    embeddings: np.ndarray,
    user: int,
    arm: int,
    errors: np.ndarray,
) -> np.ndarray:
    embedded = (1 - errors[user]) * weights.users[user].astype(float)
    x = np.concatenate([stated[user], embedded, embeddings[arm]])
    first = np.maximum(x @ weights.w1.astype(float) + weights.b1, 0)
    return np.maximum(first @ weights.w2.astype(float) + weights.b2, 0)
