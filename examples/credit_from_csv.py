"""
From a CSV file to a proven tree and its picture
================================================

Applications for credit cards: six columns of numbers, nine of categories, 37 rows with missing values. The names and
categories were anonymized by the donors of the data; ``+`` is an approved application. Data: J. R. Quinlan,
*Credit Approval*, UCI Machine Learning Repository, CC BY 4.0, doi:10.24432/C5FS30; the file is next to this script.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl
from sklearn.model_selection import StratifiedKFold, cross_val_score

from hornbeam import GOSDTClassifier
from hornbeam.plotting import plot_tree

path = Path("credit_approval.csv")
if not path.exists():  # the script was started elsewhere
    path = Path(__file__).with_name(path.name)
table = pl.read_csv(path)
X, y = table.drop("target"), table["target"].replace({"+": "approved", "-": "refused"})

# %%
# Numeric columns, text columns and missing values need no preprocessing. An additional leaf must correct the
# prediction of half a percent of the rows, 3.45 of them. Quantiles limit the number of thresholds;
# ``binarizer="exact"`` tries every one.

classifier = GOSDTClassifier(regularization=0.005, max_depth=4, binarizer="quantile").fit(X, y)
print(f"{classifier.status_} over {len(classifier.binarizer_.conditions_)} conditions in", end=" ")
print(f"{classifier.statistics_['subproblems']:,} subproblems")
print(f"objective {classifier.objective_:.4f}: loss {classifier.loss_:.4f} + 0.005 x {classifier.n_leaves_} leaves")
print(f"no tree of depth 4 or less over these conditions is below {classifier.lower_bound_:.4f}")

plot_tree(
    classifier.tree_,
    title="Credit approval",
    subtitle=f"training objective {classifier.objective_:.4f}, proven optimal",
)
plt.show()

# %%
# The proof is about the training rows. Cross-validation estimates the accuracy on new rows:

folds = StratifiedKFold(5, shuffle=True, random_state=0)
accuracies = cross_val_score(classifier, X, y, cv=folds)
print(f"test accuracy: {accuracies.mean():.3f} (five folds, {accuracies.min():.3f} to {accuracies.max():.3f})")
for rule in classifier.tree_.to_rules():
    print("*", rule)
