"""Starts and ends one Streamlit process of our own on loopback."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LONGEST_START = 60.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def streamlit_server(script: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Run a script as people do, and give its address."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    process = subprocess.Popen(
        [*command, "--server.headless", "true"],
        cwd=ROOT,
        env={**os.environ, **environment, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    overdue = threading.Timer(_LONGEST_START, process.kill)
    overdue.start()
    try:
        address = _announced(process)
        overdue.cancel()
        yield address
    finally:
        overdue.cancel()
        process.terminate()
        process.communicate(timeout=20)


def _announced(process: "subprocess.Popen[str]") -> str:
    """The address the server prints once it listens."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "URL:" in line:
            # Whatever it says from now on is read, so that it never waits for us.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return line.split("URL:")[1].strip()
    raise AssertionError(f"Streamlit did not start:\n{said}")
