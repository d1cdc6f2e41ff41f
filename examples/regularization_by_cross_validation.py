"""
How much a leaf should cost
===========================

The price of a leaf, ``regularization``, is the one number to choose. A leaf must save that share of the training rows.
Cross-validation shows what it buys: below some price more leaves no longer help rows that were not seen.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_validate

from hornbeam import GOSDTClassifier, NotProvenWarning

X, y = load_breast_cancer(return_X_y=True)
prices = [0.1, 0.05, 0.03, 0.02, 0.015, 0.01, 0.007]
folds = StratifiedKFold(8, shuffle=True, random_state=0)

accuracies, training, leaves = [], [], []
for price in prices:
    classifier = GOSDTClassifier(regularization=price, max_depth=3, binarizer="quantile", time_limit=10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotProvenWarning)  # every tree below is proven optimal
        scores = cross_validate(classifier, X, y, cv=folds, return_estimator=True, return_train_score=True)
    accuracies.append(scores["test_score"])
    training.append(scores["train_score"].mean())
    leaves.append([each.n_leaves_ for each in scores["estimator"]])
    print(f"{price:5}: {np.mean(leaves[-1]):4.1f} leaves, accuracy {np.mean(accuracies[-1]):.3f} on rows not seen")

# %%
# The bars are standard errors over eight folds. The usual rule: take the smallest trees whose accuracy is within one
# standard error of the best.

means, errors = np.mean(accuracies, axis=1), np.std(accuracies, axis=1, ddof=1) / np.sqrt(folds.n_splits)
best = means.argmax()
chosen = int(np.argmax(means >= means[best] - errors[best]))
print(f"one standard error: regularization {prices[chosen]}")

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
above.plot(prices, training, "s--", color="#D55E00", label="training rows")
above.errorbar(prices, means, errors, fmt="o-", capsize=3, color="#0072B2", label="rows not seen, with standard error")
above.axvline(prices[chosen], color="#555555", linestyle=":", label="one standard error rule")
above.set(ylabel="accuracy (share of rows)", title="breast cancer, depth at most 3, eight folds")
above.legend()
below.plot(prices, np.mean(leaves, axis=1), "o-", color="#0072B2")
below.axvline(prices[chosen], color="#555555", linestyle=":")
below.set(xscale="log", xlabel="regularization: price of a leaf as a share of the rows", ylabel="leaves (mean)")
below.set_xticks(prices, [f"{price:g}" for price in prices], minor=False)
below.minorticks_off()
plt.show()
