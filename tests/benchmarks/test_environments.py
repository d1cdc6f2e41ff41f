import ast
import re
from pathlib import Path

import pytest

import hornbeam
from benchmarks import environments
from benchmarks.peers import Problem, Unsupported, is_whole_price, require, tree_from_paths

PEERS = Path(environments.__file__).parent / "peers"


@pytest.mark.parametrize("peer", environments.PEERS)
def test_every_package_is_pinned_to_one_version(peer):
    for pin in environments.PINS[peer]:
        assert re.fullmatch(r"[A-Za-z0-9.-]+==\d+(\.\d+)+", pin)


def test_hornbeam_alone_runs_in_the_interpreter_of_the_benchmarks():
    for peer, pins in environments.PINS.items():
        assert peer.startswith("hornbeam") == (not pins)
        if not pins:
            assert environments.is_ready(peer)
            assert environments.version(peer) == hornbeam.__version__


def test_each_peer_has_a_module_and_each_module_is_a_peer():
    modules = {path.stem for path in PEERS.glob("*.py") if not path.stem.startswith("_")}
    assert modules == set(environments.PEERS)


SIGNATURES = {"prepare": ("Problem", "State"), "fit": ("State", "None"), "read": ("State", "Outcome")}


@pytest.mark.parametrize("peer", environments.PEERS)
def test_a_peer_prepares_and_reads_and_may_fit_in_its_own_way(peer):
    module = ast.parse((PEERS / f"{peer}.py").read_text())
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    names = {target.id for node in module.body if isinstance(node, ast.Assign) for target in node.targets}
    assert {"prepare", "read"} <= names | set(functions)
    for name in set(functions) & set(SIGNATURES):
        argument, answer = SIGNATURES[name]
        assert [ast.unparse(given.annotation) for given in functions[name].args.args] == [argument]
        assert ast.unparse(functions[name].returns) == answer


@pytest.mark.parametrize(
    ("changes", "requirements", "message"),
    [
        ({"binary": False}, {"binary": True}, "takes binary columns only"),
        ({"regularization": 0.1}, {"no_penalty": True}, "has no leaf penalty"),
        ({"max_depth": None}, {"at_least": 0}, "needs a depth limit of 0 or more"),
        ({"max_depth": 21}, {"at_least": 0, "at_most": 20}, "needs a depth limit of 0 to 20"),
        ({"max_depth": 0}, {"at_least": 1}, "needs a depth limit of 1 or more"),
    ],
)
def test_what_a_peer_cannot_solve_is_unsupported(changes, requirements, message):
    usual = {"binary": True, "regularization": 0.0, "max_depth": 2, "time_limit": 1.0, "threads": 1, "options": {}}
    require(Problem(X=None, y=None, **usual), **requirements)
    with pytest.raises(Unsupported, match=message):
        require(Problem(X=None, y=None, **{**usual, **changes}), **requirements)


def test_an_unknown_peer_is_refused():
    for function in (environments.python, environments.version, environments.is_ready):
        with pytest.raises(ValueError, match="peer must be one of hornbeam"):
            function("oracle")
    with pytest.raises(ValueError, match="peer must be one of hornbeam"):
        environments.setup(["hornbeam", "oracle"])


def test_an_environment_with_other_pins_is_not_ready(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    assert not environments.is_ready("gosdt")
    (tmp_path / "gosdt").mkdir()
    stamp = tmp_path / "gosdt" / "pins.txt"
    stamp.write_text("gosdt==0.0.1\n")
    assert not environments.is_ready("gosdt")
    stamp.write_text("\n".join(environments.PINS["gosdt"]) + "\n")
    assert environments.is_ready("gosdt")


def test_a_failed_installation_is_told_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    def install(peer):
        return "no such version" if peer == "gosdt" else ""

    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "_install", install)
    assert environments.setup(["gosdt", "streed"]) == 1
    told = capsys.readouterr()
    assert "streed" in told.out
    assert "no such version" in told.err
    assert environments.setup(["streed"]) == 0


def test_a_tree_is_built_from_the_paths_of_its_leaves():
    leaf, stump = {"class": 1}, {"feature": 2, "threshold": 0.5, "left": {"class": 0}, "right": {"class": 1}}
    assert tree_from_paths([[]], [1]) == leaf
    assert tree_from_paths([[3], [-3]], [1, 0]) == stump
    assert tree_from_paths([[-1], [1, 3], [1, -3]], [1, 1, 0]) == {
        "feature": 0,
        "threshold": 0.5,
        "left": leaf,
        "right": stump,
    }


@pytest.mark.parametrize(
    ("regularization", "n_rows", "whole"),
    [(0.0, 4, True), (0.5, 4, True), (0.05, 4, False), (7 / 1913, 1913, True), (0.005, 1913, False)],
)
def test_a_price_is_whole_where_it_is_a_whole_number_of_rows(regularization, n_rows, whole):
    assert is_whole_price(regularization, n_rows) == whole
