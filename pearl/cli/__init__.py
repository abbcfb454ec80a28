"""The command line over everything: `pearl --help`."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pearl.errors import PearlError, of_system

INTERRUPTED = 130


def main() -> None:
    """Run the `pearl` command; errors a user can mend are printed without a traceback."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    with without_traceback():
        from pearl.cli.app import app

        app()


@contextmanager
def without_traceback() -> Iterator[None]:
    """Print what a user can mend and end the program with exit code 1; 130 when stopped.

    A character that the terminal doesn't have is replaced, never an error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        yield
    except PearlError as error:
        _end(error)
    except OSError as error:
        fault = of_system(error, _named_paths())
        if fault is None:
            raise
        _end(fault)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _end(error: PearlError) -> None:
    from rich.console import Console

    console = Console(stderr=True)
    console.print("error:", style="bold red", end=" ")
    console.print(str(error), markup=False, highlight=False, soft_wrap=True)
    sys.exit(1)


def _named_paths() -> list[str]:
    """Return what may be a path among the command's words, and the mirror's."""
    from pearl.datasets.places import MIRROR

    words = [word.rpartition("=")[2] for word in sys.argv[1:]]
    return [*words, os.environ.get(MIRROR, "")]
