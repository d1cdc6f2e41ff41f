"""
The tree in other tools: scikit-learn, shap, dtreeviz
=====================================================

``to_sklearn`` returns a fitted ``DecisionTreeClassifier`` on the same columns with the same predictions, for any tool
that accepts one. This example needs two more packages: ``pip install shap dtreeviz``.
"""

import warnings

import dtreeviz
import matplotlib.pyplot as plt
import numpy as np
import shap
from sklearn.datasets import load_breast_cancer

from hornbeam import GOSDTClassifier

warnings.filterwarnings("ignore", message="X does not have valid feature names")  # both tools hand over arrays
data = load_breast_cancer(as_frame=True)
classifier = GOSDTClassifier(regularization=0.005, max_depth=3, binarizer="quantile").fit(data.data, data.target)
model = classifier.tree_.to_sklearn()
same = model.predict(data.data.to_numpy()) == classifier.predict(data.data)
print(classifier.tree_)
print(f"{type(model).__name__}: the same prediction in {same.sum()} of {len(same)} rows")

# %%
# shap: how much each column changes the predicted share of benign tumors, row by row. Columns that the tree does not
# use have no effect.

used = np.unique(model.tree_.feature[model.tree_.feature >= 0])
explained = shap.TreeExplainer(model)(data.data)[:, used, 1]
shap.plots.beeswarm(explained, show=False, plot_size=(7, 3))
plt.gcf().axes[0].set_xlabel("change of the predicted share of benign tumors")
plt.tight_layout()
plt.show()

# %%
# dtreeviz: the rows of both classes in each leaf.

drawing = dtreeviz.model(
    model,
    data.data,
    data.target,
    feature_names=list(data.feature_names),
    target_name="tumor",
    class_names=list(data.target_names),
)
drawing.ctree_leaf_distributions(fontname="DejaVu Sans", figsize=(7, 3.5))
plt.xlabel("leaf, by the number of its node")
plt.ylabel("training rows (tumors)")
plt.tight_layout()
plt.show()
