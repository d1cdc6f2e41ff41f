"""Tables of papers, measured again: ``python -m benchmarks paper split | guesses | osdt``.

Here hornbeam runs in the process of the script, since the data are split and made binary anew for each run; `measure`
counts objective and losses from the rows of the tree, as everywhere in the benchmarks.
"""
