"""The virtual environments of the peers: one for each set of packages, so that none decides what another runs with."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from collections.abc import Collection, Mapping
from importlib import metadata
from pathlib import Path

from benchmarks.peers import PEERS

ROOT = Path(__file__).resolve().parent / ".environments"
PACKAGES: Mapping[str, tuple[str, ...]] = {
    **{name: peer.packages for name, peer in PEERS.items()},
    # Of regression, survival and policies, which the suites do not have.
    "osrt": ("osrt==0.2.2",),
    "osst": ("osst==0.1.8",),
    "econml": ("econml==0.17.0",),
}


def python(peer: str) -> Path:
    """Return the interpreter that `peer` runs in; hornbeam runs in that of the benchmarks."""
    return _folder(peer) / "bin" / "python" if PACKAGES[peer] else Path(sys.executable)


def _folder(peer: str) -> Path:
    """Return the environment of `peer`: that of the first peer with the same packages."""
    return ROOT / next(name for name, packages in PACKAGES.items() if packages == PACKAGES[peer])


def version(peer: str) -> str:
    """Return the version of `peer` that is measured."""
    packages = PACKAGES[peer]
    return re.split("==|@", packages[0])[-1] if packages else metadata.version("hornbeam")


def is_ready(peer: str) -> bool:
    """Return whether the environment of `peer` exists and holds the pinned packages."""
    stamp = _folder(peer) / "pins.txt"
    return not PACKAGES[peer] or (stamp.is_file() and stamp.read_text().split() == [*PACKAGES[peer]])


def setup(peers: Collection[str] = tuple(PACKAGES)) -> int:
    """Make the environments of `peers` that are not complete; print a line for each, and return 1 if one failed."""
    if unknown := set(peers) - set(PACKAGES):
        raise ValueError(f"peer must be one of {', '.join(PACKAGES)}, got {', '.join(sorted(unknown))}.")
    failures = {}
    for peer in peers:
        if is_ready(peer):
            print(f"{peer} {version(peer)}: complete")
        else:
            print(f"{peer} {version(peer)}: installing {' '.join(PACKAGES[peer])}", flush=True)
            failures[peer] = _install(peer)
    for peer, failure in failures.items():
        if failure:
            print(f"\n{peer}: the installation failed\n{failure}", file=sys.stderr)
    return int(any(failures.values()))


def _install(peer: str) -> str:
    """Make the environment of `peer`; return the last lines of what went wrong, nothing if all went well."""
    venv.create(_folder(peer), with_pip=True, clear=True)
    pip = [str(python(peer)), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    pip += [package.format(repository=ROOT.parents[1].as_uri()) for package in PACKAGES[peer]]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        return "\n".join((done.stdout + done.stderr).splitlines()[-10:])
    (_folder(peer) / "pins.txt").write_text("\n".join(PACKAGES[peer]) + "\n")
    return ""
