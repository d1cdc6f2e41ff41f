"""See and choose: an explorer of all trees of a Rashomon set, in the browser and in notebooks."""

from typing import TYPE_CHECKING, Any

from hornbeam.explorer.engine import Engine
from hornbeam.explorer.listing import page_of
from hornbeam.explorer.searching import BackgroundSearch
from hornbeam.explorer.server import make_app, serve

if TYPE_CHECKING:
    from hornbeam.explorer.widget import RashomonExplorer

__all__ = ["BackgroundSearch", "Engine", "RashomonExplorer", "make_app", "page_of", "serve"]


def __getattr__(name: str) -> Any:
    """Import the widget when it is first needed: its package is optional."""
    if name != "RashomonExplorer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from hornbeam.explorer.widget import RashomonExplorer
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"RashomonExplorer needs {error.name}; install it with: python -m pip install 'hornbeam[explore]'",
            name=error.name,
        ) from error
    return RashomonExplorer
