"""
SPLIT compared with the exact search
====================================

SPLIT searches the first splits exhaustively and leaves the rest to greedy trees, which it then replaces by optimal
ones. Here the class is the parity of two columns combined with the majority of three others; in a fifth of the rows it
is the majority of five decoys, and 60 columns are noisy copies of the first two. Only the decoys are informative on
their own, so a greedy tree splits on them. Looking ahead by two splits is enough to see the parity; LicketySPLIT looks
ahead by one.
"""

import warnings
from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, NotProvenWarning, SPLITClassifier
from hornbeam.datasets import make_parity_majority

depth, penalty = 5, 0.002
X, y = make_parity_majority(4000, depth=5, lookahead=2, noise=0.2, n_copies=60, random_state=0)
methods = {
    "greedy (CART)": DecisionTreeClassifier(max_depth=depth, random_state=0),
    "LicketySPLIT": LicketySPLITClassifier(penalty, max_depth=depth, binarizer=None),
    "SPLIT": SPLITClassifier(penalty, max_depth=depth, binarizer=None),
    "exact, stopped after 3 s": GOSDTClassifier(penalty, max_depth=depth, binarizer=None, time_limit=3.0),
}
warnings.simplefilter("ignore", NotProvenWarning)

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, classifier), marker in zip(methods.items(), "sv^o", strict=True):
    begin = perf_counter()
    classifier.fit(X, y)
    seconds = perf_counter() - begin
    leaves = classifier.get_n_leaves() if name.startswith("greedy") else classifier.n_leaves_
    objective = 1 - classifier.score(X, y) + penalty * leaves
    print(
        f"{name:24}: objective {objective:.4f} with {leaves} leaves in {seconds:.3f} s"
        + (f", lower bound {classifier.lower_bound_:.4f}" if name.startswith("exact") else "")
    )
    axes.plot(seconds, objective, marker, markersize=9, label=name)
axes.set(xscale="log", xlabel="time of fit (seconds)", ylabel=f"objective: loss + {penalty} per leaf", ylim=(0, None))
axes.legend(loc="lower right")
plt.show()
