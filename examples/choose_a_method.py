"""Exact, guessed, SPLIT or LicketySPLIT: the same data by each, and what each knows of its tree when it is done."""

from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
shared = {"regularization": 0.005, "max_depth": 3}
methods = {
    "exact, every threshold": GOSDTClassifier(**shared),
    "exact, 8 quantiles": GOSDTClassifier(**shared, binarizer="quantile"),
    "exact, guessed thresholds": GOSDTClassifier(**shared, binarizer="guess"),
    "exact, thresholds and bounds guessed": GOSDTClassifier(**shared, binarizer="guess", reference="binarizer"),
    "SPLIT": SPLITClassifier(**shared),
    "LicketySPLIT": LicketySPLITClassifier(**shared),
}

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, classifier in methods.items():
    begin = perf_counter()
    classifier.fit(X, y)
    seconds = perf_counter() - begin
    print(
        f"{name:37}: {classifier.status_:10} objective {classifier.objective_:.4f}, at least "
        f"{classifier.lower_bound_:.4f}, {classifier.n_leaves_} leaves, {seconds:.2f} s"
    )
    axes.plot(seconds, classifier.objective_, "o", label=name)
axes.set(xscale="log", xlabel="seconds of fit", ylabel="objective (loss + 0.005 per leaf)")
axes.legend()
figure.savefig("choose_a_method.png")

# A fast tree, and how far it is from the best one over the same columns:
certified = SPLITClassifier(**shared, certify=True).fit(X, y)
print(f"SPLIT, certified: {certified.status_}, at most {certified.objective_ - certified.lower_bound_:.4f} too much")
