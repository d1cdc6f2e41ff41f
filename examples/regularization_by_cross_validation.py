"""
Choose the regularization by cross-validation
=============================================

The leaf penalty, ``regularization``, is the one parameter to tune: an additional leaf must correct the prediction of
that share of the training rows. Cross-validation shows where the tree begins to overfit: below some penalty, more
leaves no longer improve the test accuracy.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_validate

from hornbeam import GOSDTClassifier, NotProvenWarning

X, y = load_breast_cancer(return_X_y=True)
penalties = [0.1, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007]
folds = StratifiedKFold(8, shuffle=True, random_state=0)

accuracies, training, leaves = [], [], []
for penalty in penalties:
    classifier = GOSDTClassifier(regularization=penalty, max_depth=3, binarizer="quantile", time_limit=10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotProvenWarning)  # every tree below is proven optimal
        scores = cross_validate(classifier, X, y, cv=folds, return_estimator=True, return_train_score=True)
    accuracies.append(scores["test_score"])
    training.append(scores["train_score"].mean())
    leaves.append([each.n_leaves_ for each in scores["estimator"]])
    print(f"{penalty:5}: {np.mean(leaves[-1]):4.1f} leaves, test accuracy {np.mean(accuracies[-1]):.3f}")

# %%
# The bars are standard errors over eight folds. The usual rule: choose the smallest trees whose accuracy is within one
# standard error of the best.

means, errors = np.mean(accuracies, axis=1), np.std(accuracies, axis=1, ddof=1) / np.sqrt(folds.n_splits)
best = means.argmax()
chosen = int(np.argmax(means >= means[best] - errors[best]))
print(f"one standard error: regularization {penalties[chosen]}")

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
above.plot(penalties, training, "s--", color="#D55E00", label="training rows")
above.errorbar(penalties, means, errors, fmt="o-", capsize=3, color="#0072B2", label="test rows, with standard error")
above.axvline(penalties[chosen], color="#555555", linestyle=":", label="one standard error rule")
above.set(ylabel="accuracy (share of rows)", title="breast cancer, depth at most 3, eight folds")
above.legend()
below.plot(penalties, np.mean(leaves, axis=1), "o-", color="#0072B2")
below.axvline(penalties[chosen], color="#555555", linestyle=":")
below.set(xscale="log", xlabel="regularization: leaf penalty as a share of the rows", ylabel="leaves (mean)")
below.set_xticks(penalties, [f"{penalty:g}" for penalty in penalties], minor=False)
below.minorticks_off()
plt.show()
