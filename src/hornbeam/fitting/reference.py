"""Predictions of a reference model for the training rows, from which bounds are guessed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_array, shown
from hornbeam.binarizers import Binarizer
from hornbeam.fitting.training import TrainingData

NEEDS_GUESSES = "reference='binarizer' needs binarizer='guess' or another ThresholdGuessBinarizer."


def reference_codes(reference: Any, X: Any, training: TrainingData, binarizer: Binarizer) -> npt.NDArray[np.int32]:
    """Return the predictions as codes (indices into `training.classes`) of the rows of `training`.

    Raises
    ------
    ValueError
        If there is not one prediction for each given row, a prediction is not a label of `y`, or the binarizer has no
        reference.
    """
    if isinstance(reference, str):
        predictions = _of_binarizer(reference, binarizer, training)
    else:
        predicted = reference.predict(X) if hasattr(reference, "predict") else reference
        given = as_array("reference", predicted)
        if given.shape != (training.n_given,):
            raise ValueError(
                f"reference must predict one label for each of the {training.n_given} rows of X, got an array of "
                f"shape {given.shape}."
            )
        predictions = given[training.present]
    return codes_of_predictions(predictions, training.classes)


def codes_of_predictions(predictions: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Return predictions as codes (indices into `classes`).

    Raises
    ------
    ValueError
        If a prediction is not a label of `y`.
    """
    # As Python's values, which are equal whatever their type: a model may predict 1.0 or True for the label 1.
    known = {label: code for code, label in enumerate(classes.tolist())}
    labels = predictions.tolist()
    try:
        codes = [known.get(label, -1) for label in labels]
    except TypeError:  # lists and the like have no hash
        raise ValueError(f"reference must predict labels of y, got an array of dtype {predictions.dtype}.") from None
    if -1 in codes:
        found = shown(labels[codes.index(-1)])
        raise ValueError(f"reference predicts {found}, which is not a label of y; the labels are {classes}.")
    return np.array(codes, dtype=np.int32)


def _of_binarizer(reference: str, binarizer: Binarizer, training: TrainingData) -> npt.NDArray[Any]:
    if reference != "binarizer":
        raise ValueError(f"reference must be a fitted estimator, predictions or 'binarizer', got {shown(reference)}.")
    if not hasattr(binarizer, "reference_"):
        raise ValueError(NEEDS_GUESSES)
    return np.asarray(binarizer.reference_.predict(binarizer.transform(training.table)))
