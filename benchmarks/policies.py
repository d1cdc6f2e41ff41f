"""Policy trees: time, memory and value on generated tables, next to STreeD, EconML and policytree's own figures.

``python -m benchmarks policies`` fits each table of `TABLES` with each peer that can, in a process of its own, adds a
line for each to ``benchmarks/results/policies.jsonl``, and writes the table of ``policies.md``. EconML's trees are
greedy. Columns are independent normal numbers, or, if `n_quantiles` is given,
whether they are at most so many of their quantiles. Rewards are independent normal numbers, too ("noise"), or half a
standard deviation is added to the action that a tree of four leaves chooses ("rule"). The R package policytree
publishes the times of `PUBLISHED` for tables of 30 columns, 20 actions and these numbers of rows, on another machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import environments, results
from benchmarks.regressions import add, cell, ratios, record_of

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
_NAMES = {"hornbeam": "hornbeam", "streed": "STreeD", "econml": "EconML"}


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


def run(path: Path, names: Sequence[str], peers: Sequence[str], limit: float) -> None:
    """Measure each table with each peer, print it and add it to a file; a run that ends with an error says so."""
    with TemporaryDirectory(prefix="hornbeam-policies-") as folder:
        for name in names:
            table = TABLES[name]
            X, rewards = generate(table)
            archive = Path(folder, "table.npz")
            np.savez(archive, X=X, rewards=rewards)
            best_single = float(rewards.mean(axis=0).max())
            for peer in peers:
                if peer == "streed" and table.n_quantiles is None:
                    continue
                command = [str(environments.python(peer)), "-m", "benchmarks.policy_peers", peer, str(archive)]
                command += [str(table.max_depth), str(limit)]
                known = {"table": name, "peer": peer, **table._asdict(), "best_single": best_single, "limit": limit}
                add(path, {**known, **record_of(command, limit)})


def report(path: Path, page: Path) -> None:
    """Write the table of the latest run of each table and peer."""
    latest = {(one["table"], one["peer"]): one for one in results.load(path)}
    peers = {peer: name for peer, name in _NAMES.items() if any(other == peer for _, other in latest)}
    lines = [
        "# Policy trees",
        "",
        "A cell has the user CPU seconds of `fit`, the growth of memory, and the mean reward of the rows under the",
        "policy, in bold if it is proven to be the largest. EconML's trees are greedy. The last column has what the R",
        "package policytree publishes, on another machine.",
        "",
        f"| table | actions | depth | best single action | {' | '.join(peers.values())} | policytree |",
        f"| :-- | --: | --: | --: |{' --: |' * len(peers)} --: |",
    ]
    for name, table in TABLES.items():
        of_table = [latest.get((name, peer)) for peer in peers]
        if best_single := next((one["best_single"] for one in of_table if one), None):
            cells = " | ".join(cell(one, _figures) for one in of_table)
            published = PUBLISHED[table.n_rows] if table == Table(table.n_rows, table.rewards) else ""
            sizes = f"{table.n_actions} | {table.max_depth} | {best_single:.4f}"
            lines.append(f"| {name} | {sizes} | {cells} | {published} |")
    both = [(latest.get((name, "hornbeam")), latest.get((name, "streed"))) for name in TABLES]
    if proven := [(mine, its) for mine, its in both if mine and its and mine.get("proven") and its.get("proven")]:
        lines += ["", f"STreeD proves {len(proven)} of these; {ratios(proven)}."]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _figures(record: Mapping[str, Any]) -> str:
    value = f"**{record['value']:.4f}**" if record["proven"] else f"{record['value']:.4f}"
    return f"{record['user_seconds']:.3g} s, {record['bytes'] / 1e6:.0f} MB, {value}"
