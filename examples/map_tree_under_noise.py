"""
MAPTree under label noise
=========================

MAPTree needs no limit on the size of the tree: it chooses it from the data. The labels come from random trees of 16
leaves; a quarter of the training labels are then flipped, the test labels are not.

What the plot shows: trees that fit the training rows best learn the flipped labels (they overfit), the more so the
deeper they may be, so the depth has to be tuned. MAPTree weighs each split against its prior instead. With little data
it returns one or two leaves; with more it recovers the true tree. In between, a tree of the right depth can be better.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, MAPTreeClassifier, NotProvenWarning, log_posterior
from hornbeam.datasets import make_random_trees

warnings.simplefilter("ignore", NotProvenWarning)  # the proofs take longer than the trees
methods = {
    "MAPTree": MAPTreeClassifier(binarizer=None, max_expansions=6000),
    "greedy (CART), no limit": DecisionTreeClassifier(random_state=0),
    "greedy (CART), depth 4": DecisionTreeClassifier(max_depth=4, random_state=0),
    "lowest training error, depth 5": GOSDTClassifier(regularization=0, max_depth=5, binarizer=None),
    "lowest training error, depth 4": GOSDTClassifier(regularization=0, max_depth=4, binarizer=None),
}
sizes = [100, 300, 500, 1000]
problems = make_random_trees(noise=0.25)[:3]

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for (name, classifier), marker in zip(methods.items(), "os^Dv", strict=True):
    accuracies = []
    for n_rows in sizes:
        scores = [classifier.fit(X[:n_rows], y[:n_rows]).score(X_test, y_test) for X, X_test, y, y_test in problems]
        accuracies.append(sum(scores) / len(scores))
    axes.plot(sizes, accuracies, marker=marker, label=name)
    print(f"{name:30}:", ", ".join(f"{value:.3f}" for value in accuracies))
axes.set(xlabel="training rows, a quarter of them with the wrong label", ylabel="accuracy on 1000 clean test rows")
figure.legend(loc="outside lower center", ncols=3, fontsize="small")
plt.show()

# The same posterior scores any tree: MAPTree's for the first problem, and the one of scikit-learn.
X, X_test, y, y_test = problems[0]
ours, greedy = (methods[name].fit(X, y) for name in ("MAPTree", "greedy (CART), no limit"))
print(
    f"log posterior {ours.log_posterior_:.1f} with {ours.n_leaves_} leaves, "
    f"greedy tree {log_posterior(greedy, X, y, conditions=ours.binarizer_.conditions_):.1f} "
    f"with {greedy.get_n_leaves()}, none above {ours.upper_bound_:.1f}"
)
