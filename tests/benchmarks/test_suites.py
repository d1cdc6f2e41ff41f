"""The tables of the suites make sense."""

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.peers import PEERS
from benchmarks.results import identity
from benchmarks.suites import ROUNDED, SUITES, Row
from hornbeam import GOSDTClassifier

EVERY = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))


@EVERY
def test_the_peers_of_a_suite_are_known_and_hornbeam_is_one(suite):
    assert any(peer.startswith("hornbeam") for peer in suite.peers)
    assert set(suite.peers) <= set(PEERS)


@EVERY
def test_no_line_of_a_suite_is_there_twice(suite):
    assert len(set(suite.rows)) == len(suite.rows)


@EVERY
def test_the_runs_of_a_suite_are_told_apart(suite):
    tasks = [one for row in suite.rows for one in suite.tasks(row, 1001)]
    assert len({identity({**asdict(one), "peer": "", "repeat": 0}) for one in tasks}) == len(tasks)


def test_a_rounded_regularization_is_a_whole_number_of_rows_and_not_zero():
    suite = SUITES["depth"]
    for n_rows, whole in ((1000, 5), (1729, 9), (30, 1)):
        [task] = suite.tasks(Row("any", "binary", ROUNDED, 2), n_rows)
        assert task.regularization == whole / n_rows


def test_another_limit_replaces_that_of_the_suite():
    suite = SUITES["convergence"]
    assert [one.limit for one in suite.tasks(suite.rows[0], 100)] == list(suite.limits)
    assert [one.limit for one in replace(suite, limits=(3.0,)).tasks(suite.rows[0], 100)] == [3.0]


def test_the_ablation_turns_each_bound_off_once():
    options = [one.options for one in SUITES["ablation"].tasks(SUITES["ablation"].rows[0], 100)]
    assert options[0] == {}
    bounds = [bound for one in options[1:] for bound in one["switches"]]
    assert options[1:] == [{"switches": {bound: False}} for bound in bounds]
    assert len(set(bounds)) == len(options) - 1
    bounds.append("leaf_penalty")  # it needs several searches
    with pytest.raises(ValueError, match=", ".join(map(repr, sorted(bounds)))):  # the message lists all
        GOSDTClassifier(bounds={"no such bound": False}).fit([[0], [1]], [0, 1])


def test_asking_for_what_a_suite_does_not_have_is_an_error(capsys):
    with pytest.raises(SystemExit):
        main(["run", "exact", "--dataset", "nothing"])
    assert "has nothing of what was requested" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["limits", "--help"], ["paper", "--help"], ["run", "--help"]])
def test_help_needs_no_hornbeam(arguments):
    code = "import runpy, sys; sys.modules['hornbeam'] = None; runpy.run_module('benchmarks', run_name='__main__')"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m benchmarks")


def test_an_unknown_estimator_or_limit_is_an_error_that_lists_the_known_ones(capsys):
    for option, known in (("--estimator", "GOSDT, GOSDT depth 4, "), ("--case", "0.5 s, 2 s, ")):
        with pytest.raises(SystemExit):
            main(["limits", option, "nothing"])
        assert f"argument {option}: 'nothing' is none of {known}" in capsys.readouterr().err
