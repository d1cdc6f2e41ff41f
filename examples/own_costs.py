"""
Your own costs
==============

If missing a malignant tumor costs ten times as much as a false alarm, another tree is optimal.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix

from hornbeam import GOSDTClassifier
from hornbeam.plotting import plot_tree

data = load_breast_cancer(as_frame=True)
kind = data.target_names[data.target]  # "benign" and "malignant", in this order in classes_

costs = {
    "equal costs": [[0, 1], [1, 0]],
    "a miss costs 10": [[0, 1], [10, 0]],  # row: the true class, column: the predicted one
}
for name, cost_matrix in costs.items():
    classifier = GOSDTClassifier(
        regularization=0.02,  # in the unit of the costs: an additional leaf must save 0.02 per row
        max_depth=2,
        objective="cost",
        cost_matrix=cost_matrix,
        binarizer="quantile",
    ).fit(data.data, kind)
    print(f"{name}: {classifier.status_}, mean cost {classifier.loss_:.3f} per row")
    print(confusion_matrix(kind, classifier.predict(data.data)))
    plot_tree(classifier.tree_, title=name, subtitle=f"mean cost {classifier.loss_:.3f} per row, proven optimal")
plt.show()
