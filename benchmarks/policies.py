"""Policy trees: time, memory and value on generated tables, next to STreeD, EconML and policytree's own figures.

``python -m benchmarks policies`` fits each table of `TABLES` with each peer that can, in a process of its own, and adds
a line to ``benchmarks/results/policies.jsonl``; the line before them has machine, commit and versions. EconML's trees
are greedy. Columns are independent normal numbers, or, if `n_quantiles` is given,
whether they are at most so many of their quantiles. Rewards are independent normal numbers, too ("noise"), or half a
standard deviation is added to the action that a tree of four leaves chooses ("rule"). The R package policytree
publishes the times of `PUBLISHED` for tables of 30 columns, 20 actions and these numbers of rows, on another machine.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import environments, results

_EFFECT = 0.5


class Table(NamedTuple):
    """A generated table, and the largest depth of its policy."""

    n_rows: int
    rewards: str  # "noise" or "rule"
    decimals: int | None = None  # to which columns are rounded; None: all values differ
    n_columns: int = 30
    n_actions: int = 20
    max_depth: int = 2
    n_quantiles: int | None = None  # of each column; None: numbers, which STreeD does not take


TABLES: Mapping[str, Table] = {
    "1,000 rule": Table(1_000, "rule"),
    "1,000 noise": Table(1_000, "noise"),
    "10,000 rule": Table(10_000, "rule"),
    "10,000 noise": Table(10_000, "noise"),
    "100,000 rule": Table(100_000, "rule"),
    "100,000 noise": Table(100_000, "noise"),
    "100,000 rule, rounded": Table(100_000, "rule", 1),
    "100,000 noise, rounded": Table(100_000, "noise", 1),
    "10,000 rule, 3 actions, depth 3": Table(10_000, "rule", 1, 10, 3, 3),
    "binary, 20 actions": Table(10_000, "rule", None, 10, 20, 2, 8),
    "binary, 3 actions": Table(10_000, "rule", None, 10, 3, 3, 8),
    "binary, 3 actions, noise": Table(5_000, "noise", None, 10, 3, 3, 4),
    "binary, 2 actions": Table(10_000, "rule", None, 10, 2, 3, 8),
}
PUBLISHED: Mapping[int, str] = {1_000: "1.5 min", 10_000: "3 h", 100_000: "50 h, every tenth split"}
PEERS = ("hornbeam", "streed", "econml")


def generate(table: Table) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.float64]]:
    """Return columns and rewards of a table."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(table.n_rows, table.n_columns))
    if table.decimals is not None:
        X = X.round(table.decimals)
    rewards = draw.normal(size=(table.n_rows, table.n_actions))
    if table.rewards == "rule":
        action = (X[:, 0] > 0) + 2 * (X[:, 1] > np.where(X[:, 0] > 0, 0.3, -0.3))
        rewards[np.arange(table.n_rows), action % table.n_actions] += _EFFECT
    if table.n_quantiles is None:
        return X, rewards
    shares = np.arange(1, table.n_quantiles + 1) / (table.n_quantiles + 1)
    thresholds = np.quantile(X, shares, axis=0)
    binary = (X[:, :, np.newaxis] <= thresholds.T).reshape(table.n_rows, -1)
    return binary.astype(np.uint8), rewards


def run(path: Path, names: list[str], peers: list[str], limit: float) -> None:
    """Measure each table with each peer, print it and add it to a file; a run that ends with an error says so."""
    shared = {**results.origin(), "versions": {peer: environments.version(peer) for peer in peers}}
    with path.open("a", encoding="utf-8") as file:
        print(json.dumps(shared), file=file)
    with TemporaryDirectory(prefix="hornbeam-policies-") as folder:
        for name in names:
            table = TABLES[name]
            X, rewards = generate(table)
            archive = Path(folder, "table.npz")
            np.savez(archive, X=X, rewards=rewards)
            for peer in peers:
                if peer == "streed" and table.n_quantiles is None:
                    continue
                command = [str(environments.python(peer)), "-m", "benchmarks.policy_peers", peer, str(archive)]
                command += [str(table.max_depth), str(limit)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                found = (
                    {"error": done.stderr.splitlines()[-1:]}
                    if done.returncode
                    else json.loads(done.stdout.splitlines()[-1])
                )
                known: dict[str, float | str] = {"best_single": float(rewards.mean(axis=0).max())}
                if (table.n_columns, table.n_actions) == (30, 20):
                    known["policytree"] = PUBLISHED[table.n_rows]
                record = {"table": name, "peer": peer, **table._asdict(), **known, **found}
                print(json.dumps(record), flush=True)
                with path.open("a", encoding="utf-8") as file:
                    print(json.dumps(record), file=file)
