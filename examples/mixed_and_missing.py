"""
Numbers, categories and missing values
======================================

A table with numeric, text and Boolean columns and missing values. A missing value fails every condition except *is
missing*, which is a condition of its own where values are missing. So the tree can use the fact that a value was not
measured: below, such rows fail the threshold at the root. The patients are simulated: they fall ill if their marker is
above 7, or if it was not measured and they arrived as an emergency.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hornbeam import GOSDTClassifier
from hornbeam.plotting import plot_tree

random = np.random.default_rng(0)
n = 1000
marker = random.normal(6, 3, n).round(1)
is_measured = random.random(n) < 0.7
patients = pd.DataFrame(
    {
        "age": random.integers(18, 90, n),
        "marker": np.where(is_measured, marker, np.nan),
        "arrival": random.choice(["emergency", "referral", "walk-in"], n),
        "smoker": random.random(n) < 0.3,
    }
)
is_ill = np.where(is_measured, marker > 7, patients["arrival"] == "emergency")
is_ill ^= random.random(n) < 0.03  # a few wrong labels
diagnosis = np.where(is_ill, "ill", "well")

classifier = GOSDTClassifier(regularization=0.01, max_depth=4).fit(patients, diagnosis)
print(classifier.status_)
print(classifier.tree_)

# %%
# The candidate conditions: every threshold of the numeric columns, each category, and *is missing* where values are
# missing.

names = classifier.binarizer_.get_feature_names_out()
print(len(names), "conditions, such as", ", ".join(names[[0, 70, -5, -4, -3, -2, -1]]))

# %%
# New rows may have missing values and categories that did not occur in training.

new = pd.DataFrame({"age": [40, 40], "marker": [np.nan, 8.0], "arrival": ["emergency", "helicopter"], "smoker": False})
print(classifier.predict(new).tolist())

plot_tree(classifier.tree_, title="Ill or well", subtitle="simulated patients, 3 % of the labels are wrong")
plt.show()
