"""The line of ``verbose=1``: renewed where it can be, a few lines elsewhere, the last one in any case."""

import io
import re
import sys
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

from hard_problems import RANDOM, X, Y
from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    NotProvenWarning,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    ThresholdBinarizer,
)
from hornbeam.fitting import progress_line
from hornbeam.fitting.advice import advice, early_note
from terminals import in_terminal, needs_terminals, screen

LINE = re.compile(
    r"\d+\.\d s(?: of [\d.]+ s)?  objective (\d+\.\d{5})  bound (\d+\.\d{5})  gap \d+\.\d\d %  (\d+) (?:leaves|leaf)"
)

PROGRAM = """
import warnings
import numpy as np
from hornbeam import GOSDTClassifier
warnings.simplefilter("ignore")
random = np.random.default_rng(0)
X, y = random.integers(0, 2, (400, 40)), random.integers(0, 2, 400)
print("before")
def look(progress):
    if progress.elapsed > 0.3 and not said:
        said.append(progress)
        print("from the callback")
said = []
GOSDTClassifier(1e-3, binarizer=None, time_limit=0.6, verbose=1, callback=look).fit(X, y)
print("after")
"""


@needs_terminals
@pytest.mark.parametrize("columns", [100, 30])
def test_a_terminal_shows_one_line_that_is_renewed_and_nothing_is_mixed_with_it(columns):
    text, lines = in_terminal(["-c", PROGRAM], columns)
    assert lines[:2] == ["before", "from the callback"]
    assert lines[3:] == ["after", ""]
    assert "\rmaking binary columns" in text
    assert len(set(re.findall(r"\r(\d\.\d s of 0.6 s  obj)", text))) > 3
    last = lines[2]
    if columns == 30:
        assert len(last) <= 30
    else:
        assert last.removeprefix(LINE.match(last)[0]) == "  time_limit"


def fitted_by(estimator, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        estimator.fit(X, Y)
    return stream.getvalue()


class NotebookStream(io.StringIO):
    """What stderr is in a notebook: no terminal, but a carriage return renews the line."""

    __module__ = "ipykernel.iostream"


def test_a_notebook_shows_one_line_that_is_renewed(monkeypatch):
    text = fitted_by(GOSDTClassifier(1e-3, binarizer=None, time_limit=0.3, verbose=1), monkeypatch, NotebookStream())
    assert text.count("\r") > 2
    assert text.count("\n") == 1
    assert LINE.match(screen(text)[0])


@pytest.mark.parametrize(
    "estimator",
    [
        GOSDTClassifier(1e-3, binarizer=None, time_limit=0.2),
        GOSDTClassifier(0.05, binarizer=None, max_depth=2),
        GOSDTClassifier(0.05, objective="f1", binarizer=None, max_depth=2),
        GOSDTClassifier(0.05, objective="auc", binarizer=None, max_depth=2),
        OSDTClassifier(1e-3, binarizer=None, time_limit=0.2),
        SPLITClassifier(lookahead_depth=1, max_depth=3, binarizer=None),
        LicketySPLITClassifier(max_depth=3, binarizer=None, certify=True, time_limit=0.5),
        MAPTreeClassifier(binarizer=None, time_limit=0.2),
        RashomonSetClassifier(0.1, max_depth=2, binarizer=None),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_file_gets_the_last_line_alone_which_is_the_end(estimator, monkeypatch):
    estimator = clone(estimator).set_params(verbose=1)  # the parametrization lives until Python ends, a fit need not
    text = fitted_by(estimator, monkeypatch, io.StringIO())
    objective, bound, leaves = LINE.match(text).groups()
    assert text.endswith(f"  {estimator.status_}\n")
    assert text.count("\n") == 1
    assert "\r" not in text
    assert int(leaves) == estimator.n_leaves_
    if not isinstance(estimator, MAPTreeClassifier):
        assert float(objective) == pytest.approx(estimator.objective_, abs=1e-5)
        assert float(bound) == pytest.approx(estimator.lower_bound_, abs=1e-5)


def test_a_file_gets_lines_at_growing_distances(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    line = progress_line.ProgressLine("at first")
    for second in range(100):
        line.show(f"{second}", float(second))
    line.close("at last")
    assert stream.getvalue().split("\n") == ["10", "20", "40", "80", "at last", ""]


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_nothing_is_shown_where_verbose_is_0_and_nothing_breaks_without_stderr(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    GOSDTClassifier(max_depth=1, binarizer=None).fit(X, Y)
    assert stream is None or stream.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", None)
    assert GOSDTClassifier(max_depth=1, binarizer=None, verbose=True).fit(X, Y).status_ == "optimal"


@pytest.mark.parametrize(("verbose", "lines"), [(False, 0), (True, 1)])
def test_verbose_may_be_true_or_false_as_in_scikit_learn(verbose, lines, capsys):
    GOSDTClassifier(max_depth=1, binarizer=None, verbose=verbose).fit(X, Y)
    assert len(capsys.readouterr().err.splitlines()) == lines


@needs_terminals
def test_an_error_while_columns_are_made_begins_on_a_line_of_its_own():
    program = (
        "import sys\n"
        "from hornbeam import GOSDTClassifier\n"
        "try:\n"
        "    GOSDTClassifier(verbose=1, binarizer=None).fit([[0.5], [1]], [0, 1])\n"
        "except ValueError:\n"
        "    print('refused', file=sys.stderr)\n"
    )
    text, lines = in_terminal(["-c", program])
    assert "making binary columns" in text
    assert lines == ["refused", ""]


def test_progress_has_the_leaves_of_the_best_tree_so_far():
    for estimator in (
        GOSDTClassifier(0.01, binarizer=None, max_depth=3),
        GOSDTClassifier(0.01, max_depth=3),
        GOSDTClassifier(0.02, objective="f1", binarizer=None, max_depth=3),
        OSDTClassifier(0.02, binarizer=None, max_depth=3),
        SPLITClassifier(0.005, max_depth=4, binarizer=None),
        MAPTreeClassifier(binarizer=None, max_depth=3),
    ):
        table = RANDOM.normal(size=(200, 3)) if estimator.binarizer == "exact" else X[:200, :8]
        course = estimator.set_params(trace=True).fit(table, table[:, 0] + 0.5 * Y[:200] > 0.7).trace_
        assert course[-1].n_leaves == estimator.n_leaves_ > 1
        assert all(progress.n_leaves >= 1 for progress in course)


def test_a_stopped_search_suggests_what_helps_as_code_to_paste():
    numbers = RANDOM.normal(size=(300, 4))
    with pytest.warns(NotProvenWarning) as caught:
        GOSDTClassifier(1e-3, time_limit=0.1).fit(numbers, Y[:300])
    first, *lines = str(caught[0].message).splitlines()
    assert first.endswith("raise time_limit (None: no limit), or try one of these:")
    assert [line.partition("  #")[0].strip() for line in lines] == [
        "GOSDTClassifier(regularization=0.001, max_depth=5, time_limit=0.1)",
        'GOSDTClassifier(regularization=0.001, binarizer="quantile", time_limit=0.1)',
        "SPLITClassifier(regularization=0.001)",
    ]
    assert "1,196 binary columns" in lines[1]
    for line in lines[:2]:
        quicker = eval(line.strip()).set_params(regularization=0.1)
        assert quicker.fit(numbers, numbers[:, 0] > 0).status_ == "optimal"
    assert eval(lines[2].strip()).fit(numbers, Y[:300]).status_ == "heuristic"


def test_fewer_thresholds_keep_what_the_binarizer_was_told():
    numbers = RANDOM.normal(size=(300, 4))
    own = ThresholdBinarizer(decimals=3, thresholds={3: [0.5]})
    with pytest.warns(NotProvenWarning) as caught:
        GOSDTClassifier(1e-3, binarizer=own, callback=lambda _: True).fit(numbers, Y[:300])
    (line,) = [line for line in str(caught[0].message).splitlines() if "quantile" in line]
    code, remark = line.split("  # ")
    assert remark.startswith("fewer than the current")
    proposed = eval(code.strip()).binarizer
    assert proposed.get_params() == own.get_params() | {"strategy": "quantile"}


def test_a_search_with_a_checkpoint_is_to_be_called_again_and_others_do_without_it(tmp_path):
    with pytest.warns(NotProvenWarning) as caught:
        GOSDTClassifier(1e-4, binarizer=None, checkpoint=str(tmp_path / "run.hbt"), callback=lambda _: True).fit(X, Y)
    first, *lines = str(caught[0].message).splitlines()
    assert first.endswith("make the same call again, which goes on from its checkpoint, or try one of these:")
    assert lines[0].strip() == "GOSDTClassifier(regularization=0.0001, binarizer=None, max_depth=5)"


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (
            GOSDTClassifier(1e-4, binarizer=None, max_depth=3, objective="f1"),
            ['GOSDTClassifier(regularization=0.0002, binarizer=None, max_depth=3, objective="f1")'],
        ),
        (
            GOSDTClassifier(1e-4, binarizer=None, objective="weighted", omega=2.0),
            [
                'GOSDTClassifier(regularization=0.0001, binarizer=None, max_depth=5, objective="weighted", omega=2.0)',
                'SPLITClassifier(regularization=0.0001, objective="weighted", omega=2.0, binarizer=None)',
            ],
        ),
        (
            OSDTClassifier(1e-4, binarizer=None),
            [
                "OSDTClassifier(regularization=0.0001, binarizer=None, max_depth=3)",
                "GOSDTClassifier(regularization=0.0001, binarizer=None)",
            ],
        ),
        (
            SPLITClassifier(1e-4, binarizer=None),
            [
                "SPLITClassifier(regularization=0.0001, binarizer=None, max_depth=3)",
                "SPLITClassifier(regularization=0.0001, binarizer=None, lookahead_depth=1)",
                "LicketySPLITClassifier(regularization=0.0001, binarizer=None)",
            ],
        ),
        (MAPTreeClassifier(binarizer=None, max_depth=3), []),
        (
            RashomonSetClassifier(1e-3, regularization=1e-4, binarizer=None),
            [
                "RashomonSetClassifier(regularization=0.0001, binarizer=None, epsilon=0.001, max_depth=3)",
                "RashomonSetClassifier(regularization=0.0001, binarizer=None, epsilon=0.0005)",
            ],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_estimator_suggests_what_it_knows(estimator, expected):
    with pytest.warns(NotProvenWarning, match="interrupted") as caught:
        clone(estimator).set_params(callback=lambda _: True).fit(X, Y)
    lines = str(caught[0].message).splitlines()[1:]
    assert [line.partition("  #")[0].strip() for line in lines] == expected


COSTS = np.array([[0.0, 500.0], [500.0, 0.0]])
LIMITS = ("max_depth", "max_leaves", "min_samples_leaf", "objective", "theta", "omega", "class_weight")


def proposals(estimator, X=X, y=Y):
    """Fit an estimator that is stopped at once; return those that its warning proposes, without callback."""
    with pytest.warns(NotProvenWarning) as caught:
        clone(estimator).set_params(callback=lambda _: True).fit(X, y)
    return [eval(line.strip()) for line in str(caught[0].message).splitlines()[1:]]


@pytest.mark.parametrize(
    "estimator",
    [
        GOSDTClassifier(1e-4, max_depth=2, binarizer=None),
        GOSDTClassifier(np.float64(1e-4), max_leaves=np.int64(7), min_samples_leaf=3, binarizer=None),
        GOSDTClassifier(Fraction(1, 10**4), class_weight={np.int64(0): np.float64(1), 1: 2}, binarizer=None),
        GOSDTClassifier(objective="cost", cost_matrix=COSTS, max_depth=3, binarizer=None),
        OSDTClassifier(1e-4, objective="partial_auc", theta=0.3, binarizer=None),
        OSDTClassifier(1e-4, objective="cost", cost_matrix=COSTS, max_depth=4, max_leaves=9, binarizer=None),
        SPLITClassifier(1e-4, objective="cost", cost_matrix=COSTS, max_depth=6, binarizer=None),
        SPLITClassifier(1e-4, max_depth=6, binarizer=ThresholdBinarizer("quantile")),
    ],
    ids=lambda estimator: f"{type(estimator).__name__} {estimator.objective}",
)
def test_each_proposal_can_be_fitted_and_keeps_what_the_user_asked_for(estimator):
    asked = estimator.get_params(deep=False)
    models = proposals(estimator)
    assert models
    for model in models:
        given = model.get_params(deep=False)
        changed = {name for name in LIMITS if name in asked and given.get(name) != asked[name]}
        # Proposals of the same kind may lower the depth; the near-optimal methods need a limit of depth.
        is_free = type(model) is type(estimator) or asked["max_depth"] is None
        assert changed <= ({"max_depth"} if is_free else set())
        assert isinstance(model.binarizer, type(asked["binarizer"]))
        assert np.array_equal(given.get("cost_matrix"), asked["cost_matrix"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotProvenWarning)
            model.set_params(callback=lambda _: True).fit(X, Y)
        assert asked["max_depth"] is None or model.depth_ <= asked["max_depth"]


def test_the_leaf_penalty_that_is_proposed_is_twice_that_of_the_fit_also_for_costs():
    model = GOSDTClassifier(objective="cost", cost_matrix=COSTS, max_depth=3, binarizer=None)
    assert proposals(model)[0].regularization == pytest.approx(2 * 500 * 2 / 400)
    model.set_params(cost_matrix=COSTS / 500)
    assert proposals(model)[0].regularization == pytest.approx(2 * 2 / 400)


def test_a_model_as_reference_is_named_and_not_written_out():
    with pytest.warns(NotProvenWarning) as caught:
        GOSDTClassifier(1e-4, binarizer=None, reference=Y, callback=lambda _: True).fit(X, Y)
    assert "(regularization=0.0001, binarizer=None, max_depth=5, reference=reference)" in str(caught[0].message)


def test_more_time_is_proposed_first_where_little_of_the_gap_is_left():
    model = GOSDTClassifier(1e-4, binarizer=None, time_limit=7)
    with pytest.warns(NotProvenWarning):
        model.set_params(callback=lambda _: True).fit(X, Y)
    model.status_ = "time_limit"
    for gap, is_first in ((0.04, True), (0.5, False)):
        model.gap_ = gap
        first, *lines = advice(model).splitlines()
        assert first == "raise time_limit (None: no limit), or try one of these:"
        assert ("time_limit=70)  # the gap is small" in lines[0]) is is_first


def test_a_search_that_is_proven_says_nothing_of_its_many_columns(recwarn, caplog):
    numbers = RANDOM.normal(size=(1100, 1))
    classifier = GOSDTClassifier(max_leaves=2).fit(numbers, numbers[:, 0] > 0)
    assert classifier.statistics_["n_binary_columns"] == 1099
    assert not recwarn.list
    assert caplog.text == ""


LONG = """
import warnings
import numpy as np
from hornbeam import GOSDTClassifier
from hornbeam.fitting import monitor
warnings.simplefilter("ignore")
monitor._PATIENCE = 0.2
random = np.random.default_rng(0)
X, y = random.normal(size=(400, 20)), random.integers(0, 2, 400)
class Stop:
    def __call__(self, progress):
        return progress.elapsed > 0.5
for limit in (9, None, None):
    print("limit", limit)
    GOSDTClassifier(1e-3, time_limit=limit, verbose=VERBOSE, callback=Stop()).fit(X, y)
"""


@needs_terminals
@pytest.mark.parametrize("verbose", [0, 1])
def test_a_long_search_without_time_limit_tells_an_interactive_user_once_what_to_do(verbose):
    _, lines = in_terminal(["-c", LONG.replace("VERBOSE", str(verbose))])
    (note,) = (number for number, line in enumerate(lines) if line.startswith("Searching for "))
    assert "Ctrl-C ends it with the best tree so far." in lines[note]
    assert [line.strip() for line in lines[note + 1 : note + 4]] == [
        "GOSDTClassifier(regularization=0.001, max_depth=4, time_limit=None)",
        'GOSDTClassifier(regularization=0.001, binarizer="quantile", time_limit=None)',
        "GOSDTClassifier(regularization=0.001, time_limit=60)  # the best tree found in a minute",
    ]
    assert lines.index("limit 9") < lines.index("limit None") < note


def test_the_note_on_a_long_search_calls_no_time_limit_the_default_since_a_user_may_have_passed_it():
    model = GOSDTClassifier(0.01, max_depth=2, time_limit=60).fit(X, Y)
    end = "Ctrl-C, or the time_limit of 60 s (None: no limit), ends it with the best tree so far."
    assert early_note(model).startswith(end)


def test_a_long_search_tells_nothing_where_nobody_watches(monkeypatch, capsys):
    from hornbeam.fitting import monitor

    monkeypatch.setattr(monitor, "_PATIENCE", 0)
    monkeypatch.setattr(monitor, "_noted", set())
    numbers = RANDOM.normal(size=(200, 5))
    with pytest.warns(NotProvenWarning):
        GOSDTClassifier(1e-3, callback=lambda progress: progress.elapsed > 0.3).fit(numbers, Y[:200])
    assert capsys.readouterr().err == ""
