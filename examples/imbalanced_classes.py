"""
Imbalanced classes: accuracy, balanced accuracy, F-score
========================================================

One row in twelve is positive. The tree of best accuracy leaves most of them out, since there is little to gain; the
tree of best balanced accuracy finds most of them and pays with false alarms; that of best F-score lies between. Each
is proven best for its own objective, over the same conditions.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score

from hornbeam import GOSDTClassifier
from hornbeam.plotting import plot_tree

X, y = make_classification(
    1500, n_features=6, n_informative=4, n_redundant=0, weights=[0.92], flip_y=0.02, class_sep=0.8, random_state=3
)
X = X.round(1)
labels = [("common", "rare")[each] for each in y]
# One more leaf must save as much, in the unit of the objective. F-scores of few positives are a fine measure, and 0.01
# of the F-score is fewer rows than 0.01 of the accuracy.
regularizations = {"accuracy": 0.004, "balanced": 0.02, "f1": 0.02}

for objective, regularization in regularizations.items():
    classifier = GOSDTClassifier(
        regularization=regularization, max_depth=2, objective=objective, binarizer="quantile"
    ).fit(X, labels)
    predicted = classifier.predict(X)
    (_, false_alarms), (missed, found) = confusion_matrix(labels, predicted)
    print(
        f"{objective:9}: {classifier.status_}, accuracy {classifier.score(X, labels):.3f}, "
        f"balanced accuracy {balanced_accuracy_score(labels, predicted):.3f}, "
        f"F-score {f1_score(labels, predicted, pos_label='rare'):.3f}"
    )
    said = f"{found} of {found + missed} rare rows found, {false_alarms} false alarms"
    plot_tree(classifier.tree_, title=f'objective="{objective}"', subtitle=said)
plt.show()
