"""
Parallel grid search
====================

The classifiers are scikit-learn estimators, so ``GridSearchCV`` can run their fits in parallel. Parallelize the grid
(``n_jobs`` of ``GridSearchCV``) and leave one thread to each fit: the fits are many and independent.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV

from hornbeam import GOSDTClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
penalties, depths = [0.04, 0.02, 0.01], [1, 2, 3]
search = GridSearchCV(
    GOSDTClassifier(binarizer="quantile"),
    {"regularization": penalties, "max_depth": depths},
    cv=5,
    n_jobs=2,
).fit(X, y)
print("best:", search.best_params_, f"test accuracy {search.best_score_:.3f}")
print(search.best_estimator_.tree_)

# %%
# The whole grid. Many cells are equal, because their trees do not use all the leaves or the depth that they are
# allowed.

scores = search.cv_results_
table = np.reshape(scores["mean_test_score"], (len(depths), len(penalties)))
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
image = axes.imshow(table, cmap="Blues", vmin=table.min() - 0.02, vmax=table.max() + 0.02)
for (row, column), value in np.ndenumerate(table):
    color = "white" if value > table.mean() + 0.01 else "black"
    axes.text(column, row, f"{value:.3f}", ha="center", va="center", color=color)
axes.set_xticks(range(len(penalties)), penalties)
axes.set_yticks(range(len(depths)), depths)
axes.set(xlabel="regularization: leaf penalty as a share of the rows", ylabel="max_depth (edges)")
axes.set_title("test accuracy, mean of five folds")
figure.colorbar(image, label="accuracy (share of rows)")
plt.show()
