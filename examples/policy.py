"""PEARL as a deployed policy: choose, observe, learn online, while tastes turn around: seconds.

Run it anywhere pearl is installed: `python examples/policy.py`. Users and arms are made up.
"""

import numpy as np

from pearl.bandits.method import load_methods
from pearl.bandits.network import TrainingSettings, initial_weights
from pearl.bandits.policy import Policy

USERS, ARMS, FEATURES, ROUNDS = 6, 4, 8, 6_000

world = np.random.default_rng(0)
tastes = np.ones((USERS, FEATURES)) + 0.3 * world.standard_normal((USERS, FEATURES))
stated = np.empty((USERS, 0), dtype=np.float32)  # these users state no preferences
training = TrainingSettings(
    hidden=64, embedding=8, embedding_sd=1.0, damping=False, passes=10, learning_rate=0.003
)
weights = initial_weights(training, USERS, stated=0, arm=FEATURES, seed=0)
policy = Policy(load_methods()["pearl"], weights, stated, training, update_interval=250)

regret = 0.0
for t in range(ROUNDS):
    if t == ROUNDS // 3:
        tastes[: USERS // 2] *= -1.0  # half of the users now want the opposite
    user = int(world.integers(USERS))
    arms = world.standard_normal((ARMS, FEATURES)).astype(np.float32)
    rewards = 1.0 / (1.0 + np.exp(-arms @ tastes[user] / 2.0))
    choice = policy.select(user, arms)
    policy.update(user, arms[choice.arm], float(rewards[choice.arm]))
    regret += rewards.max() - rewards[choice.arm]
    if (t + 1) % 500 == 0:
        error = policy.state.errors.mean()
        print(f"regret after {t + 1:,} rounds: {regret:5.1f}   mean tracked error {error:.3f}")
