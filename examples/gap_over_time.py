"""
The gap closes: objective and lower bound over time
===================================================

At any time, a search has a best tree so far and a lower bound on the objective of every tree. The optimum lies between
them; when they meet, the tree is proven optimal. With ``trace=True`` the classifier records both.
"""

import matplotlib.pyplot as plt

from hornbeam import GOSDTClassifier
from hornbeam.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(return_X_y=True)
classifier = GOSDTClassifier(regularization=0.005, trace=True, time_limit=20.0).fit(X, y)
trace = classifier.trace_
print(
    f"{classifier.status_}: {classifier.objective_:.5f} with {classifier.n_leaves_} leaves, gap {classifier.gap_:.2%}"
)
for share in (0.5, 0.2, 0.1, 0.05, 0.0):
    reached = next((at for at in trace if at.gap <= share), None)
    if reached is not None:
        print(f"gap {share:.0%} after {reached.elapsed:.3f} s and {reached.subproblems:,} subproblems")

seconds = [at.elapsed for at in trace]
upper, lower = [at.objective for at in trace], [at.lower_bound for at in trace]
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.fill_between(seconds, lower, upper, step="post", color="#0072B2", alpha=0.15, label="the optimum is in here")
axes.step(seconds, upper, where="post", color="#0072B2", label="objective of the best tree")
axes.step(seconds, lower, where="post", color="#D55E00", label="lower bound")
axes.set(xlabel="time of the search (seconds)", ylabel="objective: loss + 0.005 per leaf", ylim=(0, None))
axes.set(title="tic-tac-toe, no depth limit")
axes.legend(loc="lower right")
plt.show()
