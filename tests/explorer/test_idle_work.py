"""Work that is done while nobody waits for an answer."""

import pytest

from hornbeam.explorer.idle_work import IdleWork


def test_work_begins_after_an_answer_and_again_after_it_was_stopped(monkeypatch):
    monkeypatch.setattr("hornbeam.explorer.idle_work.SECONDS_IDLE", 0.0)
    told = []

    def task(has_to_stop):
        told.append(has_to_stop(None))
        if len(told) == 1:
            with work.answering():
                told.append(has_to_stop(None))
            raise InterruptedError

    work = IdleWork([task, lambda _: told.append("second task")])
    assert told == []
    with work.answering():
        pass
    work.wait()
    assert told == [False, True, False, "second task"]


def test_a_task_that_memory_has_no_room_for_is_given_up(monkeypatch):
    monkeypatch.setattr("hornbeam.explorer.idle_work.SECONDS_IDLE", 0.0)
    done = []

    def task(has_to_stop):
        done.append("first task")
        raise MemoryError

    work = IdleWork([task, lambda _: done.append("second task")])
    with work.answering():
        pass
    work.wait()
    assert done == ["first task", "second task"]


def test_tasks_that_follow_take_the_place_of_those_before(monkeypatch):
    monkeypatch.setattr("hornbeam.explorer.idle_work.SECONDS_IDLE", 0.0)
    done = []
    work = IdleWork([lambda _: done.append("first")])
    for round_ in ("a", "b"):
        with work.answering():
            work.follow_with([lambda _: done.append("dropped")])
            work.follow_with([lambda _, name=round_: done.append(name)] * 2)
        work.wait()
    assert done == ["first", "a", "a", "b", "b"]


def test_an_answer_that_fails_does_not_keep_work_from_being_done(monkeypatch):
    monkeypatch.setattr("hornbeam.explorer.idle_work.SECONDS_IDLE", 0.0)
    done = []
    work = IdleWork([done.append])
    with pytest.raises(ValueError, match="no answer"), work.answering():
        raise ValueError("no answer")
    work.wait()
    assert len(done) == 1
