"""Time the KV-cache learners, and the event-driven loop beside the round-by-round one.

    python benchmarks/kv_cache.py                                   # figure 1 E, the sample trace
    PEARL_DATA_MIRROR=... python benchmarks/kv_cache.py --rounds 100000     # the real trace, whole
    PEARL_DATA_MIRROR=... python benchmarks/kv_cache.py --without-redrawn   # 60 s are the bar

One BLAS thread; seconds of CPU time, so that a busy machine matters less. The round-by-round loop
is timed over `--rounds` rounds in the same process; where that is less than the horizon, the ratio
is marked as extrapolated (its cost a round is constant).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from pearl.datasets.mooncake import read_jsonl
from pearl.environments.kv_cache import build
from pearl.environments.kv_settings import KVCacheSettings
from pearl.experiments import load_experiments
from pearl.memory.cache_method import CacheMethod, load_cache_methods
from pearl.memory.optimum import comparator
from pearl.simulation.kv_cache import play
from pearl.simulation.kv_game import Game
from pearl.simulation.trajectory import Trajectory

ROOT = Path(__file__).resolve().parents[1]
FILE = Path("mooncake") / "conversation_trace.jsonl"


def main() -> None:
    options = read_options()
    mirror = os.environ.get("PEARL_DATA_MIRROR")
    folder = Path(mirror) if mirror else ROOT / "samples"
    print("Mooncake trace (mirror)" if mirror else "sample data made by pearl's generator")
    instance = build(read_jsonl(folder / FILE), KVCacheSettings(memory=options.memory))
    best = comparator(instance).tokens
    print(f"M = {options.memory}, d = {instance.tree.segments}, T = {options.horizon:,}, 1 thread")
    with threadpool_limits(limits=1):
        warm = Game.of(instance, best, 0, 200)
        game = Game.of(instance, best, options.seed, options.horizon)
        methods = load_cache_methods()
        names = load_experiments()[options.experiment].methods
        whole = 0.0
        for name in names:
            method = methods[name]
            if options.without_redrawn and redraws_every_round(method):
                continue
            play(warm, method, 0)
            seconds, run = timed(partial(play, game, method, options.seed))
            whole += seconds
            print(f"{name:36} {seconds:8.2f} s   regret {run.regret[-1]:8.2f}", flush=True)
            if name == "rsm_linucb":
                fast = seconds, run
        print(f"{'all of them':36} {whole:8.2f} s")
        if options.without_redrawn:
            return
        rounds = min(options.rounds, options.horizon)
        short = Game.of(instance, best, options.seed, rounds)
        method = methods["rsm_linucb"]
        seconds, slow = timed(partial(play, short, method, options.seed, "rounds"))
    gap = np.abs(slow.regret - fast[1].regret[:rounds]).max()
    print(f"{'round by round':36} {seconds:8.2f} s   for {rounds:,} rounds; curve within {gap:.0e}")
    extrapolated = seconds * options.horizon / rounds
    how = "measured" if rounds == options.horizon else f"extrapolated from T = {rounds:,}"
    print(f"rsm_linucb event-driven is {extrapolated / fast[0]:.0f} times faster ({how})")


def redraws_every_round(method: CacheMethod) -> bool:
    """Whether each round draws and transforms N new Gaussian directions: that sets its cost."""
    once = method.redraw == "once"
    return method.planner == "myopic" and method.bonus == "directions" and not once


def timed(work: Callable[[], Trajectory]) -> tuple[float, Trajectory]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiment", default="memory/figure1e")
    parser.add_argument("--without-redrawn", action="store_true")
    parser.add_argument("--memory", type=int, default=180)
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
