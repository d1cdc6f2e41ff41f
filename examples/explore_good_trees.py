"""
An explorer of all good trees, in one page
==========================================

All trees that are at most 5 % worse than the best one, as a page in which one of them can be chosen: it shows every
split that still leads to a good tree, and what it costs to do without a column.

The rows are 6907 people who were arrested in Broward County, Florida, in 2013 and 2014; the target is whether they
were arrested again within two years. Where they are from: :doc:`all_good_trees`.
"""

# sphinx_gallery_thumbnail_path = "_static/explorer-start.png"
from pathlib import Path

import polars as pl

from hornbeam import RashomonSetClassifier
from hornbeam.explorer import Engine, page_of

path = Path("compas.csv")
if not path.exists():  # the script was started elsewhere
    path = Path(__file__).with_name(path.name)
table = pl.read_csv(path)
X = table.drop("target")
y = table["target"].replace_strict({0: "not arrested", 1: "arrested"})
classifier = RashomonSetClassifier(epsilon=0.05, regularization=0.01, max_depth=3).fit(X, y)
page = page_of(Engine(classifier, name="Arrested again within two years?"))
print(f"{classifier.n_trees_:,} good trees in a page of {len(page) // 1000} kB")

# %%
# ``page`` is the text of an HTML file that needs no server and no network. This one is live. Click on a node of the
# tree, then on another split. Or ask under *Filter* what it costs to do without a column: without age, 211 trees are
# left, and the best of them is 1.7 % worse than the best of all; no good tree does without the number of earlier
# arrests.
#
# .. raw:: html
#
#    <iframe class="live" src="../../good_trees.html" loading="lazy" title="Explorer of all good trees"></iframe>
#    <p><a href="../../good_trees.html">The explorer on a page of its own</a></p>
#
# On the command line, ``hornbeam explore compas.csv --target target --max-depth 3 --export page.html`` writes such a
# page. Without ``--export`` it comes from a server on your own machine, for sets of any size and with the accuracy on
# test rows.
