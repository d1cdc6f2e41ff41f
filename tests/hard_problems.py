"""Tables on which no exact search ends soon."""

import numpy as np

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.integers(0, 2, (400, 40)), RANDOM.integers(0, 2, 400)
NUMBERS = RANDOM.normal(size=(400, 6))
