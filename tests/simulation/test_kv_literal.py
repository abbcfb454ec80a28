"""Whole runs against a program written from the paper alone.

It shares the instance, the random streams and the method's settings with pearl, and no planner,
estimator, residency or loop.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from pearl.environments.kv_cache import requests
from pearl.memory.cache_method import CacheMethod
from pearl.memory.tree_reference import every_union
from pearl.randomness import generator
from pearl.simulation.kv_cache import play
from pearl.simulation.kv_game import Game

HORIZON = 150
ROOT_AT = (1, 65, 129)
"""Rounds in which a learner that draws directions every round takes a new Cholesky root."""


class Literal:
    """One run, a round at a time, with full matrices and every union of paths."""

    def __init__(self, game: Game, method: CacheMethod, seed: int) -> None:
        one, self.method, self.seed = game.instance, method, seed
        self.tree, self.memory, self.d = one.tree, one.settings.memory, one.tree.segments
        self.sigma = 1 / (2 * math.sqrt(one.settings.requests_per_round))
        self.bound = one.settings.norm_margin * np.linalg.norm(one.theta_calibration)
        self.ridge = self.d * self.sigma**2 / self.bound**2
        self.reuse = one.reuse.toarray() / one.settings.token_scale
        self.drawn = requests(one, seed, game.horizon)
        actions = range(len(self.tree.actions))
        self.paths = np.stack([self.tree.union([i]) for i in actions]) * 1.0
        self.gram, self.response = self.ridge * np.eye(self.d), np.zeros(self.d)
        self.root = np.eye(self.d) / math.sqrt(self.ridge)
        self.sets, _ = every_union(self.tree, np.zeros(self.d), self.memory + 1)
        self.covers = (self.sets @ self.paths > 0) * 1.0
        self.played: list[int] = []
        self.starts: list[int] = []
        self.held: set[int] = set()
        self.plans: list[tuple[int, int, float]] = []  # capped, candidates, lowest score
        self.cycle = np.zeros(0, dtype=int)
        self.log_det = 0.0

    def beta(self, tau: int) -> float:
        growth = math.log(1 + tau / (self.ridge * self.d))
        inside = 2 * math.log(1 / self.method.delta) + self.d * growth
        return math.sqrt(self.ridge) * self.bound + self.sigma * math.sqrt(inside)

    def theta(self) -> np.ndarray:
        return np.linalg.solve(self.gram, self.response)

    def directions(self, index: int) -> np.ndarray:
        shape = self.method.directions, self.d
        return generator(self.seed, "policy/directions", index).standard_normal(shape).T

    def cholesky_root(self) -> np.ndarray:
        return np.linalg.inv(np.linalg.cholesky(self.gram)).T

    def pick(self, scores: np.ndarray, estimates: np.ndarray) -> int:
        self.plans.append((int((scores >= self.bound).sum()), len(scores), scores.min()))
        if self.method.tie != "unclipped":
            scores = np.clip(scores, 0, self.bound)
        tied = np.flatnonzero(scores >= scores.max() - 1e-12 * abs(scores.max()))
        if self.method.tie == "estimate":
            most = estimates[tied].max()
            tied = tied[estimates[tied] >= most - 1e-12 * abs(most)]
        return int(tied[0])

    def planned(self, episode: int, tau: int) -> np.ndarray:
        theta, beta = self.theta(), self.beta(tau) / self.method.constant
        images = self.cholesky_root() @ self.directions(episode)
        rows = []
        for image in images.T:
            for sign in (1, -1):
                worth = self.covers @ (theta + sign * beta * image)
                best = np.flatnonzero(worth >= worth.max() - 1e-12)
                rows.append(min(best, key=lambda i: self.sets[i].sum()))
        x = self.covers[rows] / math.sqrt(self.d)
        chosen = self.pick(x @ theta + beta * np.abs(x @ images).max(axis=1), x @ theta)
        return np.flatnonzero(self.sets[rows[chosen]])

    def myopic(self, t: int) -> int:
        held = (self.paths[self.played[-self.memory :]].sum(axis=0) > 0) * 1.0
        x = np.maximum(held, self.paths) / math.sqrt(self.d)
        theta = self.theta()
        if self.method.bonus == "ellipsoid":
            width = np.sqrt(np.einsum("ad,da->a", x, np.linalg.solve(self.gram, x.T)))
        else:
            anew = self.method.redraw == "each_plan"
            if anew and t in ROOT_AT:
                self.root = self.cholesky_root()
            images = self.root @ self.directions(t - 1 if anew else 0)
            width = np.abs(x @ images).max(axis=1) / self.method.constant
        return self.pick(x @ theta + self.beta(t) * width, x @ theta)

    def act(self, t: int) -> int:
        if self.method.planner == "myopic":
            return self.myopic(t)
        if self.method.planner == "random_union":
            if t == 1:
                count = len(self.paths)
                drawn = generator(self.seed, "policy/union").choice(
                    count, size=min(self.memory + 1, count), replace=False
                )
                self.cycle, self.starts = np.sort(drawn), [1]
        else:
            log_det = np.linalg.slogdet(self.gram)[1]
            if t == 1 or log_det >= self.log_det + math.log(2) - 1e-12:
                self.cycle, self.log_det = self.planned(len(self.starts), t), log_det
                self.starts.append(t)
        return int(self.cycle[(t - self.starts[-1]) % len(self.cycle)])

    def regret(self, horizon: int) -> np.ndarray:
        mean, rewards = self.reuse.mean(axis=0), []
        for t in range(1, horizon + 1):
            self.played.append(self.act(t))
            w = (self.paths[self.played[-self.memory - 1 :]].sum(axis=0) > 0) * 1.0
            self.held |= set(np.flatnonzero(w).tolist())
            x = w / math.sqrt(self.d)
            p = np.linalg.solve(self.gram, x)
            self.root = self.root - np.outer(p, x @ self.root) * (
                (1 - 1 / math.sqrt(1 + x @ p)) / (x @ p)
            )
            self.gram += np.outer(x, x)
            self.response += (self.reuse[self.drawn[t - 1]] @ w).mean() * x
            rewards.append(mean @ w)
        sizes = self.sets.sum(axis=1)
        best = [(self.covers[sizes <= j] @ mean).max() for j in range(1, self.memory + 2)]
        optimum = [best[min(t, self.memory + 1) - 1] for t in range(1, horizon + 1)]
        return np.cumsum(np.array(optimum) - rewards)


LEARNERS = {
    "rsm": {"planner": "prefix_tree", "switching": "determinant"},
    "myopic": {"planner": "myopic", "switching": "every_round", "bonus": "ellipsoid"},
    "myopic anew": {"planner": "myopic", "switching": "every_round", "redraw": "each_plan"},
    "myopic once": {"planner": "myopic", "switching": "every_round", "redraw": "once"},
    "random": {"planner": "random_union", "switching": "never", "estimator": "none"},
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("tie", ["first", "unclipped", "estimate"])
@pytest.mark.parametrize(
    ("seed", "regularization"), [(0, 0.3), (1, 1.0), (2, 3.0), (3, 10.0), (4, 30.0)]
)
def test_whole_runs(make_game, learner, tie, seed, regularization) -> None:
    method = CacheMethod(tie=tie, directions=3, constant=3.0, **LEARNERS[learner])
    game = make_game(seed=seed, nodes=14, memory=3, regularization=regularization, horizon=HORIZON)
    literal = Literal(game, method, seed)
    regret = literal.regret(HORIZON)
    for engine in ("events", "rounds"):
        found = play(game, method, seed, engine)
        assert found.episode_starts.tolist() == literal.starts
        np.testing.assert_allclose(found.regret, regret, rtol=0, atol=1e-9)
        check_facts(found.facts, literal)


def check_facts(facts, literal: Literal) -> None:
    assert facts["segments_refreshed"] == len(literal.held)
    clips = literal.method.tie != "unclipped"
    shares = {name for name in facts if name.startswith("clip_")}
    if not literal.plans:
        assert not shares
        return
    tied = np.mean([capped >= 2 for capped, _, _ in literal.plans])
    expected = {"clip_tie_share" if clips else "clip_would_tie_share": tied}
    if literal.method.planner == "prefix_tree":
        every = np.mean([capped == count for capped, count, _ in literal.plans])
        expected["clip_all_share" if clips else "clip_would_tie_all_share"] = every
        lowest = min(low for _, _, low in literal.plans) / literal.bound
        assert facts["lowest_score_over_bound"] == pytest.approx(lowest, rel=1e-9)
    assert {name: facts[name] for name in shares} == expected
