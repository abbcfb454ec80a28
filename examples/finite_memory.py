"""An instance of one's own: what to show a visitor who tires of what he has just seen: seconds.

Run it anywhere pearl is installed: `python examples/finite_memory.py`. An article pays a third less
for each of the last two rounds that showed the same topic; nobody tells the learner what pays.
"""

import numpy as np

from pearl.environments.finite_optimum import optimum_by_states
from pearl.memory.finite_method import load_finite_methods
from pearl.simulation.finite_memory import play

ROUNDS = 20_000


class Topics:
    """Four topics; what matters is the last M = 2 shown."""

    dimension, memory = 4, 2
    feature_bound, norm_bound, noise = 1.0, 1.0, 0.25
    theta_star = np.array([0.8, 0.5, 0.3, 0.1])
    actions = np.eye(4)
    initial = (0, 0)  # shown before the first round

    def feature(self, history: tuple[int, ...], action: int) -> np.ndarray:
        """Return phi(s, a): the topic's vector, shorter the more often it was just shown."""
        return (1.0 - history.count(action) / 3) * self.actions[action]

    def optimum(self, horizon: int) -> np.ndarray:
        """Return OPT_1, ..., OPT_horizon."""
        return optimum_by_states(self, horizon)


for name in ("rsm_linucb", "oful_refined", "myopic_linucb"):
    method = load_finite_methods()[name]
    run = play(Topics(), method, horizon=ROUNDS, seed=0)
    print(f"{method.label:24} regret after {ROUNDS:,} rounds: {run.regret[-1]:8.1f}")
