"""Which module may use which: the two tables below are the only place that says so.

A C++ file uses the modules of the headers that it includes and of the names that reach it through them.
"""

import sys
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from module_uses import Use, cpp_uses, python_uses

ROOT = Path(__file__).resolve().parent.parent
Table: TypeAlias = dict[str, set[str]]

BELOW_SEARCH = {"base", "bounds", "data", "kernels", "models", "rows", "run", "table", "tree"}
MAY_INCLUDE = {
    "base": set(),
    **{module: {"base"} for module in ("models", "table", "tree")},
    **{"run": {"base", "tree"}, "bounds": {"base", "models"}, "packing": {"base", "bounds", "run"}},
    "pricing": {"base", "bounds", "kernels", "run"},
    **{"kernels": {"base", "bounds", "models"}, "data": {"base", "kernels", "run"}},
    "rows": {"base", "bounds", "data", "kernels", "models", "packing", "pricing", "run"},
    "shallow": {"base", "bounds", "data", "kernels", "models", "rows", "run", "table"},
    "search": BELOW_SEARCH | {"packing", "pricing", "primal", "shallow"},
    "sorted": {"base", "data", "kernels", "models", "run"},
    "ordered": {"base", "bounds", "data", "kernels", "packing", "primal", "run", "sorted", "table", "tree"},
    "primal": {"base", "data", "kernels", "lookahead", "models", "rows", "run", "sorted", "tree"},
    "leafsets": {"base", "bounds", "data", "models", "run", "tree"},
    "lookahead": BELOW_SEARCH,
    "posterior": BELOW_SEARCH,
    "rashomon": BELOW_SEARCH | {"lookahead", "shallow"},
    "verify": {"base", "data"},
    "api": BELOW_SEARCH - {"bounds", "kernels"}
    | {"leafsets", "lookahead", "ordered", "posterior", "primal", "rashomon", "search", "sorted", "verify"},
    "bindings": {"api", "base", "data", "kernels", "leafsets", "lookahead", "ordered", "posterior", "rashomon", "run"}
    | {"search", "sorted", "table", "tree"},
}

MAY_IMPORT = {
    **{name: set() for name in ("_dates", "exceptions", "_budget", "_checks", "_keywords", "_user_frame", "datasets")},
    **{"policy": {"_checks", "fitting", "table", "tree"}, "frontier": {"_budget", "_checks", "fitting", "tree"}},
    "columns": {"_dates", "_user_frame", "exceptions", "table"},
    **{"objectives": {"_checks"}, "survival": {"_checks"}, "conditions": {"_dates", "table"}, "__main__": {"cli"}},
    **{"_flags": {"_core"}, "cluster": {"_core"}, "table": {"_checks", "_dates", "_flags", "_user_frame"}},
    "tree": {"_checks", "_core", "conditions", "survival", "table"},
    "plotting": {"_checks", "conditions", "survival", "table", "tree"},
    "export": {"_checks", "_dates", "conditions", "table", "tree"},
    "binarizers": {"_budget", "_checks", "_core", "_dates", "_keywords", "conditions", "table"},
    "posterior": {"_checks", "_core", "binarizers", "conditions", "table", "tree"},
    "fitting": {"_budget", "_checks", "_core", "_user_frame", "binarizers", "cluster", "columns", "conditions"}
    | {"exceptions", "objectives", "survival", "table", "tree"},
    "streaming": {"_budget", "_checks", "_core", "_dates", "_flags", "binarizers", "fitting", "table"},
    "reductions": {"_checks", "_core", "binarizers", "fitting", "objectives"},
    "rashomon": {"_budget", "_checks", "_core", "binarizers", "export", "fitting", "objectives", "plotting"}
    | {"reductions", "table", "tree"},
    "estimators": {"_budget", "_checks", "_core", "_keywords", "_user_frame", "binarizers", "cluster", "columns"}
    | {"exceptions", "fitting", "frontier", "objectives", "plotting", "posterior", "rashomon", "reductions"}
    | {"streaming", "survival", "table", "tree"},
    "explorer": {"_checks", "_core", "_dates", "binarizers", "conditions", "export", "plotting", "rashomon", "table"}
    | {"tree"},
    "cli": {"_budget", "binarizers", "columns", "estimators", "exceptions", "explorer", "export", "fitting"}
    | {"plotting", "policy", "streaming", "survival", "tree"},
    "hornbeam": {"binarizers", "columns", "estimators", "exceptions", "frontier", "plotting", "policy", "posterior"}
    | {"survival", "tree"},
}


def forbidden(uses: Iterable[Use], table: Table) -> Iterator[str]:
    """Name every use that the table does not allow."""
    for path, module, target, name in uses:
        if module not in table:
            yield f"{path}: {module} has no row in the table of {Path(__file__).name}"
        elif target not in table[module] | {module}:
            yield f"{path}: {module} may not use {target} ({name})"


def stale(uses: Iterable[Use], table: Table) -> Iterator[str]:
    """Name every permission that no file uses, and a cycle of permissions."""
    found = {(module, target) for _, module, target, _ in uses}
    for module, target in ((module, target) for module, targets in table.items() for target in sorted(targets)):
        if (module, target) not in found:
            yield f"{Path(__file__).name}: {module} never uses {target}: remove the permission"
    try:
        TopologicalSorter(table).prepare()
    except CycleError as error:
        yield f"{Path(__file__).name}: a cycle of permissions: {' -> '.join(error.args[1])}"


def faults(root: Path) -> Iterator[str]:
    """Name every use without a permission, every permission without a use, and a cycle of permissions."""
    for uses, table in ((cpp_uses(root / "cpp"), MAY_INCLUDE), (python_uses(root / "src/hornbeam"), MAY_IMPORT)):
        known = list(uses)
        yield from chain(forbidden(known, table), stale(known, table))


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
