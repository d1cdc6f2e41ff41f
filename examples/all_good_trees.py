"""
All trees that are nearly as good
=================================

Not one tree but all that are nearly as good: how many there are, what they share, and where they disagree.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from hornbeam import RashomonSetClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
classifier = RashomonSetClassifier(epsilon=0.3, regularization=0.02, max_depth=3).fit(X, y)
trees = classifier.rashomon_set_
print(f"{classifier.n_trees_} trees up to objective {classifier.complete_up_to_:.4f}; by leaves: {trees.n_leaves()}")

# Any tree is made when it is asked for; filters make no more than they return and pass by.
index, tree = next(trees.filter(avoids=["worst perimeter", "worst radius"], n_leaves=range(2, 5)))
print(f"the best without these two columns is number {index}, objective {trees.objective(index):.4f}:")
print(tree)

sample = trees.sample(500, random_state=0)
print(f"good trees disagree about {100 * trees.ambiguity(X, sample):.0f} % of the patients")
print("one of them as a classifier: accuracy", round(classifier.classifier(index).score(X, y), 3))

objectives, counts = trees.objectives()
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(objectives, counts, ".")
axes.set(xlabel="objective: loss + 0.02 per leaf", ylabel="number of trees")
plt.show()
