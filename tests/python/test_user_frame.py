"""Every warning names the line of the user's program, whichever method it called."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from hornbeam import (
    ColumnWarning,
    GOSDTClassifier,
    GOSDTClassifierCV,
    MAPTreeClassifier,
    NotProvenWarning,
    RashomonSetClassifier,
    SPLITClassifier,
)

Y = np.arange(120) % 2
COMMAS = pd.DataFrame({"a": [f"{value},5" for value in range(120)], "b": Y})
FLAGS = np.column_stack([Y, Y % 3 == 0])
NUMBERS = np.random.default_rng(0).normal(size=(400, 6))
NOISE = np.random.default_rng(1).integers(2, size=400)

FITS = [GOSDTClassifier().fit, MAPTreeClassifier().fit, RashomonSetClassifier().fit, SPLITClassifier().fit]


@pytest.mark.parametrize("fit", [*FITS, GOSDTClassifier().frontier, GOSDTClassifierCV(cv=2).fit])
def test_a_warning_of_a_column_points_at_the_call(fit):
    with pytest.warns(ColumnWarning) as caught:
        fit(COMMAS, Y)
    assert [warning.filename for warning in caught] == [__file__] * 2


@pytest.mark.parametrize("fit", FITS)
def test_a_warning_of_a_flag_points_at_the_call(fit):
    with pytest.warns(ColumnWarning) as caught:
        fit(FLAGS, Y)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    "fit",
    [
        GOSDTClassifier(0.0001, time_limit=0).fit,
        GOSDTClassifier(0.0001, time_limit=0).frontier,
        GOSDTClassifier(0.0001, time_limit=0).regularization_path,
        GOSDTClassifierCV(min_regularization=0.0001, cv=2, time_limit=0).fit,
        MAPTreeClassifier(time_limit=0).fit,
        RashomonSetClassifier(time_limit=0).fit,
    ],
)
def test_a_warning_of_a_missing_proof_points_at_the_call(fit):
    with pytest.warns(NotProvenWarning) as caught:
        fit(NUMBERS, NOISE)
    assert {warning.filename for warning in caught} == {__file__}


def test_a_warning_of_a_quantity_and_of_missing_names_points_at_the_call():
    with pytest.warns(ColumnWarning, match="If y is a quantity") as caught:
        GOSDTClassifier(max_depth=0).fit(NUMBERS, np.arange(400))
    assert caught[0].filename == __file__
    classifier = GOSDTClassifier(max_depth=1).fit(pd.DataFrame(NUMBERS, columns=list("abcdef")), NOISE)
    with pytest.warns(UserWarning, match="does not have valid feature names") as caught:
        classifier.predict(NUMBERS)
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed") as caught:
        GOSDTClassifier(max_depth=0).fit(NUMBERS, NOISE.reshape(-1, 1))
    assert caught[0].filename == __file__
