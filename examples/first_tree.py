"""Fit a tree, see that it is optimal, read it, use it."""

from sklearn.datasets import load_iris

from hornbeam import GOSDTClassifier

iris = load_iris()
names = iris.target_names[iris.target]

classifier = GOSDTClassifier(regularization=0.01, max_depth=3).fit(iris.data, names)

print(classifier.tree_)
print(f"{classifier.status_}: objective {classifier.objective_:.4f}, lower bound {classifier.lower_bound_:.4f}")
print("training accuracy:", classifier.score(iris.data, names))
print("a flower:", classifier.predict([[5.0, 3.4, 1.5, 0.2]])[0])
