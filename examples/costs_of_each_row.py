"""
Costs that differ between rows
==============================

A bank that accepts a bad application loses the amount, and one that refuses a good application loses its margin. So a
mistake costs as much as the amount of the row says, and no cost matrix can express that. A policy tree can: its actions
are the decisions, and its rewards are minus the costs.

The applications are real (J. R. Quinlan, *Credit Approval*, UCI Machine Learning Repository, CC BY 4.0,
doi:10.24432/C5FS30), with anonymized columns. They have no amounts, so this example draws some.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from sklearn.model_selection import cross_val_predict

from hornbeam import GOSDTClassifier, PolicyTree, policy_value

path = Path("credit_approval.csv")
if not path.exists():  # the script was started elsewhere
    path = Path(__file__).with_name(path.name)
table = pl.read_csv(path)
rng = np.random.default_rng(0)
amount = rng.lognormal(7, 1, table.height).round(-1)  # from a few hundred to some ten thousand
is_good = table["target"].to_numpy() == "+"
X = table.drop("target").with_columns(amount=pl.Series(amount))

rewards = pl.DataFrame(
    {
        "accept": np.where(is_good, 0.25 * amount, -amount),  # the margin, or the loss
        "refuse": 0.0,
    }
)

# %%
# One more leaf must earn 20 for each application.

policy = PolicyTree(regularization=20, max_depth=3, binarizer="quantile").fit(X, rewards)
print(policy.tree_)
print(f"{policy.status_}: {policy.value_:.0f} for each application")
policy.plot(X, rewards, title="Accept or refuse?")
plt.show()

# %%
# The tree of the fewest mistakes earns less. Both are compared on rows that they have not seen.

labels = np.where(is_good, "accept", "refuse")
classifier = GOSDTClassifier(regularization=0.01, max_depth=3, binarizer="quantile")
for name, model, y in (("fewest mistakes", classifier, labels), ("lowest costs", policy, rewards)):
    print(f"{name}:\n{policy_value(cross_val_predict(model, X, y), None, rewards, single_action='refuse')}\n")
