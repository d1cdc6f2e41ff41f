import re
from math import inf

import pytest

import hornbeam
from benchmarks import environments
from benchmarks.peers import PEERS, Peer, Problem, Unsupported, is_whole
from benchmarks.trees import tree_from_paths


@pytest.mark.parametrize("peer", PEERS)
def test_every_package_is_pinned_to_one_version(peer):
    for pin in PEERS[peer].packages:
        assert re.fullmatch(r"[A-Za-z0-9.-]+==\d+(\.\d+)+|git\+{repository}@[0-9a-f]{7,}", pin)


def test_hornbeam_alone_runs_in_the_interpreter_of_the_benchmarks():
    for name, peer in PEERS.items():
        assert name.startswith("hornbeam") == (not peer.packages)
        if not peer.packages:
            assert environments.is_ready(name)
            assert environments.version(name) == hornbeam.__version__


@pytest.mark.parametrize(
    ("changes", "requirements", "message"),
    [
        ({"binary": False}, {"only_binary": True}, "takes binary columns only"),
        ({"regularization": 0.1}, {"has_penalty": False}, "has no leaf penalty"),
        ({"max_depth": None}, {"depths": (0, inf)}, "needs a depth limit of 0 or more"),
        ({"max_depth": 21}, {"depths": (0, 20)}, "needs a depth limit of 0 to 20"),
        ({"max_depth": 0}, {"depths": (1, inf)}, "needs a depth limit of 1 or more"),
    ],
)
def test_what_a_peer_cannot_solve_is_unsupported(changes, requirements, message):
    usual = {"binary": True, "regularization": 0.0, "max_depth": 2, "time_limit": 1.0, "threads": 1, "options": {}}
    peer = Peer(lambda problem: problem, (), **requirements)
    assert peer.prepare(Problem(X=None, y=None, **usual)).max_depth == 2
    with pytest.raises(Unsupported, match=message):
        peer.prepare(Problem(X=None, y=None, **{**usual, **changes}))


def test_an_unknown_peer_is_refused():
    with pytest.raises(ValueError, match="peer must be one of hornbeam"):
        environments.setup(["hornbeam", "oracle"])


def test_an_environment_with_other_pins_is_not_ready(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    assert not environments.is_ready("gosdt")
    (tmp_path / "gosdt").mkdir()
    stamp = tmp_path / "gosdt" / "pins.txt"
    stamp.write_text("gosdt==0.0.1\n")
    assert not environments.is_ready("gosdt")
    stamp.write_text("\n".join(PEERS["gosdt"].packages) + "\n")
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
def test_a_penalty_is_whole_where_it_is_a_whole_number_of_rows(regularization, n_rows, whole):
    assert is_whole(regularization, n_rows) == whole
