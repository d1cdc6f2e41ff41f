"""
Survival: how long do patients live?
====================================

The time until an event is known only in part: some patients are still alive when they are last seen. ``SurvivalTree``
finds the tree that best tells apart how soon the event happens, and proves it.

The 137 men had advanced lung cancer; a trial of the US Veterans' Administration compared a test chemotherapy with the
standard one (J. D. Kalbfleisch, R. L. Prentice, *The Statistical Analysis of Failure Time Data*, 1980; data set
*veteran* of StatLib). The Karnofsky score says how well patients can care for themselves: 100 is full health, and below
40 they are in hospital.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.model_selection import KFold, cross_val_score

from hornbeam import SurvivalTree, SurvivalTreeCV, plot_cv

path = Path("veteran.csv")
if not path.exists():  # the script was started elsewhere
    path = Path(__file__).with_name(path.name)
patients = pl.read_csv(path)
X, y = patients.drop("died", "days"), patients.select("died", "days")

tree = SurvivalTree(regularization=0.03, max_depth=3).fit(X, y)
print(tree.tree_)
print(f"{tree.status_}: objective {tree.objective_:.3f}, at least {tree.lower_bound_:.3f}")

# %%
# A leaf predicts a hazard ratio: with 2, patients die twice as fast as all together. Its picture is the Kaplan-Meier
# curve, the share that is still alive after so many days. The treatment is not in it: no split on it is worth a leaf.

tree.plot(title="Survival with advanced lung cancer")
plt.show()

# %%
# The curves of the leaves in one plot.

axes = plt.figure().gca()
for leaf in sorted(set(tree.apply(X)), key=lambda leaf: tree.tree_.hazard_ratios[leaf]):
    curve = tree.tree_.survival_function(leaf)
    days = np.append(0, tree.event_times_)
    label = f"hazard ratio {tree.tree_.hazard_ratios[leaf]:.2g}, {tree.tree_.n_samples[leaf]} patients"
    axes.step(days, curve(days), where="post", label=label)
axes.set(xlabel="days", ylabel="share alive", ylim=(0, 1), title="Kaplan-Meier curves of the leaves")
axes.legend()
plt.show()

# %%
# How well are patients ordered that the tree has not seen? The concordance index is the share of pairs in which the one
# of higher risk dies first; 0.5 is chance. ``SurvivalTreeCV`` compares all sizes; with so few patients their standard
# errors are large, and the smallest tree within one of them has a single split.

folds = KFold(10, shuffle=True, random_state=0)
print(f"concordance {cross_val_score(tree, X, y, cv=folds).mean():.3f} on the rows of the other folds")
chosen = SurvivalTreeCV(min_regularization=0.02, max_depth=3, cv=folds, rule="one_standard_error").fit(X, y)
print(chosen.tree_)
axes = plot_cv(chosen)
axes.set_title("veteran, depth at most 3, ten folds")
plt.show()
