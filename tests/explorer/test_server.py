"""The server: what it serves, to whom, and what it refuses."""

import gc
import http.client
import json

import pytest

from hornbeam.explorer.server import MOST_BYTES
from tests.explorer.conftest import TOKEN


def request(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    return response.status, dict(response.getheaders()), response.read()


def ask(server, message, **headers):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    status, _, answer = request(
        server, "POST", f"/{TOKEN}/ask", body, **{"Content_Type": "application/json", **headers}
    )
    return status, json.loads(answer)


def test_the_page_and_its_files_are_served_with_a_strict_policy(server):
    for name in ("", "explorer.js", "explorer.css", "page.js"):
        status, headers, body = request(server, "GET", f"/{TOKEN}/{name}")
        assert status == 200
        assert body
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/wrong/",
        "/wrong/explorer.js",
        f"/{TOKEN[:-1]}/",
        f"/{TOKEN}x/",
        f"/{TOKEN}/../pyproject.toml",
        f"/{TOKEN}/%2e%2e/engine.py",
        f"/{TOKEN}/..%2fengine.py",
        f"/{TOKEN}/page.html",
        f"/{TOKEN}/a/b",
        "/static/",
    ],
)
def test_nothing_else_is_served(server, path):
    status, _, body = request(server, "GET", path)
    assert status in (400, 404)
    assert TOKEN.encode() not in body


def test_questions_need_the_token_and_the_name_of_the_loopback_address(server):
    message = json.dumps({"method": "about"})
    assert request(server, "POST", "/wrong/ask", message, Content_Type="application/json")[0] == 404
    status, _, _ = request(server, "GET", f"/{TOKEN}/", Host="attacker.example")
    assert status == 400
    # A page of another site can send plain text without asking first, but no JSON.
    assert request(server, "POST", f"/{TOKEN}/ask", message, Content_Type="text/plain")[0] == 415


def test_the_server_listens_on_the_loopback_address_only(monkeypatch, engine, capsys):
    uvicorn = pytest.importorskip("uvicorn")
    from hornbeam.explorer import serve

    bound = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: bound.extend(s.getsockname() for s in sockets))
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    serve(engine)
    serve(engine, opens_browser=False)
    assert [address for address, _ in bound] == ["127.0.0.1", "127.0.0.1"]
    said = [line for line in capsys.readouterr().out.splitlines() if "http" in line]
    assert opened == [said[0].split()[-1]]
    tokens = {line.split("/")[-2] for line in said}
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


def test_modules_are_kept_from_the_collector_only_while_the_server_runs(monkeypatch, engine):
    uvicorn = pytest.importorskip("uvicorn")
    from hornbeam.explorer import serve

    frozen = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: frozen.append(gc.get_freeze_count()))
    serve(engine, opens_browser=False)
    assert frozen[0] > 0
    assert gc.get_freeze_count() == 0


def test_answers_are_those_of_the_engine(server, classifier):
    status, answer = ask(server, {"method": "look", "tree": None, "filters": {}})
    assert status == 200
    assert answer["answer"]["n_trees"] == str(classifier.n_trees_)
    assert answer["answer"]["objective"] == classifier.rashomon_set_.objective(0)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"method": "shell"}, "method: expected one of"),
        ({"method": []}, "method: expected one of"),
        ([1], "method: expected one of"),
        ({"method": "look", "tree": {"split": 10**6}}, "split: expected a number"),
        ({"method": "look", "tree": {"leaf": -1}}, "leaf: expected a number"),
        ({"method": "look", "tree": "x"}, "tree: expected a split"),
        ({"method": "look", "filters": {"never": ["age"]}}, "never: expected a list"),
        ({"method": "options", "place": "../"}, "path: expected letters"),
        ({"method": "options", "place": "T"}, "the tree has no node"),
        ({"method": "rows", "place": "", "first": -1}, "first: expected"),
        ({"method": "follow", "row": 10**9}, "there is no row"),
        ({"method": "follow", "values": [1]}, "values: expected a list of 7"),
        ({"method": "follow", "values": ["x"] * 7}, "values: expected a number"),
        ({"method": "take_away", "format": "exe"}, "format: expected one of"),
    ],
)
def test_messages_that_are_not_understood_are_refused_in_words(server, message, words):
    status, answer = ask(server, message)
    assert status == 400
    assert words in answer["error"]


def test_messages_of_a_wrong_form_or_size_are_refused(server):
    assert ask(server, b"{")[0] == 400
    assert ask(server, b"[" * 100_000)[0] == 400
    assert ask(server, b" " * (MOST_BYTES + 1))[0] == 413
    tree = None
    for _ in range(70):
        tree = {"split": 0, "true": tree, "false": None}
    status, answer = ask(server, {"method": "look", "tree": tree})
    assert (status, "levels" in answer["error"]) == (400, True)
