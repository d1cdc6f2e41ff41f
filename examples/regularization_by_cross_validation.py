"""
Choose the regularization by cross-validation
=============================================

The leaf penalty, ``regularization``, is the one parameter to tune: an additional leaf must correct the prediction of
that share of the training rows. Cross-validation shows where the tree begins to overfit: below some penalty, more
leaves no longer improve the test accuracy.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from hornbeam import GOSDTClassifierCV, plot_cv

X, y = load_breast_cancer(return_X_y=True)
folds = StratifiedKFold(8, shuffle=True, random_state=0)
classifier = GOSDTClassifierCV(
    min_regularization=0.004, max_depth=3, binarizer="quantile", cv=folds, rule="one_standard_error"
).fit(X, y)

for penalty, leaves, mean in zip(
    classifier.regularizations_,
    classifier.cv_results_["n_leaves"],
    classifier.cv_results_["mean_test_score"],
    strict=True,
):
    print(f"{penalty:.4f}: {leaves} leaves, test accuracy {mean:.3f}")
print(f"one standard error: regularization {classifier.regularization_:.4f}, {classifier.n_leaves_} leaves")

# %%
# One leaf penalty is compared for each tree that is optimal for some penalty, so no grid is needed. The bars are
# standard errors over eight folds. The usual rule: choose the smallest tree whose accuracy is within one standard error
# of the best.

axes = plot_cv(classifier)
axes.set_title("breast cancer, depth at most 3, eight folds")
plt.show()
