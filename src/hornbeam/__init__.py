"""Optimal sparse decision trees, with proof."""

from importlib.metadata import PackageNotFoundError, version

from hornbeam.binarizers import ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.columns import ColumnReport, column_report
from hornbeam.estimators import (
    GOSDTClassifier,
    GOSDTClassifierCV,
    GOSDTRegressor,
    GOSDTRegressorCV,
    GreedySplits,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    MAPTreeClassifier,
    ModelClassReliance,
    OSDTClassifier,
    PolicyRashomonSet,
    PolicyTree,
    PolicyTreeCV,
    PredictionRange,
    Progress,
    RashomonImportance,
    RashomonSet,
    RashomonSetClassifier,
    RashomonSetPolicyTree,
    RashomonSetRegressor,
    RashomonSetSurvivalTree,
    RegressionRashomonSet,
    SPLITClassifier,
    SPLITClassifierCV,
    SPLITRegressor,
    SurvivalRashomonSet,
    SurvivalTree,
    SurvivalTreeCV,
    greedy_splits,
    model_class_reliance,
    rashomon_importance,
    sufficient_depth,
)
from hornbeam.exceptions import ColumnWarning, NotProvenWarning
from hornbeam.frontier import Frontier, PathSegment
from hornbeam.plotting import plot_cv, plot_frontier, plot_importance, plot_roc, plot_trace, plot_tree
from hornbeam.policy import PolicyScores, PolicyValue, policy_scores, policy_value
from hornbeam.posterior import log_posterior
from hornbeam.survival.curves import StepFunction
from hornbeam.survival.metrics import brier_score, concordance_index, integrated_brier_score
from hornbeam.tree import ActionTree, HazardTree, QuantileTree, RegressionTree, Tree

try:
    __version__ = version("hornbeam")
except PackageNotFoundError:  # used from a source tree, without installation
    __version__ = "unknown"

__all__ = [
    "ActionTree",
    "ColumnReport",
    "ColumnWarning",
    "Frontier",
    "GOSDTClassifier",
    "GOSDTClassifierCV",
    "GOSDTRegressor",
    "GOSDTRegressorCV",
    "GreedySplits",
    "HazardTree",
    "LicketySPLITClassifier",
    "LicketySPLITRegressor",
    "MAPTreeClassifier",
    "ModelClassReliance",
    "NotProvenWarning",
    "OSDTClassifier",
    "PathSegment",
    "PolicyRashomonSet",
    "PolicyScores",
    "PolicyTree",
    "PolicyTreeCV",
    "PolicyValue",
    "PredictionRange",
    "Progress",
    "QuantileTree",
    "RashomonImportance",
    "RashomonSet",
    "RashomonSetClassifier",
    "RashomonSetPolicyTree",
    "RashomonSetRegressor",
    "RashomonSetSurvivalTree",
    "RegressionRashomonSet",
    "RegressionTree",
    "SPLITClassifier",
    "SPLITClassifierCV",
    "SPLITRegressor",
    "StepFunction",
    "SurvivalRashomonSet",
    "SurvivalTree",
    "SurvivalTreeCV",
    "ThresholdBinarizer",
    "ThresholdGuessBinarizer",
    "Tree",
    "__version__",
    "brier_score",
    "column_report",
    "concordance_index",
    "greedy_splits",
    "integrated_brier_score",
    "log_posterior",
    "model_class_reliance",
    "plot_cv",
    "plot_frontier",
    "plot_importance",
    "plot_roc",
    "plot_trace",
    "plot_tree",
    "policy_scores",
    "policy_value",
    "rashomon_importance",
    "sufficient_depth",
]
