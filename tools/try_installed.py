"""Try an installed hornbeam: its classifiers on a small problem, Ctrl-C and the command.

Needs nothing but hornbeam with its command line; the sources are not used.
"""

import signal
import subprocess
import sys
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

import hornbeam
from hornbeam.datasets import load_monk


def check(what: str, holds: bool) -> None:
    """Print a claim; end the script if it does not hold."""
    print("ok  " if holds else "NOT", what)
    if not holds:
        sys.exit(1)


def try_classifiers() -> None:
    """At a leaf penalty of 0.005, the best tree of MONK's first problem has 7 leaves and no mistake."""
    X, y = load_monk(1, return_X_y=True)  # type: ignore[misc]
    exact = hornbeam.GOSDTClassifier(regularization=0.005).fit(X, y)
    check("GOSDT proves the tree of 7 leaves", (exact.status_, exact.n_leaves_, exact.score(X, y)) == ("optimal", 7, 1))
    again = hornbeam.GOSDTClassifier(regularization=0.005, n_jobs=2).fit(X, y)
    check("two threads agree", again.objective_ == exact.objective_)
    split = hornbeam.SPLITClassifier(regularization=0.005, max_depth=4).fit(X, y)
    check("SPLIT is not better than the optimum", split.objective_ >= exact.objective_)
    check("OSDT agrees", hornbeam.OSDTClassifier(regularization=0.02).fit(X, y).status_ == "optimal")
    check("MAPTree fits", hornbeam.MAPTreeClassifier(time_limit=5).fit(X, y).score(X, y) > 0.7)
    good = hornbeam.RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4).fit(X, y)
    check(f"all {good.n_trees_} good trees are counted", good.n_trees_ == len(good.rashomon_set_))
    check("its tree is written as SQL", exact.tree_.to_sql().startswith("CASE"))


def try_interrupt() -> None:
    """Ctrl-C, sent to this process while it searches, ends the search with the best tree so far."""
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, (2000, 40)), draw.integers(0, 2, 2000)

    def interrupt(progress: hornbeam.Progress) -> bool:
        signal.raise_signal(signal.SIGINT)
        return False

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hornbeam.NotProvenWarning)
        stopped = hornbeam.GOSDTClassifier(regularization=0, callback=interrupt, time_limit=60).fit(X, y)
    check("Ctrl-C ends a search with a tree", (stopped.status_, stopped.tree_.n_leaves > 0) == ("interrupted", True))


def try_command() -> None:
    """The command draws and exports the breast-cancer tree."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-I", "-m", "hornbeam"]
        said = subprocess.run(
            [*command, "demo", "--directory", folder], capture_output=True, encoding="utf-8", check=True
        )
        check("hornbeam demo proves its tree", "Proven optimal" in said.stdout)
        check("and draws it", Path(folder, "breast-cancer.svg").stat().st_size > 1000)


print("hornbeam", version("hornbeam"), "from", Path(hornbeam.__file__).parent, "on Python", sys.version.split()[0])
try_classifiers()
try_interrupt()
try_command()
