"""The deployable policy: choose, observe, learn online; the replay loop's steps, one at a time.

    policy = Policy(load_methods()["pearl"], weights, stated, TrainingSettings(), seed=42)
    choice = policy.select(user=3, arms=embeddings)         # (K, 384) float32
    policy.update(user=3, arm=embeddings[choice.arm], reward=0.8)
    numpy.savez(file, **to_arrays(policy))                  # bandits.saved_policy
    policy = from_arrays(numpy.load(file))                  # goes on bit for bit

Not for several threads at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pearl.bandits.draws import Floats, Ints, draws
from pearl.bandits.folding import Folded, fold, fold_arms
from pearl.bandits.gram import rebuild
from pearl.bandits.memory import Memory
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import Adam, Floats32, TrainingSettings, Weights, new_adam
from pearl.bandits.state import Scratch, new_scratch, new_state, rule_of
from pearl.bandits.step import observe, select
from pearl.bandits.training import update
from pearl.errors import SettingError


class Choice(NamedTuple):
    """What a policy would do, and why."""

    arm: int
    """The chosen arm, 0 .. K - 1."""
    mean: float
    """mu, its predicted reward, in (0, 1)."""
    uncertainty: float
    """sigma, Eq. (2)."""
    scores: Floats
    """What was compared (K,), Eq. (6)."""


class Policy:
    """A method at work: its network, Gram matrix, tracked errors and newest observations.

    Attributes:
        interactions: rewards seen so far; it also indexes the method's draws.
        updates: network updates so far.
        state: A^-1 and the tracked errors; read it, don't write it.
        weights: the network; its arrays change in place at an update.
    """

    def __init__(
        self,
        method: BanditMethod,
        weights: Weights,
        stated: Floats32,
        training: TrainingSettings,
        *,
        seed: int = 0,
        update_interval: int | None = 1000,
        max_observations: int = 2000,
        adam: Adam | None = None,
        prior: tuple[Ints, Floats32] | None = None,
    ) -> None:
        """Start from a pretrained network, which is copied.

        Args:
            method: any method with a network and the MLP's head.
            weights: the network, as pretrained for these users.
            stated: the users' stated features (U, S), in [0, 1].
            training: how the network learns online.
            seed: of the method's draws, dropout and order.
            update_interval: interactions between two network updates; None: only `learn` updates.
            max_observations: how many of the newest observations an update and A^-1 stand on.
            adam: the optimiser's state to go on from, copied; None starts it anew.
            prior: users (n,) and arms' features (n, Z) that A^-1 starts from, for methods whose
                prior is pretraining and for no others.

        Raises:
            SettingError: Random, Oracle or another head; an interval or a number of observations
                below 1; a prior or user features that the method needs and doesn't get, or the
                other way.
            ValueError: shapes that don't fit the network.
        """
        if not method.network:
            raise SettingError(
                f"Exploration {method.exploration} can't be deployed: it has no network."
            )
        if method.head != "mlp":
            raise SettingError(f"Head {method.head} can't be deployed: it plays in replays only.")
        if max_observations < 1 or (update_interval is not None and update_interval < 1):
            raise SettingError("update_interval and max_observations have to be at least 1.")
        if (prior is None) != (method.prior == "empty"):
            raise SettingError(
                f"The method's prior is {method.prior};"
                f" features to start from were {'not ' if prior is None else ''}given."
            )
        if not method.user_features and stated.shape[1] + weights.users.shape[1] > 0:
            raise SettingError("The method has no user features, but the network takes some.")
        hidden, embedding = weights.w1.shape[1], weights.users.shape[1]
        if (training.hidden, training.embedding) != (hidden, embedding):
            raise ValueError(
                f"the network has hidden {hidden} and embedding {embedding},"
                f" its training {training.hidden} and {training.embedding}"
            )
        self.method, self.training, self.seed = method, training, seed
        self.update_interval, self.max_observations = update_interval, max_observations
        self.stated = np.array(stated, dtype=np.float32)
        self.weights = weights.copy()
        start = new_adam(weights) if adam is None else adam
        self.adam = Adam(start.m.copy(), start.v.copy(), start.steps.copy())
        self.interactions, self.updates = 0, 0
        self._width = len(weights.w1) - self.stated.shape[1] - embedding
        size = 0
        if method.online:
            size = max(method.training_size(max_observations), method.gram_size(max_observations))
        self.memory = Memory.empty(size, self._width)
        self.state = new_state(method, len(self.stated), hidden)
        self._rule = rule_of(method, training.damping)
        self._fold()
        if prior is not None:
            self._rebuild(*prior)

    def select(self, user: int, arms: Floats32) -> Choice:
        """Choose one of the arms for the user; changes nothing, so asking again gives the same.

        Args:
            user: row of `stated`.
            arms: their features (K, Z), K >= 1.

        Raises:
            ValueError: an unknown user, arms of another length, values that aren't finite.
        """
        self._check(user, arms)
        drawn = draws(self.method, self.seed, self.interactions, 1, len(arms))
        chosen, scratch = self._measure(user, arms, float(drawn.ties[0]), drawn.normals[0])
        return Choice(
            arm=chosen,
            mean=float(scratch.means[chosen]),
            uncertainty=math.sqrt(max(scratch.variances[chosen], 0.0)),
            scores=scratch.scores,
        )

    def update(self, user: int, arm: Floats32, reward: float) -> None:
        """Learn that `arm` was shown to the user and earned `reward`.

        Args:
            user: row of `stated`.
            arm: the shown arm's features (Z,).
            reward: in [0, 1].

        Raises:
            ValueError: as `select`, or a reward outside [0, 1]; nothing has changed then.
        """
        self._check(user, arm[None])
        if not 0.0 <= reward <= 1.0:
            raise ValueError(f"a reward lies in [0, 1], not {reward}")
        _, scratch = self._measure(user, arm[None], 0.0, np.zeros(1))
        observe(self.state, self._rule, user, 0, float(reward), scratch)
        self.interactions += 1
        if not self.method.online:
            return
        self.memory.add(user, arm, reward)
        if self.update_interval and self.interactions % self.update_interval == 0:
            self.learn()

    def learn(self) -> float:
        """Update the network on the newest observations, rebuild A^-1; return the mean loss.

        Raises:
            SettingError: the method doesn't learn online.
        """
        if not self.method.online:
            raise SettingError(f"{self.method.label or 'This method'} doesn't learn online.")
        memory, method, most = self.memory, self.method, self.max_observations
        held = memory.order()
        rows = held[-method.training_size(most) :]
        loss = update(
            self.weights,
            self.adam,
            self.stated,
            memory.users[rows],
            rows,
            memory.rewards[rows],
            self.state.errors,
            memory.arms,
            self.training,
            self.seed,
            self.updates,
        )
        self.updates += 1
        self._fold()
        rows = held[-method.gram_size(most) :]
        self._rebuild(memory.users[rows], memory.arms[rows])
        return loss

    def _fold(self) -> None:
        none = np.empty((0, self._width), dtype=np.float32)
        self._folded: Folded = fold(self.weights, self.stated, none, np.empty(0, dtype=np.int64))

    def _rebuild(self, users: Ints, arms: Floats32) -> None:
        parts = fold_arms(self.weights, arms, np.arange(len(arms)))
        rebuild(self.state, self._rule, self._folded._replace(arms=parts), users)

    def _measure(
        self, user: int, arms: Floats32, tie: float, normals: Floats
    ) -> tuple[int, Scratch]:
        embeddings = np.ascontiguousarray(arms, dtype=np.float32)
        parts = fold_arms(self.weights, embeddings, np.arange(len(arms)))
        folded = self._folded._replace(arms=parts)
        scratch = new_scratch(folded, len(arms))
        chosen = select(folded, self.state, self._rule, user, 0, len(arms), tie, normals, scratch)
        return chosen, scratch

    def _check(self, user: int, arms: Floats32) -> None:
        if not 0 <= user < len(self.stated):
            raise ValueError(f"user {user} isn't one of 0..{len(self.stated) - 1}")
        if arms.ndim != 2 or arms.shape[1] != self._width or len(arms) == 0:
            raise ValueError(f"arms have shape {arms.shape}, not (K, {self._width}) with K >= 1")
        if not np.isfinite(arms).all():
            raise ValueError("an arm's features aren't finite")
