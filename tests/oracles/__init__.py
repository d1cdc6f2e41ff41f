"""Slow, plain solutions that the tests compare hornbeam with. They import nothing of hornbeam."""
