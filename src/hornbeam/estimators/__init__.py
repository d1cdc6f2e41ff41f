"""Classifiers in the manner of scikit-learn."""

from hornbeam.estimators.depth import sufficient_depth
from hornbeam.estimators.gosdt import GOSDTClassifier
from hornbeam.estimators.gosdt_cv import GOSDTClassifierCV
from hornbeam.estimators.importance import (
    ModelClassReliance,
    RashomonImportance,
    model_class_reliance,
    rashomon_importance,
)
from hornbeam.estimators.maptree import MAPTreeClassifier
from hornbeam.estimators.osdt import OSDTClassifier
from hornbeam.estimators.policy import PolicyTree
from hornbeam.estimators.policy_cv import PolicyTreeCV
from hornbeam.estimators.rashomon import RashomonSetClassifier
from hornbeam.estimators.rashomon_policy import RashomonSetPolicyTree
from hornbeam.estimators.rashomon_regressor import RashomonSetRegressor
from hornbeam.estimators.rashomon_survival import RashomonSetSurvivalTree
from hornbeam.estimators.regressor import GOSDTRegressor
from hornbeam.estimators.regressor_cv import GOSDTRegressorCV
from hornbeam.estimators.split import LicketySPLITClassifier, SPLITClassifier
from hornbeam.estimators.split_cv import SPLITClassifierCV
from hornbeam.estimators.split_regressor import LicketySPLITRegressor, SPLITRegressor
from hornbeam.estimators.survival import SurvivalTree
from hornbeam.estimators.survival_cv import SurvivalTreeCV
from hornbeam.fitting.progress import Progress
from hornbeam.rashomon.greedy import GreedySplits, greedy_splits
from hornbeam.rashomon.rashomon_set import RashomonSet
from hornbeam.rashomon.rounded_set import PolicyRashomonSet, PredictionRange, RegressionRashomonSet, SurvivalRashomonSet

__all__ = [
    "GOSDTClassifier",
    "GOSDTClassifierCV",
    "GOSDTRegressor",
    "GOSDTRegressorCV",
    "GreedySplits",
    "LicketySPLITClassifier",
    "LicketySPLITRegressor",
    "MAPTreeClassifier",
    "ModelClassReliance",
    "OSDTClassifier",
    "PolicyRashomonSet",
    "PolicyTree",
    "PolicyTreeCV",
    "PredictionRange",
    "Progress",
    "RashomonImportance",
    "RashomonSet",
    "RashomonSetClassifier",
    "RashomonSetPolicyTree",
    "RashomonSetRegressor",
    "RashomonSetSurvivalTree",
    "RegressionRashomonSet",
    "SPLITClassifier",
    "SPLITClassifierCV",
    "SPLITRegressor",
    "SurvivalRashomonSet",
    "SurvivalTree",
    "SurvivalTreeCV",
    "greedy_splits",
    "model_class_reliance",
    "rashomon_importance",
    "sufficient_depth",
]
