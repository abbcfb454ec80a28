"""Time the run-length learners, the whole 30-seed sweep, and the event-driven engine beside the
literal one.

    python benchmarks/run_length.py                        # the base setting and the ratio, 20 s
    python benchmarks/run_length.py --sweep --seeds 30     # all of Figure 1 (B)-(D), 2 minutes

One thread; seconds of CPU time, so that a busy machine matters less. Simulation alone: nothing is
stored. The literal loop is timed at `--rounds` rounds and M = 10 in the same process, against the
event-driven engine at the same rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pearl.environments.run_length_settings import RunLengthSettings
from pearl.memory.run_length_method import load_run_length_methods
from pearl.simulation.run_length import load, play
from pearl.simulation.run_length_noise import noise_sums
from pearl.simulation.trajectory import Trajectory

TENS = tuple(10.0 * k for k in range(1, 11))
SWEEP = [
    *(RunLengthSettings(memory=100 * k) for k in range(1, 11)),
    *(RunLengthSettings(feature_bound=bound) for bound in TENS),
    *(RunLengthSettings(norm_bound=bound) for bound in TENS),
]
METHODS = load_run_length_methods()


def main() -> None:
    options = read_options()
    with threadpool_limits(limits=1):
        compile_all()
        base(options.seeds, options.horizon)
        against_rounds(options.rounds)
        if options.sweep:
            sweep(options.seeds, options.horizon)


def compile_all() -> None:
    instance, optimum = load(RunLengthSettings(memory=10), 500)
    for method in METHODS.values():
        play(instance, optimum, method, 0)


def base(seeds: int, horizon: int) -> None:
    """Every method at M = 100, R = S = 1."""
    instance, optimum = load(RunLengthSettings(), horizon)
    noise, _ = timed(lambda: [noise_sums(seed, horizon) for seed in range(seeds)])
    print(f"M = 100, R = S = 1, T = {horizon:,}, {seeds} seeds, 10 histories each, 1 thread")
    print(f"{'noise':16} {noise / seeds:8.4f} s a seed")
    for name, method in METHODS.items():
        seconds, runs = timed(
            lambda method=method: [play(instance, optimum, method, s) for s in range(seeds)]
        )
        print(f"{name:16} {seconds / seeds:8.4f} s a seed   {said(runs)}")


def against_rounds(rounds: int) -> None:
    """Both engines at M = 10, where the literal one is quick enough."""
    instance, optimum = load(RunLengthSettings(memory=10), rounds)
    print(f"M = 10, T = {rounds:,}: event-driven against round by round")
    for name, method in METHODS.items():
        fast, run = timed(
            lambda method=method: [play(instance, optimum, method, 0) for _ in range(20)]
        )
        slow, literal = timed(lambda method=method: [play(instance, optimum, method, 0, "rounds")])
        gap = np.abs(run[0].regret - literal[0].regret).max()
        print(f"{name:16} {slow / (fast / 20):8.0f} times faster; curves within {gap:.0e}")


def sweep(seeds: int, horizon: int) -> None:
    """Every setting of Figure 1 (B)-(D) with every method; the noise is drawn once a seed."""
    start = time.process_time()
    total = 0
    for settings in SWEEP:
        instance, optimum = load(settings, horizon)
        for seed in range(seeds):
            total += len([play(instance, optimum, method, seed) for method in METHODS.values()])
    seconds = time.process_time() - start
    print(f"sweep: {len(SWEEP)} settings x {seeds} seeds, {total:,} runs in {seconds:.0f} s")


def said(runs: list[Trajectory]) -> str:
    final = [float(run.facts["final_regret"]) for run in runs]
    episodes = np.mean([float(run.facts["episodes"]) for run in runs])
    return f"regret {np.mean(final):10,.0f}   episodes {episodes:9,.1f}"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the run-length learners.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--horizon", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--sweep", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
