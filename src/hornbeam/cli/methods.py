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
    LicketySPLITRegressor,
    MAPTreeClassifier,
    OSDTClassifier,
    PolicyTree,
    RashomonSetClassifier,
    RashomonSetPolicyTree,
    RashomonSetRegressor,
    RashomonSetSurvivalTree,
    SPLITClassifier,
    SPLITRegressor,
    SurvivalTree,
)

# Parameters that need code, or another form of output.
FOR_PYTHON = frozenset({"bounds", "callback", "class_weight", "trace", "verbose", "warm_start"})
# What is known or saved of all rows, and need not hold for some of them: a tree may have learned from the others.
_OF_ALL_ROWS = frozenset({"start_tree", "known_lower_bound", "known_upper_bound", "checkpoint", "checkpoint_interval"})
REGRESSION = "regression"  # the method for targets that are numbers, unless another one is given
REGRESSIONS = (REGRESSION, "regression-split", "regression-lickety", "regression-rashomon")
_POLICIES = ("policy", "policy-rashomon")  # the first one if no method is given
_SURVIVALS = ("survival", "survival-rashomon")
_SETS_OF_CLASSIFIERS = ("rashomon", "resplit")
SETS = (*_SETS_OF_CLASSIFIERS, "regression-rashomon", "policy-rashomon", "survival-rashomon")
# Which names the targets; for all others --target.
_OPTION_FOR = dict.fromkeys(_POLICIES, "--reward") | dict.fromkeys(_SURVIVALS, "--event")
_OPTION_OF = {"n_jobs": "threads", "random_state": "seed"}
_OF_SETS = frozenset({"best", "sample", "trees"})


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
    "regression-split": Method(SPLITRegressor),
    "regression-lickety": Method(LicketySPLITRegressor),
    "regression-rashomon": Method(RashomonSetRegressor),
    "policy": Method(PolicyTree),
    "policy-rashomon": Method(RashomonSetPolicyTree),
    "survival": Method(SurvivalTree),
    "survival-rashomon": Method(RashomonSetSurvivalTree),
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


def method_for(
    target: str | None, rewards: Sequence[str] | None, event: str | None, time: str | None, method: str | None
) -> str:
    """Return the method for a table with a target, with rewards, or with times of events, of those that were given.

    Raises
    ------
    CommandError
        If there is not exactly one of the three, or the method is of another.
    """
    if (event is None) != (time is None):
        given, other = ("--event", "--time") if time is None else ("--time", "--event")
        raise CommandError(f"{given} needs {other}: a survival tree needs the events and their times")
    of_rows = {"--target": target, "--reward": rewards, "--event": event}
    options = [option for option, value in of_rows.items() if value]
    if len(options) != 1:
        raise CommandError(
            "give --target for classes or numbers, --reward once for each action, for a policy, or --event and --time, "
            "for survival"
        )
    needed, wanted = _OPTION_FOR.get(method or "", "--target"), options[0]
    if method is not None and wanted != needed:
        if wanted == "--target":
            each = " for each action" if needed == "--reward" else " and --time"
            raise CommandError(f"--method {method} needs {needed}{each}, not --target")
        own = " or ".join(name for name, option in _OPTION_FOR.items() if option == wanted)
        raise CommandError(f"{wanted} belongs to --method {own}, not to {method}")
    return method or next((name for name, option in _OPTION_FOR.items() if option == wanted), "gosdt")


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
    options = parameter_options(method) | {"n_thresholds", "decimals"} | (_OF_SETS if method in SETS else frozenset())
    return options | {"timbertrek"} if method in _SETS_OF_CLASSIFIERS else options
