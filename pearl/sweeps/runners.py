"""Who makes the missing runs: this process, or a pool of new ones. Both give the same bits."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Literal, get_args

from pearl.errors import PearlError
from pearl.progress import Advance, progress
from pearl.sweeps.chunk import execute_chunk, remove_chunks, write_chunks
from pearl.sweeps.plans import Plan

Runner = Literal["serial", "processes"]
RUNNERS: tuple[Runner, ...] = get_args(Runner)
CHUNKS_PER_WORKER = 32


def execute(plan: Plan, *, runner: Runner = "serial", workers: int = 2) -> list[str]:
    """Make a plan's missing runs and return the keys made here.

    Raises:
        PearlError: a worker process died.
        KeyboardInterrupt: workers are ended at once; what is finished is kept.
    """
    if not plan.missing:
        return []
    parallel = runner == "processes" and workers > 1 and len(plan.missing) > 1
    parts = workers * CHUNKS_PER_WORKER if parallel else len(plan.missing)
    paths = write_chunks(plan, math.ceil(len(plan.missing) / parts))
    root = str(plan.project.root)
    try:
        with progress(plan.experiment.id, len(plan.missing)) as advance:
            share = len(plan.missing) / len(paths)
            if parallel:
                return _in_processes(root, paths, workers, advance, share)
            made = []
            for path in paths:
                made += execute_chunk(root, path)
                advance(share)
            return made
    finally:
        remove_chunks(paths)


def _in_processes(
    root: str, paths: list[str], workers: int, advance: Advance, share: float
) -> list[str]:
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        max_workers=min(workers, len(paths)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin_worker,
    )
    made: list[str] = []
    try:
        for done in as_completed([pool.submit(execute_chunk, root, path) for path in paths]):
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
