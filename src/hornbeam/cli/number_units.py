"""Numbers with a unit in the cells of a CSV file, such as 12.5 kg, 3 % and $1,200."""

from __future__ import annotations

import polars as pl

_FEWEST = 3  # distinct values from which a common unit is not a coincidence
_NUMBER_WITH_UNIT = r"^([+-]?)\s*([€$£¥]?)\s*([+-]?[\d.,](?:[\d.,\s']*[\d.,])?)\s*([\p{L}€$£¥°%/²³]{0,8})$"
_CODE = r"^[+-]?0\d"


def unit_of(values: pl.Series) -> str:
    """Return the unit of all values, or "" if they are not numbers with the same unit.

    Parameters
    ----------
    values : polars Series of str
        Distinct values, without spaces around them.

    Returns
    -------
    str
        Such as ``kg``, ``%`` or ``$``.
    """
    if len(values) < _FEWEST:
        return ""
    units = _parts(values).select(pl.col("before") + pl.col("after")).to_series().unique()
    if len(units) != 1 or not units[0] or bool(_digits(values).str.contains(_CODE).any()):
        return ""
    return str(units[0])


def without_unit(values: pl.Series, unit: str) -> pl.Series:
    """Return the values with this unit removed; values that do not have it stay unchanged."""
    has_unit = _parts(values).select((pl.col("before") + pl.col("after") == unit).fill_null(False)).to_series()
    return values.zip_with(~has_unit, _digits(values))


def _parts(values: pl.Series) -> pl.DataFrame:
    groups = values.str.extract_groups(_NUMBER_WITH_UNIT).struct.unnest()
    groups.columns = ["sign", "before", "number", "after"]
    return groups


def _digits(values: pl.Series) -> pl.Series:
    return _parts(values).select((pl.col("sign") + pl.col("number")).alias(values.name)).to_series()
