"""
Regression: how a disease progresses
====================================

A regression tree predicts a number: the mean of its leaf. ``GOSDTRegressor`` finds the tree of the least squared error
for its size, and proves it. Cross-validation chooses the size.

The 442 patients have diabetes; the target measures how the disease has progressed a year later (B. Efron, T. Hastie,
I. Johnstone, R. Tibshirani, *Least Angle Regression*, 2004, as shipped with scikit-learn).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeRegressor

from hornbeam import GOSDTRegressor, GOSDTRegressorCV, plot_cv, plot_frontier

X, progression = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
folds = KFold(10, shuffle=True, random_state=0)
regressor = GOSDTRegressorCV(min_regularization=0.01, max_depth=3, cv=folds, rule="one_standard_error")
regressor.fit(X, progression)
print(regressor.tree_)
print(f"{regressor.status_}: R^2 {regressor.score(X, progression):.3f} with {regressor.n_leaves_} leaves")

# %%
# Each leaf shows the distribution of the target in it, and its mean.

regressor.plot(X, progression, title="Progression of diabetes after a year")
plt.show()

# %%
# The scores of all sizes on the rows of the other folds, with their standard errors.

axes = plot_cv(regressor)
axes.set_title("diabetes, depth at most 3, ten folds")
plt.show()

# %%
# For comparison: the best trees of all sizes, on the rows that they were fitted on and on the others, and trees of
# scikit-learn with as many leaves.

half = X.index % 2 == 0
frontier = GOSDTRegressor(regularization=0.015, max_depth=3).frontier(X[half], progression[half])
axes = plot_frontier(frontier, X[~half], progression[~half])
axes.set_title("diabetes, every second row")
plt.show()

for name, model in {
    "optimal": GOSDTRegressor(regularization=regressor.regularization_, max_depth=3),
    "greedy ": DecisionTreeRegressor(max_depth=3, max_leaf_nodes=regressor.n_leaves_, random_state=0),
}.items():
    print(f"{name}: R^2 {cross_val_score(model, X, progression, cv=folds).mean():.3f} on the rows of the other folds")
