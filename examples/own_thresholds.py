"""
Your own thresholds
===================

Split only at thresholds that your readers know: thresholds of your own for some columns, quantiles for the others.
"""

import matplotlib.pyplot as plt
import polars as pl
from sklearn.datasets import load_wine

from hornbeam import GOSDTClassifier, ThresholdBinarizer
from hornbeam.plotting import plot_tree

data = load_wine()
wine = pl.DataFrame(data.data, schema=data.feature_names)

binarizer = ThresholdBinarizer(
    strategy="quantile",
    n_thresholds=4,
    thresholds={"alcohol": [12.0, 13.0, 14.0], "proline": [500, 750, 1000]},
)
classifier = GOSDTClassifier(regularization=0.01, max_depth=3, binarizer=binarizer).fit(wine, data.target)

print(classifier.binarizer_.get_feature_names_out()[:5].tolist())
print(classifier.tree_)
print(classifier.status_, "over", len(classifier.binarizer_.conditions_), "conditions")

plot_tree(classifier.tree_, title="Three cultivars of wine")
plt.show()
