"""
Imbalanced classes: accuracy, balanced accuracy, F1 score, AUC
==============================================================

One row in twelve is positive. The tree with the best accuracy misses most of them, since there is little to gain; the
tree with the best balanced accuracy finds most of them at the price of false alarms; the tree with the best F1 score
lies in between. The tree with the highest AUC (area under the ROC curve) ranks: its leaves tell which rows to look at
first. Here no leaf has more rare rows than common ones, so as a classifier it finds none. Each tree is proven optimal
for its own objective, over the same conditions.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, roc_auc_score

from hornbeam import GOSDTClassifier, plot_roc
from hornbeam.plotting import plot_tree

X, y = make_classification(
    1500, n_features=6, n_informative=4, n_redundant=0, weights=[0.92], flip_y=0.02, class_sep=0.8, random_state=3
)
X = X.round(1)
labels = [("common", "rare")[each] for each in y]
# The leaf penalty is in the unit of the objective. With few positives, 0.01 of the F1 score is fewer rows than 0.01 of
# the accuracy.
regularizations = {"accuracy": 0.004, "balanced": 0.02, "f1": 0.02, "auc": 0.02}

shares = {}
_, places = plt.subplots(2, 2, figsize=(9, 8.4), layout="constrained")
for ax, (objective, regularization) in zip(places.flat, regularizations.items(), strict=True):
    classifier = GOSDTClassifier(
        regularization=regularization, max_depth=2, objective=objective, binarizer="quantile"
    ).fit(X, labels)
    predicted = classifier.predict(X)
    shares[objective] = classifier.predict_proba(X)[:, 1]
    (_, false_alarms), (missed, found) = confusion_matrix(labels, predicted)
    print(
        f"{objective:9}: {classifier.status_}, accuracy {classifier.score(X, labels):.3f}, "
        f"balanced accuracy {balanced_accuracy_score(labels, predicted):.3f}, "
        f"F1 score {f1_score(labels, predicted, pos_label='rare'):.3f}, "
        f"AUC {roc_auc_score(labels, shares[objective]):.3f}"
    )
    subtitle = f"{found} of {found + missed} rare rows found, {false_alarms} false alarms"
    plot_tree(classifier.tree_, ax, title=f'objective="{objective}"', subtitle=subtitle)
plt.show()

# %%
# If only the share of rare rows in a leaf matters, every tree is a ranking of the rows. The circles are its leaves,
# the leaf with the largest share of rare rows first.

plot_roc(labels, shares)
plt.show()
