"""The methods of `fit`: the classifier that each one trains, and the options that it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.estimators import (
    GOSDTClassifier,
    GOSDTRegressor,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    PolicyTree,
    RashomonSetClassifier,
    SPLITClassifier,
)

# Parameters that need code, or another form of output.
FOR_PYTHON = frozenset({"bounds", "callback", "class_weight", "loss", "quantile", "trace", "verbose", "warm_start"})
# What is known or saved of all rows, and need not hold for some of them: a tree may have learned from the others.
_OF_ALL_ROWS = frozenset({"start_tree", "known_lower_bound", "known_upper_bound", "checkpoint", "checkpoint_interval"})
SETS = ("rashomon", "resplit")
POLICY = "policy"  # the method for columns of rewards
REGRESSION = "regression"  # the method for targets that are numbers
_OPTION_OF = {"n_jobs": "threads", "random_state": "seed"}
_OF_SETS = frozenset({"best", "sample", "trees", "timbertrek"})


class Method(NamedTuple):
    """A classifier, the parameters that the method fixes, and those that have no effect then."""

    make: type[Any]
    fixed: Mapping[str, Any] = {}
    without: frozenset[str] = frozenset()


METHODS = {
    "gosdt": Method(GOSDTClassifier),
    "split": Method(SPLITClassifier),
    "lickety": Method(LicketySPLITClassifier),
    "maptree": Method(MAPTreeClassifier),
    "osdt": Method(OSDTClassifier),
    "rashomon": Method(RashomonSetClassifier, {"method": "exact"}, frozenset({"lookahead_depth"})),
    "resplit": Method(RashomonSetClassifier, {"method": "resplit"}),
    REGRESSION: Method(GOSDTRegressor),
    POLICY: Method(PolicyTree),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What to fit: a method and the parameters of its classifier that are not the default ones."""

    method: str = "gosdt"
    parameters: dict[str, Any] = field(default_factory=dict)

    def make(self, **more: Any) -> Any:
        """Return the unfitted classifier."""
        method = METHODS[self.method]
        return method.make(**method.fixed, **self.parameters, **more)

    def check(self) -> None:
        """Raise `CommandError` if a parameter is wrong, as far as possible without data."""
        with refusals_as_command_errors():
            self.make()._check_parameters()

    def on_rows(self, rows: npt.NDArray[np.intp]) -> Request:
        """Return the same request for some of the rows, with their predictions of a reference."""
        parameters = {name: value for name, value in self.parameters.items() if name not in _OF_ALL_ROWS}
        if isinstance(reference := parameters.get("reference"), np.ndarray):
            parameters["reference"] = reference[rows]
        return replace(self, parameters=parameters)


def parameter_options(method: str) -> frozenset[str]:
    """Return the names, with underscores, of the options that are parameters of a method."""
    names = set(METHODS[method].make().get_params()) - set(METHODS[method].fixed) - METHODS[method].without - FOR_PYTHON
    return frozenset(_OPTION_OF.get(name, name) for name in names)


def method_for(target: str | None, rewards: Sequence[str] | None, method: str | None) -> str:
    """Return the method for a table with a target, or with rewards, of those that were given.

    Raises
    ------
    CommandError
        If there is not exactly one of the two, or the method is of the other.
    """
    if (target is None) == (not rewards):
        raise CommandError("give --target for classes or numbers, or --reward once for each action, for a policy")
    if target is None and method not in (None, POLICY):
        raise CommandError(f"--reward belongs to --method {POLICY}, not to {method}")
    if target is not None and method == POLICY:
        raise CommandError(f"--method {POLICY} needs --reward for each action, not --target")
    return method or ("gosdt" if target is not None else POLICY)


def check_options(method: str, given: Iterable[str], config: str) -> None:
    """Raise `CommandError` if the method is unknown, or does not have an option that was given.

    Parameters
    ----------
    method : str
        The name of the method.
    given : iterable of str
        The names of the options that were given, with underscores.
    config : str
        Where options may come from apart from the command line, for the message; "" if from nowhere.
    """
    if method not in METHODS:
        *names, last = METHODS
        raise CommandError(f"--method {method!r}: expected {', '.join(names)} or {last}")
    having = {name: _options_of(name) for name in METHODS}
    for name in given:
        owners = [owner for owner, options in having.items() if name in options]
        # The seed also splits the rows for --test-size and --cv, whatever the method.
        if owners and method not in owners and name != "seed":
            option = f"--{name.replace('_', '-')}"
            raise CommandError(f"{option} belongs to --method {' or '.join(owners)}, not to {method}{config}")


def _options_of(method: str) -> frozenset[str]:
    of_binarizers = {"n_thresholds", "decimals"}
    return parameter_options(method) | of_binarizers | (_OF_SETS if method in SETS else frozenset())
