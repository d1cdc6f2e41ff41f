"""The explorer as one file that works without a server: all trees of a small set are in it."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from hornbeam.explorer.engine import Engine
from hornbeam.explorer.sources import sources_of

MOST_TREES = 10_000
MOST_ROWS = 50_000


def page_of(engine: Engine) -> str:
    """Return the explorer of a set as one HTML file, which needs no network.

    The page has all trees of the set, and for each training row its class, its weight and which conditions it meets,
    but not the table itself.

    Parameters
    ----------
    engine : Engine
        Of a set of at most `MOST_TREES` trees and `MOST_ROWS` training rows.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the set is larger.
    """
    data = json.dumps(listing_of(engine), ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    script = _static("file.js").replace("</script", "<\\/script")
    style = _static("explorer.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content="{escape(policy)}" />
    <title>{escape(engine.name)}</title>
    <style>{style}</style>
  </head>
  <body class="hb-page">
    <div id="explorer"></div>
    <script type="application/json" id="listing">{data}</script>
    <script>{script}</script>
  </body>
</html>
"""


def listing_of(engine: Engine) -> dict[str, Any]:
    """Return what the page knows of a set; see `Listing` in ``explorer/src/listed.ts``."""
    trees, problem = engine.session.trees, engine.problem
    if trees.n_trees > MOST_TREES:
        raise ValueError(
            f"a page without a server can hold {MOST_TREES:,} trees, but the set has {trees.n_trees:,}: lower epsilon "
            "or max_depth, or raise regularization."
        )
    if len(problem.codes) > MOST_ROWS:
        raise ValueError(f"a page without a server can hold {MOST_ROWS:,} training rows, got {len(problem.codes):,}.")
    about = engine.answer({"method": "about"})
    listed = []
    for number in range(trees.n_trees):
        arrays = trees._arrays(number)
        nested, leaves, depth = _nested({name: array.tolist() for name, array in arrays.items()})
        listed.append({"tree": nested, "objective": trees.objective(number), "leaves": leaves, "depth": depth})
    return {
        "about": {
            **about,
            "test_rows": 0,
            "is_listed": True,
            "lacks": {**about["lacks"], "leaving": "What splits outside the set would cost is not known to this page."},
        },
        "trees": listed,
        "columns": [b64encode(bits.tobytes()).decode() for bits in problem.columns],
        "codes": problem.codes.tolist(),
        "weights": problem.weights.tolist(),
        "sources": sources_of(engine),
        "importance": engine.answer({"method": "importance", "exact": True}),
    }


def _nested(arrays: dict[str, Any], node: int = 0) -> tuple[Any, int, int]:
    """Return a tree as nested lists (column, sides, prediction), its number of leaves and its depth."""
    if arrays["column"][node] < 0:
        return arrays["prediction"][node], 1, 0
    yes, n_yes, depth_yes = _nested(arrays, arrays["left"][node])
    no, n_no, depth_no = _nested(arrays, arrays["right"][node])
    return [arrays["column"][node], yes, no, arrays["prediction"][node]], n_yes + n_no, 1 + max(depth_yes, depth_no)


def _static(name: str) -> str:
    return files("hornbeam.explorer").joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
