"""How deep a tree must be allowed to grow to be as expressive as an ensemble."""

from __future__ import annotations

from math import ceil, log, log2

from hornbeam.fitting.parameters import check_integer


def sufficient_depth(n_members: int, vc_dimension: int) -> int:
    """Return a depth at which trees are at least as expressive as a weighted vote of base models.

    This is the guess of theorem 4.2 for `max_depth`. It is safe but loose: trees of depth 3 to 5 are usually as
    accurate.

    Parameters
    ----------
    n_members : int
        Number of base models in the ensemble, at least 3.
    vc_dimension : int
        VC dimension of a base model, at least 3. The paper uses ``2 ** depth`` for trees: 8 for trees of depth 3.

    Returns
    -------
    int
        ``ceil(log2((K V + K) (3 ln(K V + K) + 2)))`` for K members of VC dimension V.

    Raises
    ------
    TypeError
        If an argument is not an integer.
    ValueError
        If an argument is less than 3.

    References
    ----------
    .. [1] H. McTavish et al., "Fast Sparse Decision Tree Optimization via Reference Ensembles", AAAI 2022: theorem 4.2.

    Examples
    --------
    >>> sufficient_depth(n_members=10, vc_dimension=8)
    11
    """
    members = check_integer("n_members", n_members, least=3)
    size = members * (check_integer("vc_dimension", vc_dimension, least=3) + 1)
    return ceil(log2(size) + log2(3 * log(size) + 2))
