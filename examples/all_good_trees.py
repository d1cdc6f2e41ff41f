"""
All near-optimal trees
======================

Not one tree but all that are nearly as good: how many there are, which columns they need, and where they disagree.

The rows are 6907 people who were arrested in Broward County, Florida, in 2013 and 2014; the target is whether they
were arrested again within two years, which is not the same as whether they committed a crime. Data: public records
that ProPublica gathered for *Machine Bias* (2016) about the COMPAS score, github.com/propublica/compas-analysis, which
states no license; here without names and race, in the form of the experiments of McTavish et al., *Fast Sparse
Decision Tree Optimization via Reference Ensembles*, github.com/ubc-systopia/gosdt-guesses. The file is next to this
script.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl

from hornbeam import RashomonSetClassifier, model_class_reliance, plot_importance, rashomon_importance
from hornbeam.plotting import plot_tree

path = Path("compas.csv")
if not path.exists():  # the script was started elsewhere
    path = Path(__file__).with_name(path.name)
table = pl.read_csv(path)
X = table.drop("target")
y = table["target"].replace_strict({0: "not arrested", 1: "arrested"})
classifier = RashomonSetClassifier(epsilon=0.01, regularization=0.005, max_depth=4).fit(X, y)
trees = classifier.rashomon_set_
print(f"{classifier.n_trees_} trees are within 1 % of the best one, {classifier.objective_:.4f}")
print(f"how many have how many leaves: {trees.n_leaves()}")

# %%
# Which columns do they need? The range over all trees is exact, no matter how many there are. If it starts above 0, no
# good tree can do without the column.

reliance = model_class_reliance(trees)
for column, name in enumerate(reliance.columns):
    share = reliance.n_trees_using[column] / reliance.n_trees
    low, high = reliance.low[column], reliance.high[column]
    print(f"{name:28} is used by {100 * share:5.1f} % of the trees; reliance {low:.3f} to {high:.3f}")
plot_importance(reliance)

# %%
# Would other people have given the same answer? The same for bootstrap samples of the rows, each with its own set of
# trees.

estimator = RashomonSetClassifier(epsilon=0.01, regularization=0.005, max_depth=4)
plot_importance(rashomon_importance(estimator, X, y, n_bootstraps=10, n_samples=100, random_state=0))

# %%
# Any tree can be picked, and filters skip trees you do not want. Chosen here: the best one of depth at most three that
# does not use sex. It is one of several trees that are optimal.

index, tree = next(trees.filter(avoids=["sex=female"], depth=3))
accuracy = classifier.classifier(index).score(X, y)
print(f"the chosen tree is number {index}: objective {trees.objective(index):.4f}, accuracy {accuracy:.3f}")
print(f"good trees disagree about {100 * trees.ambiguity(X):.0f} % of the people")
plot_tree(tree)

# %%
# As epsilon grows, the number of trees explodes.

wide = RashomonSetClassifier(epsilon=0.05, regularization=0.005, max_depth=4).fit(X, y)
objectives, counts = wide.rashomon_set_.objectives()
print(f"{wide.n_trees_} trees are within 5 %")
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(objectives, counts, ".")
axes.axvline(classifier.bound_, color="gray", linestyle="--", label="1 % above the best")
axes.set(yscale="log", xlabel="objective: loss + 0.005 per leaf", ylabel="number of trees")
axes.legend()
plt.show()
