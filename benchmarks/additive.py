"""Time the learners on the additive instance, and the compiled loops beside the literal one.

    python benchmarks/additive.py                    # M = 100, T = 1e6, all methods but one
    python benchmarks/additive.py --memory 1000 --methods rsm_linucb oful_original_ascent

One BLAS thread; seconds of CPU time, so that a busy machine matters less. Both loops are timed
over the first `--rounds` rounds too, in which there are most plans: these cost both the same.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

from threadpoolctl import threadpool_limits

from pearl.environments.additive import Additive
from pearl.environments.additive_settings import AdditiveSettings
from pearl.memory.additive_method import load_additive_methods
from pearl.simulation.additive import play
from pearl.simulation.additive_game import Game
from pearl.simulation.trajectory import Trajectory

DEAR = "oful_original_ascent"  # about 10,000 ascents a run


def main() -> None:
    options = read_options()
    instance = Additive.of(AdditiveSettings(memory=options.memory))
    print(f"M = {options.memory}, d = {instance.dimension}, T = {options.horizon:,}, 1 thread")
    with threadpool_limits(limits=1):
        warm = Game.of(instance, 0, 300)
        game = Game.of(instance, options.seed, options.horizon)
        short = Game.of(instance, options.seed, options.rounds)
        for name in options.methods:
            method = load_additive_methods()[name]
            play(warm, method, 0)
            seconds, run = timed(partial(play, game, method, options.seed))
            fast, _ = timed(partial(play, short, method, options.seed))
            slow, _ = timed(partial(play, short, method, options.seed, "rounds"))
            print(
                f"{name:24} {seconds:7.2f} s   regret {run.regret[-1]:12.1f}"
                f"   {run.facts['episodes']:>9,} plans;   {options.rounds:,} rounds: {fast:6.3f} s,"
                f" literal {slow:6.3f} s",
                flush=True,
            )


def timed(work: Callable[[], Trajectory]) -> tuple[float, Trajectory]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def read_options() -> argparse.Namespace:
    names = list(load_additive_methods())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", type=int, default=100)
    parser.add_argument("--horizon", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--methods", nargs="+", choices=names, default=[name for name in names if name != DEAR]
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
