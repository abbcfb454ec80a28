"""A block of interactions with a reward head, the network frozen.

eps_u, which damps the user's embedding, changes with every interaction of that user and with no
other: so the first interactions of all users in the block are played at once, then the second
ones, and so on, which is exactly what one interaction at a time gives. With the Gram matrix, which
everybody changes, they are played one at a time by the compiled step.
"""

from __future__ import annotations

import numpy as np

from pearl.bandits import step
from pearl.bandits.folding import Folded, fold
from pearl.bandits.gradient import multiply
from pearl.bandits.heads.head import RewardHead
from pearl.bandits.heads.network import Floats, Ints, Parameters
from pearl.bandits.heads.parts import Features, Model
from pearl.bandits.method import BanditMethod
from pearl.bandits.network import Floats32, Weights


def folded(p: Parameters, known: Features, arms: Ints) -> Folded:
    """Return the network with the arms' parts, any number of rows; its head is left empty."""
    empty = np.zeros(0, dtype=np.float32)
    layers = Weights(p["users"], p["w1"], p["b1"], p["w2"], p["b2"], empty, empty)
    return fold(layers, known.stated, known.arms, arms)


def play(
    head: RewardHead,
    model: Model,
    network: Folded,
    noise: Floats,
    state: step.State,
    method: BanditMethod,
    rule: step.Rule,
    block: step.Block,
) -> step.Log:
    """Play a block with sigma of the head; the tracked errors change in place.

    Args:
        head: the reward head.
        model: its parameters.
        network: them with the block's arms, row t K + k for arm k of interaction t.
        noise: what the head draws for predictions until the next update.
        state: its errors change; its Gram matrix isn't looked at.
        method: which exploration.
        rule: the method as numbers.
        block: users, rewards, draws.
    """
    n, k = block.rewards.shape
    log = step.Log(
        arms=np.zeros(n, np.int64),
        means=np.zeros(n),
        uncertainties=np.zeros(n),
        errors=np.zeros(n),
        rewards=np.zeros(n),
        injected=np.zeros(n, np.bool_),
        capped=np.zeros(n, np.bool_),
    )
    for rows in waves(block.users):
        users, everyone = block.users[rows], np.arange(len(rows))
        errors = state.errors[users]
        phi = outputs(model.parameters, network, rows, users, errors, rule.damping, k)
        means, sigmas = head.predict(model.parameters, phi, users, noise)
        width = rule.bonus * sigmas
        if method.exploration == "error_adaptive":
            width *= errors[:, None]
        elif method.exploration == "thompson":
            width *= block.normals[rows]
        arms = best(means + width, block.ties[rows])
        log.arms[rows], log.errors[rows] = arms, errors
        log.means[rows], log.uncertainties[rows] = means[everyone, arms], sigmas[everyone, arms]
        log.rewards[rows] = block.rewards[rows, arms]
        missed = np.abs(log.rewards[rows] - log.means[rows])
        state.errors[users] = rule.beta * errors + (1.0 - rule.beta) * missed
    return log


def play_with_gram(
    head: RewardHead,
    model: Model,
    network: Folded,
    state: step.State,
    rule: step.Rule,
    block: step.Block,
) -> step.Log:
    """Play a block with sigma of the Gram matrix over g, Eq. (2), by the compiled step."""
    k = block.rewards.shape[1]
    heads, offsets = head.linear(model.parameters)
    if len(heads) == 1:
        return step.play(network._replace(head=heads[0], bias=offsets[0]), state, rule, block)
    logs = []
    for t, user in enumerate(block.users):
        one = network._replace(
            arms=network.arms[t * k : (t + 1) * k], head=heads[user], bias=offsets[user]
        )
        now = slice(t, t + 1)
        alone = step.Block(
            block.users[now], block.rewards[now], block.ties[now], block.normals[now]
        )
        logs.append(step.play(one, state, rule, alone))
    return step.Log(*(np.concatenate(parts) for parts in zip(*logs, strict=True)))


def outputs(
    p: Parameters, network: Folded, rows: Ints, users: Ints, errors: Floats, damping: bool, k: int
) -> Floats:
    """Return phi (n, K, B) of the users' arms, rows t K .. t K + K - 1 of the folded ones."""
    share = (1.0 - errors if damping else np.ones(len(users))).astype(np.float32)
    mine = network.users[users] + share[:, None] * network.embedded[users]
    arms = network.arms[rows[:, None] * k + np.arange(k)]
    first: Floats32 = np.maximum(mine[:, None, :] + arms, 0).reshape(len(rows) * k, -1)
    g = np.tile(network.b2, (len(first), 1))
    multiply(first, network.w2, g)
    phi = np.tile(p["offsets"].astype(np.float64), (len(g), 1))
    multiply(np.maximum(g, 0).astype(np.float64), p["heads"].T.astype(np.float64).copy(), phi)
    return phi.reshape(len(rows), k, -1)


def waves(users: Ints) -> list[Ints]:
    """Return the rows of every user's first interaction, of every user's second, and so on."""
    order = np.argsort(users, kind="stable")
    counts = np.bincount(users)
    first = np.cumsum(counts) - counts
    place = np.empty(len(users), dtype=np.int64)
    place[order] = np.arange(len(users)) - first[users[order]]
    return [np.flatnonzero(place == wave) for wave in range(int(place.max(initial=-1)) + 1)]


def best(scores: Floats, ties: Floats) -> Ints:
    """Return each row's best arm; of m exactly equal ones the floor(m tie)-th, as the step does."""
    first = scores == scores.max(axis=1, keepdims=True)
    count = first.sum(axis=1)
    wanted = np.minimum(np.floor(ties * count), count - 1)
    found: Ints = (first & (first.cumsum(axis=1) == wanted[:, None] + 1)).argmax(axis=1)
    return found
