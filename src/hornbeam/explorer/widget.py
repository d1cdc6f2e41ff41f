"""The explorer as a widget of notebooks."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import Any

import anywidget

from hornbeam.explorer.engine import Engine

_STATIC = Path(__file__).parent / "static"


class RashomonExplorer(anywidget.AnyWidget):
    """Explorer of all good trees, for Jupyter, VS Code, Colab and marimo.

    Needs the package ``anywidget``: ``python -m pip install 'hornbeam[explore]'``.

    Parameters
    ----------
    classifier : RashomonSetClassifier
        Fitted; see `Engine`.
    X_test, y_test : array-like or None, default=None
        Rows that were not used in `fit`, and their classes: for the metrics of each tree, and to follow single rows.
        Only both or none.
    name : str, default="Good trees"
        Title.

    Raises
    ------
    ValueError, TypeError
        If the set is empty or of another kind, or the rows differ from those of `fit`.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier
    >>> from hornbeam.datasets import load_monk
    >>> from hornbeam.explorer import RashomonExplorer
    >>> X, y = load_monk(1, return_X_y=True)
    >>> classifier = RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4).fit(X, y)
    >>> explorer = RashomonExplorer(classifier)  # the last line of a cell shows it
    """

    _esm = _STATIC / "explorer.js"
    _css = _STATIC / "explorer.css"

    def __init__(self, classifier: Any, X_test: Any = None, y_test: Any = None, *, name: str = "Good trees") -> None:
        super().__init__()
        self._engine = Engine(classifier, X_test, y_test, name=name)
        self._running: dict[str, Event] = {}
        self.on_msg(self._receive)

    def _receive(self, _: Any, message: Any, __: Any) -> None:
        """Answer a message of the page; in a thread, so that a search can be stopped by another message."""
        name = message.get("id") if isinstance(message, dict) else None
        if not isinstance(name, str):
            return
        if message.get("stop"):
            if name in self._running:
                self._running[name].set()
            return
        self._running[name] = Event()
        Thread(target=self._answer, args=(name, message), daemon=True).start()

    def _answer(self, name: str, message: dict[str, Any]) -> None:
        is_stopped = self._running[name]
        try:
            self.send({"id": name, "answer": self._engine.answer(message, lambda _: is_stopped.is_set())})
        except (ValueError, TypeError, InterruptedError) as error:
            self.send({"id": name, "error": str(error)})
        finally:
            del self._running[name]
