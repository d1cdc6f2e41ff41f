"""
Exact, guessed, SPLIT or LicketySPLIT
=====================================

The same data with each method, and what each guarantees.

What the plot shows: an exact search over every threshold gives the best tree and its proof, if it finishes in time.
Over few thresholds it finishes much sooner, and its proof is about those. Quantiles are quick to compute but many;
guessed thresholds are few but require fitting the reference model. SPLIT and LicketySPLIT take milliseconds over the
same quantiles and come close, without a useful guarantee unless they are certified.
"""

import warnings
from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, NotProvenWarning, SPLITClassifier

X, y = make_classification(4000, n_features=8, n_informative=5, n_clusters_per_class=4, flip_y=0.1, random_state=0)
shared = {"regularization": 0.002, "max_depth": 4, "time_limit": 3.0}
methods = {
    "exact, every threshold": GOSDTClassifier(**shared),
    "exact, 8 quantiles": GOSDTClassifier(**shared, binarizer="quantile"),
    "exact, guessed thresholds": GOSDTClassifier(**shared, binarizer="guess"),
    "exact, thresholds and bounds guessed": GOSDTClassifier(**shared, binarizer="guess", reference="binarizer"),
    "SPLIT, 8 quantiles": SPLITClassifier(**shared),
    "LicketySPLIT, 8 quantiles": LicketySPLITClassifier(**shared),
}
warnings.simplefilter("ignore", NotProvenWarning)  # the first search is stopped by its time limit

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
for (name, classifier), marker in zip(methods.items(), "osD^vP", strict=True):
    begin = perf_counter()
    classifier.fit(X, y)
    seconds = perf_counter() - begin
    objective, bound = classifier.objective_, classifier.lower_bound_
    print(
        f"{name:37}: {classifier.status_:10} objective {objective:.4f}, lower bound {bound:.4f}, "
        f"{classifier.n_leaves_} leaves, {seconds:.2f} s"
    )
    axes.errorbar(seconds, objective, [[objective - bound], [0]], fmt=marker, markersize=8, capsize=4, label=name)
axes.set(xscale="log", xlabel="seconds of fit, binarizing included", ylabel="objective: loss + 0.002 per leaf")
axes.set(title="point: the tree found; line: down to the lower bound (some lie below the plot)", ylim=(0.2, 0.265))
figure.legend(loc="outside lower center", ncols=3, fontsize="small")
plt.show()

# A fast tree, and how far it is from the best one over the same columns:
certified = SPLITClassifier(**shared, certify=True).fit(X, y)
distance = certified.objective_ - certified.lower_bound_
print(f"SPLIT, certified: {certified.status_}, at most {distance:.4f} above the optimum")
