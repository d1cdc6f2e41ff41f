"""
Thresholds guessed by a boosted model
=====================================

A table of continuous columns has thousands of thresholds. A ``ThresholdGuessBinarizer`` keeps those that a boosted
model splits on, minus those it can do without; ``binarizer="guess"`` does so with a model of 40 stumps. The proof is
then about the remaining thresholds, not about all of them.

What the plot shows: up to depth 3 there is nothing to gain, since the exact search tries every threshold in less time
than the model takes to fit. Deeper trees over every threshold are not proven within the time limit. Over the guessed
ones they are, and are better than those over quantiles. The trees of the stopped searches are better still, but
without a proof.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import train_test_split

from hornbeam import GOSDTClassifier, NotProvenWarning, ThresholdGuessBinarizer

X, y = make_classification(3000, n_features=8, n_informative=4, n_clusters_per_class=3, flip_y=0.1, random_state=1)
X, X_test, y, y_test = train_test_split(X, y, test_size=1000, random_state=0)
warnings.simplefilter("ignore", NotProvenWarning)  # some searches are stopped by the limit

reference = GradientBoostingClassifier(n_estimators=30, max_depth=2, random_state=0)
binarizers = {"exact": "exact", "quantile": "quantile", "guessed": ThresholdGuessBinarizer(reference)}

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, binarizer), style in zip(binarizers.items(), ("s-", "^-", "o-"), strict=True):
    seconds, objectives = [], []
    for depth in (2, 3, 4, 5):
        classifier = GOSDTClassifier(regularization=0.003, max_depth=depth, binarizer=binarizer, time_limit=2.0)
        classifier.fit(X, y)
        statistics = classifier.statistics_
        seconds.append(statistics["seconds"] + statistics["binarize_seconds"])
        objectives.append(classifier.objective_)
        print(
            f"{name:8} depth {depth}: {statistics['n_binary_columns']:5} conditions, {classifier.status_:10} objective "
            f"{classifier.objective_:.4f}, accuracy {classifier.score(X_test, y_test):.3f}, {seconds[-1]:.2f} s"
        )
    axes.plot(seconds, objectives, style, label=f"{name}, depth 2 to 5")
axes.set(xscale="log", xlabel="time to make columns and search (seconds)", ylabel="objective: loss + 0.003 per leaf")
axes.legend()
plt.show()

fitted = classifier.binarizer_
print("kept", len(fitted.conditions_), "of", fitted.n_thresholds_, "thresholds of the model")
print("its accuracy on the table, on all its thresholds, on those that remain:", list(fitted.scores_.values()))
