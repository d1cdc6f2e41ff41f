"""The virtual environments of the peers: one each, so that none decides what another runs with."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent / ".environments"

# What is installed for each peer, the peer itself first; hornbeam runs in the interpreter that runs the benchmarks.
PINS: dict[str, tuple[str, ...]] = {
    "hornbeam": (),
    "hornbeam_split": (),
    "hornbeam_lickety": (),
    "hornbeam_sets": (),
    "gosdt": ("gosdt==1.0.4",),
    "imodels": ("imodels==3.0.4", "numba==0.68.1", "six==1.17.0", "matplotlib==3.11.2"),
    "streed": ("pystreed==1.4.0",),
    "dl85": ("pydl8.5==0.1.8",),
    "contree": ("pycontree==1.0.8",),
    "pytrees": ("pytrees-rs==2.0.0",),
    "treefarms": ("treefarms==0.2.4",),
    "praxis": ("tree-praxis==0.0.30",),
    "arborenum": ("arborenum==0.2.6",),
    "licketysplit": ("licketysplit==0.2.1",),
    "cart": ("scikit-learn==1.9.1",),
}
PEERS: tuple[str, ...] = tuple(PINS)


def python(peer: str) -> Path:
    """Return the interpreter that `peer` runs in."""
    _check(peer)
    return Path(sys.executable) if not PINS[peer] else ROOT / peer / "bin" / "python"


def version(peer: str) -> str:
    """Return the version of `peer` that is measured."""
    _check(peer)
    return PINS[peer][0].partition("==")[2] if PINS[peer] else metadata.version("hornbeam")


def is_ready(peer: str) -> bool:
    """Return whether the environment of `peer` is there and holds the packages of `PINS`."""
    _check(peer)
    stamp = _stamp(peer)
    return not PINS[peer] or (stamp.is_file() and stamp.read_text() == _pins_text(peer))


def setup(peers: Sequence[str] = PEERS) -> int:
    """Make the environments of `peers` that are not complete; say in a line each what was done."""
    for peer in peers:
        _check(peer)
    failures: dict[str, str] = {}
    for peer in peers:
        if is_ready(peer):
            print(f"{peer} {version(peer)}: complete")
            continue
        print(f"{peer} {version(peer)}: installing {' '.join(PINS[peer])}", flush=True)
        failure = _install(peer)
        if failure:
            failures[peer] = failure
    for peer, failure in failures.items():
        print(f"\n{peer}: the installation failed\n{failure}", file=sys.stderr)
    return 1 if failures else 0


def _install(peer: str) -> str:
    """Make the environment of `peer`; return the last lines of what went wrong, nothing if all went well."""
    venv.create(ROOT / peer, with_pip=True, clear=True)
    pip = [str(python(peer)), "-m", "pip", "--disable-pip-version-check", "-q", "install", *PINS[peer]]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        _stamp(peer).write_text(_pins_text(peer))
        return ""
    return "\n".join((done.stdout + done.stderr).splitlines()[-10:])


def _stamp(peer: str) -> Path:
    """Return the file that says what was installed for `peer`."""
    return ROOT / peer / "pins.txt"


def _pins_text(peer: str) -> str:
    return "\n".join(PINS[peer]) + "\n"


def _check(peer: str) -> None:
    if peer not in PINS:
        raise ValueError(f"peer must be one of {', '.join(PEERS)}, got {peer!r}.")
