"""Classifiers in the manner of scikit-learn."""

from hornbeam.estimators._progress import Progress
from hornbeam.estimators.gosdt import GOSDTClassifier

__all__ = ["GOSDTClassifier", "Progress"]
