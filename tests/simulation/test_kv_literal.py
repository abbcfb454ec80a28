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
"""Rounds, or blocks, where a learner that draws directions in each takes a new Cholesky root."""


class Literal:
    """One run, a round at a time, with full matrices and every union of paths."""

    def __init__(self, game: Game, method: CacheMethod, seed: int) -> None:
        one, self.method, self.seed = game.instance, method, seed
        self.tree, self.memory, self.d = one.tree, one.settings.memory, one.tree.segments
        span = 32 * 512 / 131_072 if method.reward_range == "catalogue" else 1
        conservative = 1 / (2 * math.sqrt(one.settings.requests_per_round))
        self.sigma = method.noise_scale * span * conservative
        regularizing = self.sigma if method.regularized_by == "radius" else conservative
        self.bound = one.settings.norm_margin * np.linalg.norm(one.theta_calibration)
        self.ridge = self.d * regularizing**2 / self.bound**2
        self.length = self.informative(game.horizon)
        if method.estimator == "mirror_descent":
            self.ridge = self.length / self.d * (regularizing**2 if method.unit == "slope" else 1)
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
        self.used = 0
        self.projections = 0
        self.descended = np.zeros(self.d)

    def informative(self, horizon: int) -> int:
        rules = {
            "original": math.ceil(math.sqrt(self.memory / self.d) * horizon**0.25),
            "refined": math.ceil(math.sqrt(self.memory * horizon / self.d)),
            "sqrt_mt": math.floor(math.sqrt(self.memory * horizon)),
        }
        return max(1, rules.get(self.method.block, 0) - self.memory)

    def beta(self, tau: int) -> float:
        if self.method.radius == "posterior":
            return self.sigma
        if self.method.estimator == "mirror_descent":
            slope = self.ridge / self.sigma**2
            growth = math.log(1 + tau / (self.d * slope * self.sigma**2))
            inside = 4 * slope * self.bound**2 + 2 * math.log(1 / self.method.delta)
            return self.sigma * math.sqrt(inside + 6 * self.d * growth)
        growth = math.log(1 + tau / (self.ridge * self.d))
        inside = 2 * math.log(1 / self.method.delta) + self.d * growth
        return math.sqrt(self.ridge) * self.bound + self.sigma * math.sqrt(inside)

    def theta(self) -> np.ndarray:
        if self.method.estimator == "mirror_descent":
            return self.descended
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

    def descend(self, x: np.ndarray, reward: float) -> None:
        """One mirror-descent step; self.gram is sigma^2 H~, the round's x in it."""
        step = np.linalg.solve(self.gram, x) * (x @ self.descended - reward)
        self.descended = self.descended - step
        if np.linalg.norm(self.descended) > self.bound:
            self.projections += 1
            low, high = 0.0, 1.0
            while np.linalg.norm(self.pulled(high)) > self.bound:
                high *= 2
            for _ in range(200):
                middle = (low + high) / 2
                outside = np.linalg.norm(self.pulled(middle)) > self.bound
                low, high = (middle, high) if outside else (low, middle)
            self.descended = self.pulled(high)

    def pulled(self, multiplier: float) -> np.ndarray:
        pull = self.gram + multiplier * np.eye(self.d)
        return np.linalg.solve(pull, self.gram @ self.descended)

    def planned(self, episode: int, tau: int) -> np.ndarray:
        if self.method.bonus == "ellipsoid":
            return self.grown(tau)
        theta, beta = self.theta(), self.beta(tau) / self.method.constant
        if self.method.switching != "blocks" or episode + 1 in ROOT_AT:
            self.root = self.cholesky_root()
        images = self.root @ self.directions(episode)
        sampled = self.method.bonus != "directions"
        if self.method.bonus == "optimistic":
            images = np.where(images > 0, images, 0)
        rows = []
        for image in images.T:
            for sign in (1,) if sampled else (1, -1):
                worth = self.covers @ (theta + sign * beta * image)
                best = np.flatnonzero(worth >= worth.max() - 1e-12)
                rows.append(min(best, key=lambda i: self.sets[i].sum()))
        x = self.covers[rows] / math.sqrt(self.d)
        widths = x @ images if sampled else np.abs(x @ images)
        chosen = self.pick(x @ theta + beta * widths.max(axis=1), x @ theta)
        return np.flatnonzero(self.sets[rows[chosen]])

    def grown(self, tau: int) -> np.ndarray:
        """Paths that join one by one under the exact score."""
        joined: list[int] = []
        held, best = np.zeros(self.d), -math.inf
        while len(joined) < min(self.memory + 1, len(self.paths)):
            x = np.maximum(held, self.paths) / math.sqrt(self.d)
            squares = np.einsum("ad,da->a", x, np.linalg.solve(self.gram, x.T))
            scores = x @ self.theta() + self.beta(tau) * np.sqrt(squares)
            action = int(np.flatnonzero(scores >= scores.max() * (1 - 1e-12))[0])
            if scores[action] <= best or (held >= self.paths[action]).all():
                break
            best = scores[action]
            joined.append(action)
            held = np.maximum(held, self.paths[action])
        self.plans.append((int(best >= self.bound), 1, best))
        return np.array(joined)

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
            width = x @ images if self.method.bonus == "posterior" else np.abs(x @ images)
            width = width.max(axis=1) / self.method.constant
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
        elif self.method.switching == "blocks":
            if (t - 1) % (self.memory + self.length) == 0:
                self.cycle = self.planned(len(self.starts), self.used)
                self.starts.append(t)
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
            rewards.append(mean @ w)
            blocks = self.method.switching == "blocks"
            if blocks and t - self.starts[-1] < self.memory:
                continue
            x = w / math.sqrt(self.d)
            p = np.linalg.solve(self.gram, x)
            self.root = self.root - np.outer(p, x @ self.root) * (
                (1 - 1 / math.sqrt(1 + x @ p)) / (x @ p)
            )
            self.gram += np.outer(x, x)
            reward = (self.reuse[self.drawn[t - 1]] @ w).mean()
            self.response += reward * x
            self.used += 1
            if self.method.estimator == "mirror_descent":
                self.descend(x, reward)
        sizes = self.sets.sum(axis=1)
        best = [(self.covers[sizes <= j] @ mean).max() for j in range(1, self.memory + 2)]
        optimum = [best[min(t, self.memory + 1) - 1] for t in range(1, horizon + 1)]
        return np.cumsum(np.array(optimum) - rewards)


BLOCKS = {"planner": "prefix_tree", "switching": "blocks"}
DESCENT = BLOCKS | {"estimator": "mirror_descent", "block": "sqrt_mt"}
LEARNERS = {
    "rsm": {"planner": "prefix_tree", "switching": "determinant"},
    "oful original": BLOCKS | {"block": "original"},
    "oful refined": BLOCKS | {"block": "refined"},
    "oful sqrt_mt": BLOCKS | {"block": "sqrt_mt"},
    "glbm gram": DESCENT | {"unit": "gram"},
    "glbm slope": DESCENT | {"unit": "slope"},
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


SAMPLED = {"bonus": "posterior", "tie": "unclipped", "directions": 1, "constant": 1.0}
CHANGES = {
    "posterior sample": SAMPLED | {"radius": "posterior"},
    "sample of the ellipsoid's size": SAMPLED,
    "the largest of three samples": SAMPLED | {"radius": "posterior", "directions": 3},
    "optimistic samples": SAMPLED | {"bonus": "optimistic", "directions": 2},
    "catalogue": {"radius": "posterior", "reward_range": "catalogue"},
    "catalogue throughout": {"reward_range": "catalogue", "regularized_by": "radius"},
    "scaled noise": {"noise_scale": 0.3, "tie": "estimate"},
}


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "random"])
@pytest.mark.parametrize("change", CHANGES)
def test_whole_runs_with_other_widths(make_game, learner, change) -> None:
    settings = {"directions": 3} | LEARNERS[learner] | CHANGES[change]
    if settings["planner"] == "myopic" and settings.get("bonus") == "optimistic":
        pytest.skip("a bonus of the tree's planner")
    if "bonus" in settings:
        settings["redraw"] = "each_plan"
    for seed in (0, 1):
        game = make_game(seed=seed, nodes=14, memory=3, regularization=2.0, horizon=HORIZON)
        method = CacheMethod(**settings)
        literal = Literal(game, method, seed)
        regret = literal.regret(HORIZON)
        for engine in ("events", "rounds"):
            found = play(game, method, seed, engine)
            np.testing.assert_allclose(found.regret, regret, rtol=0, atol=1e-9)
            check_facts(found.facts, literal)


@pytest.mark.parametrize("radius", ["confidence", "posterior"])
@pytest.mark.parametrize("seed", range(6))
def test_unions_grown_path_by_path(make_game, radius, seed) -> None:
    game = make_game(seed=seed, nodes=16, memory=3, regularization=2.0, horizon=HORIZON)
    grown = {"bonus": "ellipsoid", "tie": "unclipped", "radius": radius}
    method = CacheMethod(planner="prefix_tree", switching="determinant", **grown)
    literal = Literal(game, method, seed)
    regret = literal.regret(HORIZON)
    for engine in ("events", "rounds"):
        found = play(game, method, seed, engine)
        assert found.episode_starts.tolist() == literal.starts
        np.testing.assert_allclose(found.regret, regret, rtol=0, atol=1e-9)
        check_facts(found.facts, literal)


def check_facts(facts, literal: Literal) -> None:
    assert facts["segments_refreshed"] == len(literal.held)
    if literal.method.switching == "blocks":
        assert facts["informative_rounds"] == literal.length
    if literal.method.estimator == "mirror_descent":
        assert facts["projections"] == literal.projections
    clips = literal.method.tie != "unclipped"
    shares = {name for name in facts if name.startswith("clip_")}
    if not literal.plans:
        assert not shares
        return
    tied = np.mean([capped >= 2 for capped, _, _ in literal.plans])
    expected = {"clip_tie_share" if clips else "clip_would_tie_share": tied}
    if literal.method.planner == "prefix_tree":
        every = np.mean([capped == count >= 2 for capped, count, _ in literal.plans])
        expected["clip_all_share" if clips else "clip_would_tie_all_share"] = every
        lowest = min(low for _, _, low in literal.plans) / literal.bound
        assert facts["lowest_score_over_bound"] == pytest.approx(lowest, rel=1e-9)
    assert {name: facts[name] for name in shares} == expected
