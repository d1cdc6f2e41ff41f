"""
All trees that are nearly as good
=================================

Not one tree but all that are nearly as good: how many there are, which variables they need, and where they disagree.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from hornbeam import RashomonSetClassifier, model_class_reliance, plot_importance, rashomon_importance
from hornbeam.plotting import plot_tree

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
classifier = RashomonSetClassifier(epsilon=0.3, regularization=0.02, max_depth=3).fit(X, y)
trees = classifier.rashomon_set_
print(f"{classifier.n_trees_} trees up to objective {classifier.complete_up_to_:.4f}; by leaves: {trees.n_leaves()}")

# Which columns do they rely on? The range over all trees is exact, whatever their number.
reliance = model_class_reliance(trees)
for column in reliance.high.argsort()[:-6:-1]:
    share = reliance.n_asking[column] / reliance.n_trees
    print(
        f"{reliance.columns[column]:20} is asked by {100 * share:5.1f} % of the trees; reliance "
        f"{reliance.low[column]:.3f} to {reliance.high[column]:.3f}"
    )
plot_importance(reliance, most=10)

# Would other patients have said the same? The same question for patients drawn again and again, and their sets.
estimator = RashomonSetClassifier(epsilon=0.3, regularization=0.02, max_depth=3)
importance = rashomon_importance(estimator, X, y, n_bootstraps=5, n_samples=100, random_state=0)
plot_importance(importance, most=10)

# Any tree is made when it is asked for; filters make no more than they return and pass by.
index, tree = next(trees.filter(avoids=["worst perimeter", "worst radius"], n_leaves=range(2, 5)))
print(f"the best without these two columns is number {index}, objective {trees.objective(index):.4f}")
plot_tree(tree)

sample = trees.sample(500, random_state=0)
print(f"good trees disagree about {100 * trees.ambiguity(X, sample):.0f} % of the patients")
print("one of them as a classifier: accuracy", round(classifier.classifier(index).score(X, y), 3))

objectives, counts = trees.objectives()
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(objectives, counts, ".")
axes.set(xlabel="objective: loss + 0.02 per leaf", ylabel="number of trees")
plt.show()
