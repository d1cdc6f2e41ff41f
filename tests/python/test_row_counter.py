"""The core's counter of rows, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam import _core


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_few_bits_are_counted_however_often_they_come(seed: int) -> None:
    random = np.random.default_rng(seed)
    counter, expected = _core.RowCounter([2, 1]), dict[tuple[int, int], int]()  # in the order of first appearance
    for _ in range(8):
        # Of one row about 255, 256 or 257 at a time, since single rows are counted in bytes.
        n_rows = int(random.choice([1, 254, 255, 256, 257, 600]))
        numbers = np.repeat(random.integers(0, 4, 3), -(-n_rows // 3))[:n_rows].astype(np.uint8)
        flags = (random.random(n_rows) < 0.01).astype(np.uint8)
        counts = random.integers(1, 400, n_rows) if random.random() < 0.4 else None
        counter.add([numbers, flags], counts)
        added = [1] * n_rows if counts is None else counts.tolist()
        for number, flag, n in zip(numbers.tolist(), flags.tolist(), added, strict=True):
            expected[number, flag] = expected.get((number, flag), 0) + n
    assert list(zip(counter.codes(0).tolist(), counter.codes(1).tolist(), strict=True)) == list(expected)
    assert counter.counts().tolist() == list(expected.values())
