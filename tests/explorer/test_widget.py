"""The widget: messages of the page and their answers."""

import threading

import pytest

anywidget = pytest.importorskip("anywidget")


@pytest.fixture
def widget(classifier):
    from hornbeam.explorer import RashomonExplorer

    made = RashomonExplorer(classifier, name="Crimes")
    made.sent, made.has_answered = [], threading.Event()

    def send(message, buffers=None):
        made.sent.append(message)
        made.has_answered.set()

    made.send = send
    return made


def ask(widget, message):
    widget.has_answered.clear()
    widget._handle_custom_msg(message, [])
    assert widget.has_answered.wait(60)
    return widget.sent[-1]


def test_the_widget_answers_with_the_id_of_the_question(widget, classifier):
    answer = ask(widget, {"id": "a-1", "method": "about"})
    assert (answer["id"], answer["answer"]["name"]) == ("a-1", "Crimes")
    answer = ask(widget, {"id": "a-2", "method": "look", "tree": None})
    assert (answer["id"], answer["answer"]["n_trees"]) == ("a-2", str(classifier.n_trees_))


def test_wrong_questions_are_answered_with_an_error_and_others_not_at_all(widget):
    assert "method: expected" in ask(widget, {"id": "a-1", "method": "x"})["error"]
    widget._handle_custom_msg("text", [])
    widget._handle_custom_msg({"id": 7, "method": "about"}, [])
    widget._handle_custom_msg({"id": "unknown", "stop": True}, [])
    assert len(widget.sent) == 1


def test_a_search_is_stopped(widget, monkeypatch):
    has_begun = threading.Event()

    def search(message, stop):
        has_begun.set()
        while not stop(None):
            pass
        raise InterruptedError("the search was stopped.")

    monkeypatch.setattr(widget._engine, "answer", search)
    widget._handle_custom_msg({"id": "a-1", "method": "count"}, [])
    assert has_begun.wait(60)
    widget._handle_custom_msg({"id": "a-1", "stop": True}, [])
    assert widget.has_answered.wait(60)
    assert widget.sent == [{"id": "a-1", "error": "the search was stopped."}]


def test_the_page_is_the_built_module(widget):
    assert "export{" in str(widget._esm)
    assert ".hb-explorer" in str(widget._css)
