"""Constructor arguments that release 0.1.0 accepted by position and that are keyword-only now."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")
REMOVED_IN = "0.4.0"


def accept_positional(names: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make an `__init__` accept keyword-only parameters by position until `REMOVED_IN`, with a FutureWarning.

    Parameters
    ----------
    names : str
        The parameters after the second one in their order in 0.1.0, separated by spaces.
    """
    order = names.split()

    def decorate(init: Callable[P, None]) -> Callable[P, None]:
        @wraps(init)  # `inspect.signature`, and with it `get_params` and `clone`, see the parameters of `init`
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
            extra = args[3:]
            if not extra or len(extra) > len(order):
                return init(*args, **kwargs)
            named = dict(zip(order, extra, strict=False))
            shown = ", ".join(f"{name}=..." for name in named)
            warnings.warn(
                f"Pass {shown} as keyword{'s' if len(named) > 1 else ''}: {type(args[0]).__name__} accepts only its "
                f"first two parameters by position, and from hornbeam {REMOVED_IN} on raises TypeError for others.",
                FutureWarning,
                stacklevel=2,
            )
            return init(*args[:3], **named, **kwargs)  # type: ignore[arg-type]

        return wrapper

    return decorate
