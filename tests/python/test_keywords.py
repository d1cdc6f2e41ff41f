"""Constructor parameters after the first two are keyword-only; 0.1.0 accepted them by position."""

import inspect
import pickle
import re
import warnings

import pytest
from sklearn.base import clone

import hornbeam
from hornbeam._keywords import REMOVED_IN

_LIMITS = "binarizer time_limit memory_limit"
_LOSS = "objective omega cost_matrix class_weight"
_SPLIT = f"max_depth last_split min_samples_leaf {_LOSS} {_LIMITS} n_jobs verbose callback certify trace"
ORDER_OF_0_1_0 = {
    "GOSDTClassifier": f"regularization max_depth max_leaves min_samples_leaf {_LOSS} {_LIMITS} gap_limit n_jobs "
    "verbose callback bounds trace reference labelling theta",
    "OSDTClassifier": f"regularization policy max_depth max_leaves min_samples_leaf {_LOSS} binarizer start time_limit "
    "memory_limit gap_limit verbose callback bounds trace theta",
    "SPLITClassifier": f"regularization lookahead_depth {_SPLIT}",
    "LicketySPLITClassifier": f"regularization {_SPLIT}",
    "MAPTreeClassifier": f"alpha beta rho max_depth {_LIMITS} max_expansions verbose callback trace",
    "RashomonSetClassifier": "epsilon epsilon_is regularization max_depth distinct method lookahead_depth "
    f"min_samples_leaf {_LOSS} {_LIMITS} n_jobs verbose callback trace",
    "ThresholdBinarizer": "strategy n_thresholds thresholds",
    "ThresholdGuessBinarizer": "reference tolerance eliminate random_state",
}
ORDER = """
cv scoring rule objective theta labelling alpha beta rho regularization max_depth max_leaves min_samples_leaf shape
rashomon_bound distinct method lookahead_depth completion last_split strategy n_thresholds thresholds min_jump
decimals keep_accuracy eliminate binarizer reference start_tree warm_start known_lower_bound known_upper_bound
class_weight omega cost_matrix smoothing time_limit memory_limit temporary_folder gap_limit max_expansions checkpoint
checkpoint_interval n_jobs verbose callback
random_state trace start certify bounds
"""
WITH_CV = ("GOSDTClassifierCV", "SPLITClassifierCV")  # newer than 0.1.0
every_class_and_cv = pytest.mark.parametrize("name", [*ORDER_OF_0_1_0, *WITH_CV])
every_class = pytest.mark.parametrize("name", ORDER_OF_0_1_0)


def _parameters(name: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(getattr(hornbeam, name)).parameters)


@every_class_and_cv
def test_all_parameters_after_the_first_two_are_keyword_only(name: str) -> None:
    kinds = [parameter.kind for parameter in _parameters(name).values()]
    assert set(kinds[2:]) == {inspect.Parameter.KEYWORD_ONLY}
    assert inspect.Parameter.KEYWORD_ONLY not in kinds[:2]


@every_class_and_cv
def test_parameters_after_the_first_two_have_one_order_in_all_classes(name: str) -> None:
    others = list(_parameters(name))[2:]
    assert others == sorted(others, key=ORDER.split().index)


@every_class_and_cv
def test_the_docstring_has_the_parameters_in_the_order_of_the_signature(name: str) -> None:
    section = re.search(r"Parameters\n-+\n(.*?)\n\nAttributes\n", inspect.getdoc(getattr(hornbeam, name)), re.S)
    entries = [line.split(" : ")[0] for line in section[1].splitlines() if not line.startswith(" ")]
    assert ", ".join(entries).split(", ") == list(_parameters(name))


@every_class_and_cv
def test_two_positional_arguments_and_any_keywords_do_not_warn(name: str) -> None:
    values = {parameter: f"value of {parameter}" for parameter in _parameters(name)}
    first, second, *others = values
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = getattr(hornbeam, name)(values[first], values[second], **{other: values[other] for other in others})
    assert made.get_params(deep=False) == values
    assert clone(made).get_params(deep=False) == values
    assert pickle.loads(pickle.dumps(made)).get_params(deep=False) == values


@every_class
def test_positional_arguments_in_the_order_of_0_1_0_work_and_warn(name: str) -> None:
    order = ORDER_OF_0_1_0[name].split()
    with pytest.warns(FutureWarning, match="=..., ".join(order[2:])) as caught:
        made = getattr(hornbeam, name)(*order)
    assert {name: made.get_params(deep=False)[name] for name in order} == {name: name for name in order}
    assert f"hornbeam {REMOVED_IN}" in str(caught[0].message)
    assert caught[0].filename == __file__


@every_class
def test_one_positional_argument_too_many_is_refused(name: str) -> None:
    too_many = [None] * (len(_parameters(name)) + 1)
    with pytest.raises(TypeError, match="positional arguments but"):
        getattr(hornbeam, name)(*too_many)


def test_an_argument_by_position_and_by_keyword_is_refused() -> None:
    with pytest.warns(FutureWarning), pytest.raises(TypeError, match="multiple values for keyword argument 'rho'"):
        hornbeam.MAPTreeClassifier(0.9, 0.5, 2.0, rho=2.0)
