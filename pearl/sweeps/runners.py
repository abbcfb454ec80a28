"""Who makes the missing runs: this process, or a pool of new ones. Both give the same bits."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Literal, get_args

from pearl.errors import PearlError
from pearl.progress import Advance, progress
from pearl.sweeps.chunk import execute_chunk, remove_chunks, write_chunks
from pearl.sweeps.networks import execute_pretraining, missing_networks, write_network_chunks
from pearl.sweeps.plans import Plan

Runner = Literal["serial", "processes"]
RUNNERS: tuple[Runner, ...] = get_args(Runner)
CHUNKS_PER_WORKER = 32
Work = Callable[[str, str], list[str]]


def execute(plan: Plan, *, runner: Runner = "serial", workers: int = 2) -> list[str]:
    """Make a plan's missing runs and return the keys made here.

    The networks that they start from come first, so that no worker waits for another's.

    Raises:
        PearlError: a worker process died, or a stored network is damaged.
        KeyboardInterrupt: workers are ended at once; what is finished is kept.
    """
    if not plan.missing:
        return []
    lanes = workers if runner == "processes" else 1
    root = str(plan.project.root)
    if networks := missing_networks(plan):
        paths = write_network_chunks(plan, networks)
        _work(execute_pretraining, root, paths, lanes, len(networks), "networks")
    parallel = lanes > 1 and len(plan.missing) > 1
    parts = workers * CHUNKS_PER_WORKER if parallel else len(plan.missing)
    paths = write_chunks(plan, math.ceil(len(plan.missing) / parts))
    return _work(execute_chunk, root, paths, lanes, len(plan.missing), "runs")


def _work(work: Work, root: str, paths: list[str], lanes: int, total: int, unit: str) -> list[str]:
    """Do the work of every chunk file and remove them; return the keys made."""
    try:
        with progress("making", total, unit=unit) as advance:
            share = total / len(paths)
            if lanes > 1 and total > 1:
                return _in_processes(work, root, paths, lanes, advance, share)
            made = []
            for path in paths:
                made += work(root, path)
                advance(share)
            return made
    finally:
        remove_chunks(paths)


def _in_processes(
    work: Work, root: str, paths: list[str], workers: int, advance: Advance, share: float
) -> list[str]:
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        max_workers=min(workers, len(paths)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin_worker,
    )
    made: list[str] = []
    try:
        for done in as_completed([pool.submit(work, root, path) for path in paths]):
            made += done.result()
            advance(share)
    except BrokenProcessPool as error:
        raise PearlError(
            "A worker process died (killed, or out of memory).",
            remedy="Finished runs are kept: run the same command again, perhaps with --workers 1.",
        ) from error
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return made


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, and don't outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
