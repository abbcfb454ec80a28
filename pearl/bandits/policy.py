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
from pearl.bandits.policy_checks import (
    check_adam,
    check_answer,
    check_weights,
    features32,
    fraction,
    rows_of,
    shape_of,
    user_row,
    whole,
)
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
            ValueError: shapes that don't fit the network or each other, weights or moments that
                aren't C-contiguous float32, values that aren't finite, unknown users in the prior.
            TypeError: a seed, an interval or a number of observations that is no whole number.
        """
        seed, max_observations = whole("seed", seed), whole("max_observations", max_observations)
        if update_interval is not None:
            update_interval = whole("update_interval", update_interval)
        if not 0 <= seed < 2**63:
            raise ValueError(f"a seed lies in 0 .. 2^63 - 1, not {seed}")
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
        stated = features32("stated", stated, None, None)
        shape = shape_of(weights, stated)
        if not method.user_features and stated.shape[1] + weights.users.shape[1] > 0:
            raise SettingError("The method has no user features, but the network takes some.")
        hidden, embedding = shape.hidden, shape.embedding
        if (training.hidden, training.embedding) != (hidden, embedding):
            raise ValueError(
                f"the network has hidden {hidden} and embedding {embedding},"
                f" its training {training.hidden} and {training.embedding}"
            )
        check_weights("weights", weights, shape)
        start = new_adam(weights) if adam is None else adam
        check_adam(start, shape)
        self.method, self.training, self.seed = method, training, seed
        self.update_interval, self.max_observations = update_interval, max_observations
        self.stated = stated.copy()
        self.weights = weights.copy()
        self.adam = Adam(start.m.copy(), start.v.copy(), start.steps.copy())
        self.interactions, self.updates = 0, 0
        self._width = shape.arm
        size = 0
        if method.online:
            size = max(method.training_size(max_observations), method.gram_size(max_observations))
        self.memory = Memory.empty(size, self._width)
        self.state = new_state(method, len(self.stated), hidden)
        self._rule = rule_of(method, training.damping)
        self._fold()
        if prior is not None:
            arms = features32("the prior's arms", prior[1], None, self._width)
            self._rebuild(rows_of("the prior's users", prior[0], len(arms), shape.users), arms)
            if not np.isfinite(self.state.inverse).all():
                raise ValueError("the prior's features are too large for this network")

    def select(self, user: int, arms: Floats32) -> Choice:
        """Choose one of the arms for the user; changes nothing, so asking again gives the same.

        Args:
            user: row of `stated`.
            arms: their features (K, Z), K >= 1: float32, or real numbers that become it.

        Raises:
            ValueError: an unknown user; arms of another length, of no real numbers, not finite as
                float32 or so large (1e18 at the latest) that the network can't work with them.
            TypeError: a user that is no whole number.
        """
        user = user_row(user, len(self.stated))
        arms = features32("arms", arms, None, self._width)
        if len(arms) == 0:
            raise ValueError(f"arms have shape {arms.shape}, but K >= 1")
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
            arm: the shown arm's features (Z,), as `select` takes them.
            reward: in [0, 1].

        Raises:
            ValueError: as `select`, or a reward outside [0, 1]; nothing has changed then.
            TypeError: as `select`, or a reward that is no number; nothing has changed then.
        """
        user, reward = user_row(user, len(self.stated)), fraction("reward", reward)
        arm = features32("arm", arm, self._width)
        _, scratch = self._measure(user, arm[None], 0.0, np.zeros(1))
        observe(self.state, self._rule, user, 0, reward, scratch)
        self.interactions += 1
        if not self.method.online:
            return
        self.memory.add(user, arm, reward)
        if self.update_interval and self.interactions % self.update_interval == 0:
            self.learn()

    def learn(self) -> float:
        """Update the network on the newest observations, rebuild A^-1; return the mean loss.

        Without an observation nothing changes, a prior in A^-1 least of all, and the loss is nan.

        Raises:
            SettingError: the method doesn't learn online.
        """
        if not self.method.online:
            raise SettingError(f"{self.method.label or 'This method'} doesn't learn online.")
        if self.memory.seen == 0:
            return math.nan
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
        parts = fold_arms(self.weights, arms, np.arange(len(arms)))
        folded = self._folded._replace(arms=parts)
        scratch = new_scratch(folded, len(arms))
        chosen = select(folded, self.state, self._rule, user, 0, len(arms), tie, normals, scratch)
        check_answer(scratch, self._rule.ceiling)
        return chosen, scratch
