"""The contextual loop: play a block, learn from it, go on; whatever the world."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pearl.bandits import step
from pearl.bandits.draws import draws, random_arms
from pearl.bandits.folding import fold
from pearl.bandits.gram import rebuild
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import Adam, Floats32, TrainingSettings, Weights
from pearl.bandits.training import update
from pearl.environments.interactions import Block
from pearl.simulation.head_replay import HeadLearner, play_with_head
from pearl.simulation.replay_log import Log, Recorder, at
from pearl.simulation.replay_memory import Memory

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Learner:
    """A method with a network, and what it starts from.

    Attributes:
        method: which axes it combines.
        training: the network's training.
        seed: the run's seed.
        weights: the pretrained network; changes in place.
        adam: the optimiser's state; changes in place.
        stated: float32[U, S], the users' stated features.
        embeddings: float32[M, Z], the arms' features.
        training_size: how many of the newest observations an update sees.
        gram_size: from how many of them A^-1 is rebuilt.
        prior_users: int64[n], users of the observations that pretraining saw.
        prior_arms: int64[n], their arms.
    """

    method: BanditMethod
    training: TrainingSettings
    seed: int
    weights: Weights
    adam: Adam
    stated: Floats32
    embeddings: Floats32
    training_size: int
    gram_size: int
    prior_users: Rows
    prior_arms: Rows


def play(blocks: Iterable[Block], learner: Learner | HeadLearner) -> Log:
    """Play every block: fold the network, step through it, update the network, rebuild A^-1."""
    if isinstance(learner, HeadLearner):
        return play_with_head(blocks, learner)
    method, seed = learner.method, learner.seed
    rule = step.rule_of(method, learner.training.damping)
    state = first_state(learner, rule)
    recorder = Recorder()
    memory = Memory(max(learner.training_size, learner.gram_size))
    updates = 0
    for block in blocks:
        n, k = block.rewards.shape
        folded = fold(learner.weights, learner.stated, learner.embeddings, block.arms)
        drawn = draws(method, seed, recorder.rounds, n, k)
        steps = step.play(
            folded, state, rule, step.Block(block.users, block.rewards, drawn.ties, drawn.normals)
        )
        recorder.add(block, steps.arms, steps)
        if not method.online:
            continue
        rows = block.arms[np.arange(n), steps.arms]
        memory.add(block.users, rows, at(block.rewards, steps.arms))
        if block.update:
            learn(learner, memory, state, updates)
            remember(learner, memory, state, rule)
            updates += 1
            recorder.updated()
    return recorder.log(learner.weights.parameters)


def first_state(learner: Learner, rule: step.Rule) -> step.State:
    """Return I/lambda or, with a prior, (lambda I + sum g g')^-1 over what pretraining saw."""
    state = step.new_state(learner.method, len(learner.stated), learner.training.hidden)
    if learner.method.prior == "pretraining":
        folded = fold(learner.weights, learner.stated, learner.embeddings, learner.prior_arms)
        rebuild(state, rule, folded, learner.prior_users)
    return state


def learn(learner: Learner, memory: Memory, state: step.State, number: int) -> None:
    """Update the network on the newest observations, Eq. (4); `number` counts updates from 0."""
    newest = memory.newest(learner.method.training_size(learner.training_size))
    update(
        learner.weights,
        learner.adam,
        learner.stated,
        memory.users[newest],
        memory.arms[newest],
        memory.rewards[newest],
        state.errors,
        learner.embeddings,
        learner.training,
        learner.seed,
        number,
    )


def remember(learner: Learner, memory: Memory, state: step.State, rule: step.Rule) -> None:
    """Rebuild A^-1 from the newest observations."""
    newest = memory.newest(learner.method.gram_size(learner.gram_size))
    folded = fold(learner.weights, learner.stated, learner.embeddings, memory.arms[newest])
    rebuild(state, rule, folded, memory.users[newest])


def play_without_network(blocks: Iterable[Block], method: BanditMethod, seed: int) -> Log:
    """Play Random or Oracle; the Oracle takes the first of the arms without regret."""
    recorder = Recorder()
    for block in blocks:
        n, k = block.rewards.shape
        if method.exploration == "oracle":
            choices = np.argmin(block.regrets, axis=1)
        else:
            choices = random_arms(seed, recorder.rounds, n, k)
        recorder.add(block, choices)
    return recorder.log(0)
