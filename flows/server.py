"""One Prefect server on this machine, with its own home under the project."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import requests

from pearl.errors import PearlError
from pearl.project import Project

HOST = "127.0.0.1"
START_TIMEOUT_SECONDS = 180


def free_port(preferred: int) -> int:
    """Return `preferred`, or the next port that nothing listens on, up to 50 further."""
    for port in range(preferred, preferred + 50):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise PearlError(
        f"No free port between {preferred} and {preferred + 49} on {HOST}.",
        remedy="Stop a server that you no longer need, or name another port.",
    )


def environment(project: Project, port: int) -> dict[str, str]:
    """Return the variables under which the server, and every client of it, runs."""
    address = f"http://{HOST}:{port}/api"
    return {
        **os.environ,
        "PREFECT_HOME": str(project.root / ".prefect"),
        "PREFECT_API_URL": address,
        "PREFECT_UI_API_URL": address,
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }


def end_on_sigterm() -> None:
    """Let SIGTERM unwind this process as Ctrl-C does, so that its server is stopped with it."""

    def leave(*_: object) -> None:
        sys.exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, leave)


@contextmanager
def running_server(project: Project, preferred_port: int = 4200) -> Iterator[dict[str, str]]:
    """Start a Prefect server, yield its clients' environment, and stop it afterwards."""
    port = free_port(preferred_port)
    if port != preferred_port:
        print(f"Port {preferred_port} is busy; the Prefect server takes {port}.", flush=True)
    variables = environment(project, port)
    log = project.root / ".prefect" / "server.log"
    log.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", HOST]
    with log.open("ab") as output:
        server = subprocess.Popen(
            [*command, "--port", str(port)],
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_healthy(server, variables, port, log)
        yield variables
    finally:
        _stop(server)


def _wait_until_healthy(
    server: subprocess.Popen[bytes], variables: Mapping[str, str], port: int, log: Path
) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        with suppress(requests.RequestException):
            healthy = requests.get(f"{variables['PREFECT_API_URL']}/health", timeout=2).ok
            if healthy and _listens(server, port):
                return
        time.sleep(0.25)
    raise PearlError(
        "The Prefect server did not start.",
        remedy=f"Its own words are in {log}; remove the folder beside it to start afresh.",
    )


def _listens(server: subprocess.Popen[bytes], port: int) -> bool:
    """Whether it is this server that answers on the port, not another that took it meanwhile."""
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(server.pid)
        for process in (parent, *parent.children(recursive=True)):
            for connection in process.net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
                    return True
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(server.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=10)
            return


def main() -> None:
    """Keep a server up until interrupted, for `make prefect-ui`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4200)
    port = parser.parse_args().port
    end_on_sigterm()
    with running_server(Project.find(), port) as variables:
        address = variables["PREFECT_API_URL"].removesuffix("/api")
        print(f"Prefect UI: {address}  (Ctrl-C stops it)", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
