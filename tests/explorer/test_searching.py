"""The page while the good trees are searched for."""

from threading import Event
from time import sleep

import pytest

from hornbeam.explorer import BackgroundSearch
from hornbeam.fitting.progress import Progress
from tests.explorer.conftest import Served

ABOUT = {"name": "Crimes", "rows": 4000}


def test_questions_are_answered_by_the_search_until_it_ends(engine):
    may_end = Event()

    def find(listen):
        assert not listen(Progress(0.1, 0.4, 0.25, 0.375, 10, 100, 3))
        may_end.wait()
        return engine

    search = BackgroundSearch(find, ABOUT)
    answer = search.answer({"method": "look", "tree": None, "filters": {}})["searching"]
    assert answer.pop("seconds") > 0
    assert answer == {**ABOUT, "is_stopping": False, "best": 0.4, "bound": 0.25, "leaves": 3}
    may_end.set()
    assert search.wait(10)
    assert search.answer({"method": "about"}) == engine.answer({"method": "about"})
    assert not search.stop()
    assert "searching" in search.answer({"method": "stop_search"})


def test_a_search_that_fails_is_an_error_of_each_question():
    def find(_):
        raise ValueError("the set is empty")

    search = BackgroundSearch(find, ABOUT)
    for _ in range(2):
        with pytest.raises(ValueError, match="the set is empty"):
            search.answer({"method": "about"})
    assert str(search.failure) == "the set is empty"


@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_shows_the_search_and_ends_it(open_page, engine, width):
    has_tree = Event()

    def find(listen):
        has_tree.wait()
        while not listen(Progress(0.1, 0.4, 0.25, 0.375, 10, 100, 3)):
            sleep(0.01)
        return engine

    served = Served(BackgroundSearch(find, ABOUT))
    page = open_page(served.url, width=width, wait_for=".hb-search")
    page.get_by_text("Searching for all good trees of 4,000 rows: ").wait_for()
    page.get_by_text("No tree yet.").wait_for()
    has_tree.set()
    page.get_by_text("Best tree so far: objective 0.4000, 3 leaves. No tree has an objective below 0.2500.").wait_for()
    page.get_by_role("button", name="Stop, and show what is found").click()
    page.wait_for_selector(".hb-node")
    served.stop()


def test_the_page_says_why_a_search_failed(open_page):
    def find(_):
        raise ValueError("the set is empty")

    served = Served(BackgroundSearch(find, ABOUT))
    page = open_page(served.url, wait_for="p[role=status]")
    page.get_by_text("the set is empty").wait_for()
    open_page.reports.clear()  # the browser reports that the answer was an error
    served.stop()
