"""
How large should the tree be?
=============================

Every additional leaf lowers the training loss or leaves it as it is, but not the loss on new rows. The frontier shows
both for every size, with a proof that no tree of that size does better on the training rows.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from hornbeam import GOSDTClassifier, plot_frontier, plot_tree
from hornbeam.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
frontier = GOSDTClassifier(regularization=0.01).frontier(X, y)
print(frontier)

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
plot_frontier(frontier, X_test, y_test, ax=axes)
axes.set_title("tic-tac-toe: share of wrong predictions")
plt.show()

# %%
# The discs are the trees that are optimal for some leaf penalty; the dashed line between them is the convex hull. Six
# leaves are a good compromise here: the tree can be read aloud, and the next few leaves buy little.

plot_tree(frontier.classifier(n_leaves=6))
plt.show()
