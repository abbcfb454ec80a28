"""Time PEARL's step, and a whole run beside the same run written step by step in torch.

    python benchmarks/pearl_step.py           # a minute; torch's run is measured in part
    python benchmarks/pearl_step.py --full    # torch's run to its end, half a minute more

A made-up world of PRISM's size: 1,355 users, 3,656 slates of 4 arms with 384 features, 10 epochs
of 3 updates. One thread; CPU time, so that a busy machine matters less; the compiled parts are the
least of their repeats. In part, torch's run is measured over its first interactions and one update
of 2,000 observations, and extrapolated with the whole run's count of injections.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from beside.torch_bandit import TorchBandit

from pearl.bandits import step
from pearl.bandits.draws import draws
from pearl.bandits.folding import fold, fold_arms
from pearl.bandits.gram import rebuild
from pearl.bandits.method import BanditMethod, load_methods
from pearl.bandits.network import TrainingSettings, Weights, initial_weights, new_adam
from pearl.bandits.pretraining import pretrain
from pearl.bandits.training import update
from pearl.environments.interactions import Block
from pearl.simulation.replay import Learner, play
from pearl.simulation.replay_log import Log

USERS, SLATES, K, STATED, ARM, EPOCHS, INTERVAL, NEWEST = 1355, 3656, 4, 8, 384, 10, 1000, 2000
TRAINING = TrainingSettings()
TIMED = ("pearl", "pearl_always", "sw_ucb_w200", "d_neural_ucb_099", "restart_ucb_03")


class World(NamedTuple):
    stated: np.ndarray
    embeddings: np.ndarray
    weights: Weights
    blocks: list[Block]


def main() -> None:
    options = read_options()
    torch.set_num_threads(1)
    method, world = load_methods()["pearl"], made_up_world(options.seed)
    print(
        f"{EPOCHS * SLATES:,} interactions, K = {K}, d = {TRAINING.hidden}, 1 thread, made-up data"
    )
    for name in TIMED:
        time_an_interaction(world, load_methods()[name], options.seed)
    ours, log = compiled_run(world, method, options)
    assert log.steps is not None
    injections = int(log.steps.injected.sum())
    print(
        f"a run, compiled          {ours:8.2f} s     mean reward {log.reward.mean():.4f},"
        f" injection rate {injections / len(log):.3f}, cap rate {log.steps.capped.mean():.3f}"
    )
    theirs, arms, how = torch_run(world, method, options, injections)
    agree = int(np.argmin(np.append(arms == log.choices[: len(arms)], False)))
    print(f"a run, step by step in torch {theirs:5.1f} s   ({how})")
    print(f"the first {agree:,} of {len(arms):,} decisions compared are the same")
    print(f"compiled is {theirs / ours:.0f} times faster")


def made_up_world(seed: int) -> World:
    """Users with tastes, arms as unit vectors, a network pretrained on one slate a user."""
    rng = np.random.default_rng(seed)
    taste = rng.standard_normal(ARM) + 0.7 * rng.standard_normal((USERS, ARM))
    arms = rng.standard_normal(((USERS + SLATES) * K, ARM)).astype(np.float32)
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    stated = rng.random((USERS, STATED)).astype(np.float32)
    slates = np.arange(len(arms)).reshape(-1, K)
    users = np.concatenate([np.arange(USERS), rng.integers(0, USERS, SLATES)])
    liking = np.einsum("nz,nkz->nk", taste[users], arms[slates])
    rewards = np.clip(0.55 + 0.25 * liking + 0.1 * rng.standard_normal(liking.shape), 0.01, 1.0)
    weights = initial_weights(TRAINING, USERS, STATED, ARM, seed)
    first = slice(0, USERS)
    pretrain(weights, stated, users[first], slates[first], rewards[first], arms, TRAINING, seed)
    flipped = rng.random(USERS) < 0.5
    online, shown, given = users[USERS:], slates[USERS:], rewards[USERS:]
    turned = given.max(axis=1, keepdims=True) + given.min(axis=1, keepdims=True) - given
    given = np.where(flipped[online, None], turned, given)
    regrets = given.max(axis=1, keepdims=True) - given
    blocks = []
    for epoch in range(EPOCHS):
        order = rng.permutation(SLATES)
        for start in range(0, SLATES, INTERVAL):
            rows = order[start : start + INTERVAL]
            full = len(rows) == INTERVAL
            blocks.append(Block(epoch, online[rows], shown[rows], given[rows], regrets[rows], full))
    return World(stated, arms, weights, blocks)


def time_an_interaction(world: World, method: BanditMethod, seed: int) -> None:
    block, weights = world.blocks[0], world.weights
    n = len(block)
    rule = step.rule_of(method, damping=True)
    rows = np.tile(block.arms[:, 0], 2)
    observed = np.tile(block.users, 2), rows, np.tile(block.rewards[:, 0], 2)

    def fold_and_play() -> None:
        state = step.new_state(method, USERS, TRAINING.hidden)
        folded = fold(weights, world.stated, world.embeddings, block.arms)
        drawn = draws(method, seed, 0, n, K)
        step.play(folded, state, rule, step.Block(block.users, block.rewards, *drawn))

    def learn() -> None:
        trained, state = weights.copy(), step.new_state(method, USERS, TRAINING.hidden)
        adam = new_adam(trained)
        update(trained, adam, world.stated, *observed, state.errors, world.embeddings, TRAINING,
               seed, 0)  # fmt: skip
        folded = fold(trained, world.stated, world.embeddings, rows)
        rebuild(state, rule, folded, observed[0])

    weights_only = least(lambda: fold_arms(weights, world.embeddings, block.arms), 20)
    steps, updates = least(fold_and_play, 20), least(learn, 3)
    print(
        f"{method.label:30} {1e6 * steps / n:8.1f} microseconds an interaction,"
        f" {1e6 * weights_only / n:.1f} of them the first layer;"
        f" an update with its rebuild {1e3 * updates:.0f} ms"
    )


def compiled_run(
    world: World, method: BanditMethod, options: argparse.Namespace
) -> tuple[float, Log]:
    nobody = np.empty(0, dtype=np.int64)
    best, log = np.inf, None
    for _ in range(options.repeats):
        weights = world.weights.copy()
        learner = Learner(
            method=method,
            training=TRAINING,
            seed=options.seed,
            weights=weights,
            adam=new_adam(weights),
            stated=world.stated,
            embeddings=world.embeddings,
            training_size=NEWEST,
            gram_size=NEWEST,
            prior_users=nobody,
            prior_arms=nobody,
        )
        start = time.process_time()
        log = play(world.blocks, learner)
        best = min(best, time.process_time() - start)
    assert log is not None
    return best, log


def torch_run(
    world: World, method: BanditMethod, options: argparse.Namespace, injections: int
) -> tuple[float, np.ndarray, str]:
    """Return the whole run's seconds, the arms chosen as far as it was measured, and how far."""
    bandit = TorchBandit(
        method, TRAINING, world.weights, world.stated, world.embeddings, options.seed
    )
    total = sum(len(block) for block in world.blocks)
    most = total if options.full else options.steps
    users, rows, rewards, arms = [], [], [], []
    spent, counts, training = np.zeros(2), np.zeros(2, dtype=int), 0.0
    for block in world.blocks:
        for user, slate, given in zip(block.users, block.arms, block.rewards, strict=True):
            if len(arms) == most:
                break
            start = time.process_time()
            arm, injected = bandit.step(int(user), slate, given)
            spent[int(injected)] += time.process_time() - start
            counts[int(injected)] += 1
            arms.append(arm)
            users.append(user)
            rows.append(slate[arm])
            rewards.append(given[arm])
        if block.update and len(arms) < most:
            start = time.process_time()
            newest = slice(max(0, len(arms) - NEWEST), None)
            bandit.learn(np.array(users)[newest], np.array(rows)[newest], np.array(rewards)[newest])
            training += time.process_time() - start
    if options.full:
        return float(spent.sum()) + training, np.array(arms), "measured"
    copies = -(-NEWEST // len(arms))
    observed = (np.tile(np.array(column), copies)[:NEWEST] for column in (users, rows, rewards))
    start = time.process_time()
    bandit.learn(*observed)
    an_update = time.process_time() - start
    plain, injecting = spent / counts
    updates = sum(block.update for block in world.blocks)
    whole = plain * (total - injections) + injecting * injections + an_update * updates
    how = (
        f"extrapolated from {len(arms):,} interactions and one update:"
        f" {1e3 * plain:.2f} ms a step, {1e3 * injecting:.2f} ms with an injection,"
        f" {1e3 * an_update:.0f} ms an update"
    )
    return whole, np.array(arms), how


def least(work: Callable[[], object], repeats: int) -> float:
    best = np.inf
    for _ in range(repeats + 1):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="torch's run to its end")
    parser.add_argument("--steps", type=int, default=2500, help="of torch's run, without --full")
    parser.add_argument("--repeats", type=int, default=3, help="of the compiled run")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
