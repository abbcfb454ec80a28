"""Time the tree planner against the paper's plain O(d q^2) program, in one run on one thread.

    python benchmarks/tree_planner.py [TRACE.jsonl] [--paths 181] [--objectives 48]

With a Mooncake trace the tree is its catalogue (Appendix C.4), otherwise a random tree of the same
shape: one root, many short branches. Weights are Gaussian. Only ratios within a run mean anything.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from pearl.datasets.mooncake import read_jsonl
from pearl.environments import kv_cache
from pearl.environments.kv_settings import KVCacheSettings
from pearl.environments.prefix_tree import PrefixTree
from pearl.memory.tree_planner import best_union, best_unions
from pearl.memory.tree_reference import plain_values


def catalogue(trace: Path | None) -> PrefixTree:
    if trace is not None:
        return kv_cache.build(read_jsonl(trace), KVCacheSettings()).tree
    rng = np.random.default_rng(0)
    parent = [-1] + [0 if rng.random() < 0.7 else int(rng.integers(0, v)) for v in range(1, 864)]
    leaves = np.setdiff1d(np.arange(864), parent)
    return PrefixTree(np.array(parent), np.union1d(leaves, np.flatnonzero(rng.random(864) < 0.95)))


def milliseconds(work: Callable[[], object], calls: int) -> float:
    """The fastest of five repeats, per call."""
    work()
    times = []
    for _ in range(5):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return 1000 * min(times) / calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", nargs="?", type=Path)
    parser.add_argument("--paths", type=int, default=181)
    parser.add_argument("--objectives", type=int, default=48)
    given = parser.parse_args()
    tree = catalogue(given.trace)
    weights = np.random.default_rng(1).normal(size=(given.objectives, tree.segments))
    batch = milliseconds(lambda: best_unions(tree, weights, given.paths), len(weights))
    single = milliseconds(lambda: [best_union(tree, w, given.paths) for w in weights], len(weights))
    few = weights[:8]
    plain = milliseconds(lambda: [plain_values(tree, w, given.paths) for w in few], len(few))
    kind = "random tree" if given.trace is None else given.trace.name
    print(f"{kind}: d = {tree.segments}, K = {len(tree.actions)}, q = {given.paths}")
    for name, time in (("plain O(d q^2)", plain), ("one at a time", single), ("batch", batch)):
        print(f"  {name:<16} {time:8.3f} ms an objective   {plain / time:6.1f} x")


if __name__ == "__main__":
    main()
