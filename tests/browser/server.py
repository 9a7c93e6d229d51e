"""Starts and ends one Streamlit process of our own on loopback."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
APP = ROOT / "server.py"
_STREAMLIT = ("-m", "streamlit")
_PACED = (str(ROOT / "tests" / "browser" / "apps" / "paced.py"),)
_LONGEST_START = 60.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def streamlit_server(
    script: Path, environment: Mapping[str, str], launcher: Sequence[str] = _STREAMLIT
) -> Iterator[str]:
    """Run a script as people do, and give its address."""
    port = _free_port()
    command = [sys.executable, *launcher, "run", str(script), "--server.port", str(port)]
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


@contextmanager
def lectern(indexed_home: Path, folder: Path) -> Iterator[str]:
    """The app on its own copy of a home, which is made if it is not there yet."""
    home = folder / "home"
    if not home.exists():
        shutil.copytree(indexed_home, home)
    with streamlit_server(APP, {"LECTERN_HOME": str(home)}) as address:
        yield address


class Paced(NamedTuple):
    """An app whose answers come as far as they are let."""

    address: str
    control: Path

    def allow(self, pieces: int | None, every: float = 0.0) -> None:
        """Let so many pieces of an answer pass, one in so many seconds; all of them with None."""
        self._tell({"pieces": pieces, "every": every})

    def hold_search(self) -> None:
        """Let nothing be found until something is allowed."""
        self._tell({"hold_search": True})

    def fail(self, error: str, after: int = 0, retry_after: int = 0) -> None:
        """Let an answer fail after so many pieces."""
        self._tell({"pieces": after, "fail": error, "retry_after": retry_after})

    def _tell(self, told: Mapping[str, object]) -> None:
        # Replaced in one step: the app never reads half of it.
        written = self.control.with_suffix(".new")
        written.write_text(json.dumps(told))
        written.replace(self.control)


@contextmanager
def paced_lectern(indexed_home: Path, folder: Path) -> Iterator[Paced]:
    """The app with answers at our pace, on a copied home."""
    home, control = folder / "home", folder / "pace.json"
    shutil.copytree(indexed_home, home)
    settings = {"LECTERN_HOME": str(home), "LECTERN_TEST_PACE": str(control)}
    Paced("", control).allow(None)
    with streamlit_server(APP, settings, _PACED) as address:
        paced = Paced(address, control)
        yield paced
        # An answer that still waits would keep the process from ending.
        paced.allow(None)
