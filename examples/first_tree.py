"""
A first tree
============

Fit a tree, see that it is optimal, read it, draw it, use it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from hornbeam import GOSDTClassifier

iris = load_iris(as_frame=True)
names = iris.target_names[iris.target]

classifier = GOSDTClassifier(regularization=0.01, max_depth=3).fit(iris.data, names)

print(classifier.tree_)
print(f"{classifier.status_}: objective {classifier.objective_:.4f}, lower bound {classifier.lower_bound_:.4f}")
print("training accuracy:", classifier.score(iris.data, names))
print("a flower:", classifier.predict(iris.data[:1])[0])

# %%
# The plot shows the distribution of the column at each split, how many training rows reach each leaf, and how pure the
# leaf is.

classifier.plot(iris.data, names, title="Species of iris")
plt.show()
