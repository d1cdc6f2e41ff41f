"""
What a fit proves
=================

No tree within the limits, over the conditions of the binarizer, has an objective below the lower bound.
"""

import warnings

import matplotlib.pyplot as plt

from hornbeam import GOSDTClassifier, NotProvenWarning
from hornbeam.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(return_X_y=True)


figure, axes = plt.subplots(figsize=(7, 2.5), layout="constrained")


def certify(name: str, classifier: GOSDTClassifier) -> None:
    """Print and draw what is proven about the tree."""
    objective, bound = classifier.objective_, classifier.lower_bound_
    print(f"{classifier.status_}: the optimum is between {bound:.5f} and {objective:.5f}")
    print(f"  objective = loss {classifier.loss_:.5f} + {classifier.regularization_:g} x {classifier.n_leaves_} leaves")
    print(f"  gap {100 * classifier.gap_:.1f} %, {classifier.statistics_['subproblems']:,} subproblems")
    axes.errorbar(objective, name, xerr=[[objective - bound], [0]], fmt="o", capsize=5, color="#0072B2")


certify("to the end", GOSDTClassifier(regularization=0.01, max_depth=4).fit(X, y))

# A search can be stopped: at a gap that is good enough, by time, by memory, by Ctrl-C. The interval remains valid.
certify("gap_limit=0.5", GOSDTClassifier(regularization=0.01, max_depth=4, gap_limit=0.5).fit(X, y))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", NotProvenWarning)
    certify("time_limit=0", GOSDTClassifier(regularization=0.01, max_depth=4, time_limit=0.0).fit(X, y))

axes.set(xlabel="objective: loss + 0.01 per leaf", ylabel="search", xlim=(0, None), ylim=(2.5, -0.5))
axes.set_title("a point: the tree found; the line: where the optimum can be")
plt.show()
