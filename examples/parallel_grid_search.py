"""
Parallel grid search
====================

The classifiers are scikit-learn estimators, so that ``GridSearchCV`` runs their fits in parallel. Give the processes to
the grid (``n_jobs`` of the search over parameters) and one thread to each fit: the fits are many and independent.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV

from hornbeam import GOSDTClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
prices, depths = [0.04, 0.02, 0.01], [1, 2, 3]
search = GridSearchCV(
    GOSDTClassifier(binarizer="quantile"),
    {"regularization": prices, "max_depth": depths},
    cv=5,
    n_jobs=2,
).fit(X, y)
print("best:", search.best_params_, f"accuracy {search.best_score_:.3f} on rows not seen")
print(search.best_estimator_.tree_)

# %%
# The whole grid. Many cells are equal: the price or the depth that they allow is not used.

scores = search.cv_results_
table = np.reshape(scores["mean_test_score"], (len(depths), len(prices)))
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
image = axes.imshow(table, cmap="Blues", vmin=table.min() - 0.02, vmax=table.max() + 0.02)
for (row, column), value in np.ndenumerate(table):
    color = "white" if value > table.mean() + 0.01 else "black"
    axes.text(column, row, f"{value:.3f}", ha="center", va="center", color=color)
axes.set_xticks(range(len(prices)), prices)
axes.set_yticks(range(len(depths)), depths)
axes.set(xlabel="regularization: price of a leaf as a share of the rows", ylabel="max_depth (edges)")
axes.set_title("accuracy on rows not seen, mean of five folds")
figure.colorbar(image, label="accuracy (share of rows)")
plt.show()
