"""
The tree as SQL
===============

Score rows inside a database: the tree as a CASE expression, compared with the tree in Python.
"""

import sqlite3

import matplotlib.pyplot as plt

from hornbeam import GOSDTClassifier
from hornbeam.datasets import load_monk
from hornbeam.plotting import plot_tree

robots = load_monk(1)
classifier = GOSDTClassifier(regularization=0.005).fit(robots.data, robots.target)

# The array has no column names; the tree names them x0, x1, ...
names = classifier.tree_.columns.names
database = sqlite3.connect(":memory:")
database.execute(f"CREATE TABLE robots ({', '.join(names)})")
database.executemany(f"INSERT INTO robots VALUES ({', '.join('?' * len(names))})", robots.data.tolist())

expression = classifier.tree_.to_sql()
print(expression)
by_sql = [row[0] for row in database.execute(f"SELECT {expression} FROM robots ORDER BY rowid")]
by_python = classifier.predict(robots.data).tolist()
print("the same prediction in", sum(map(lambda a, b: a == b, by_sql, by_python)), "of", len(by_python), "rows")

plot_tree(classifier.tree_, title="MONK's problem 1")
plt.show()
