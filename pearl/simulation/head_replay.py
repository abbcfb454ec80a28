"""The contextual loop of the reward heads URM, MRM and VRF."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pearl.bandits import step
from pearl.bandits.draws import draws
from pearl.bandits.gram import rebuild
from pearl.bandits.heads.head import RewardHead
from pearl.bandits.heads.parts import Features, Model
from pearl.bandits.heads.play import folded, play, play_with_gram
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import TrainingSettings
from pearl.environments.interactions import Block
from pearl.simulation.replay_log import Log, Recorder, at
from pearl.simulation.replay_memory import Memory


@dataclass(frozen=True, eq=False)
class HeadLearner:
    """A method with another reward head than the MLP's, and what it starts from.

    Attributes:
        method: which axes it combines.
        training: the network's training.
        seed: the run's seed.
        head: the reward head.
        model: its pretrained parameters; they change in place.
        known: the users' and the arms' features.
        training_size: how many of the newest observations an update sees.
        gram_size: from how many of them A^-1 is rebuilt.
    """

    method: BanditMethod
    training: TrainingSettings
    seed: int
    head: RewardHead
    model: Model
    known: Features
    training_size: int
    gram_size: int


def play_with_head(blocks: Iterable[Block], learner: HeadLearner) -> Log:
    """Play every block, update the head after those that end with an update."""
    method, seed, head, model = learner.method, learner.seed, learner.head, learner.model
    p, known = model.parameters, learner.known
    rule = step.rule_of(method, learner.training.damping)
    state = step.new_state(method, len(known.stated), learner.training.hidden)
    recorder = Recorder()
    memory = Memory(max(learner.training_size, learner.gram_size))
    noise, updates = head.noise(seed, 0), 0
    for block in blocks:
        n, k = block.rewards.shape
        network = folded(p, known, block.arms)
        drawn = draws(method, seed, recorder.rounds, n, k)
        rounds = step.Block(block.users, block.rewards, drawn.ties, drawn.normals)
        if method.uncertainty == "gram":
            steps = play_with_gram(head, model, network, state, rule, rounds)
        else:
            steps = play(head, model, network, noise, state, method, rule, rounds)
        recorder.add(block, steps.arms, steps)
        if not method.online:
            continue
        rows = block.arms[np.arange(n), steps.arms]
        memory.add(block.users, rows, at(block.rewards, steps.arms))
        if block.update:
            learn(learner, memory, state, updates)
            updates += 1
            noise = head.noise(seed, updates)
            if method.uncertainty == "gram":
                newest = memory.newest(learner.gram_size)
                network = folded(p, known, memory.arms[newest])
                rebuild(state, rule, network, memory.users[newest])
            recorder.updated()
    return recorder.log(model.size)


def learn(learner: HeadLearner, memory: Memory, state: step.State, number: int) -> None:
    """Update the head on the newest observations; `number` counts updates from 0."""
    newest = memory.newest(learner.training_size)
    learner.head.update(
        learner.model,
        learner.known,
        (memory.users[newest], memory.arms[newest], memory.rewards[newest]),
        state.errors,
        learner.training,
        learner.seed,
        number,
        frozen=learner.method.bases == "frozen",
    )
