"""The GOSDT paper's trees for six objectives on the FourClass data, and the times it took PyGOSDT elsewhere."""

from __future__ import annotations

from hornbeam import ThresholdBinarizer

NAME = "fourclass"
PRICE = 0.01
BINARIZER = ThresholdBinarizer(thresholds=dict.fromkeys(("feature1", "feature2"), (50, 100, 150)))

PUBLISHED = "times of PyGOSDT"
PRICE_OF_TIMES = 1 / 32
# Binarization for us; rows and columns of PyGOSDT's largest fit within 300 s, and its seconds.
TIMES = {"bar7.bin": ("binary", 1721, 28, 280.0), "compas2016": ("midpoints", 4518, 75, 69.7)}
