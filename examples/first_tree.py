"""
A first tree
============

Fit a tree, see that it is optimal, read it, draw it, use it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from hornbeam import GOSDTClassifier
from hornbeam.plotting import plot_tree

iris = load_iris(as_frame=True)
names = iris.target_names[iris.target]

classifier = GOSDTClassifier(regularization=0.01, max_depth=3).fit(iris.data, names)

print(classifier.tree_)
print(f"{classifier.status_}: objective {classifier.objective_:.4f}, lower bound {classifier.lower_bound_:.4f}")
print("training accuracy:", classifier.score(iris.data, names))
print("a flower:", classifier.predict(iris.data[:1])[0])

# %%
# The plot shows how many training rows reach each leaf, and how pure it is.

plot_tree(classifier.tree_, title="Species of iris", subtitle=f"objective {classifier.objective_:.4f}, proven optimal")
plt.show()
