"""Classifiers in the manner of scikit-learn."""

from hornbeam.estimators._progress import Progress
from hornbeam.estimators.depth import sufficient_depth
from hornbeam.estimators.gosdt import GOSDTClassifier
from hornbeam.estimators.maptree import MAPTreeClassifier
from hornbeam.estimators.osdt import OSDTClassifier
from hornbeam.estimators.split import LicketySPLITClassifier, SPLITClassifier

__all__ = [
    "GOSDTClassifier",
    "LicketySPLITClassifier",
    "MAPTreeClassifier",
    "OSDTClassifier",
    "Progress",
    "SPLITClassifier",
    "sufficient_depth",
]
