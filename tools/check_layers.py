"""Which folder may use which: the two tables below are the only place that says so."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BELOW_SEARCH = {"base", "bounds", "data", "kernels", "rows", "run", "table", "tree"}
MAY_INCLUDE = {
    "base": set(),
    "tree": {"base"},
    "run": {"base", "tree"},
    "bounds": {"base"},
    "kernels": {"base", "bounds"},
    "data": {"base", "kernels", "run"},
    "table": {"base"},
    "rows": {"base", "bounds", "data", "kernels", "run"},
    "shallow": {"base", "bounds", "data", "kernels", "rows", "run", "table"},
    "search": BELOW_SEARCH | {"shallow"},
    "ordered": {"base", "data", "kernels", "run", "tree"},
    "leafsets": {"base", "bounds", "data", "run", "tree"},
    "lookahead": BELOW_SEARCH,
    "posterior": BELOW_SEARCH,
    "rashomon": BELOW_SEARCH | {"lookahead", "shallow"},
    "verify": {"base", "data"},
    "api": BELOW_SEARCH | {"leafsets", "lookahead", "ordered", "posterior", "rashomon", "search", "verify"},
    "bindings": {"api", "base", "data"},
}

READING = {"conditions", "export", "plotting", "table", "tree"}
MAY_IMPORT = {
    "_dates": set(),
    "exceptions": set(),
    "_budget": set(),
    "_checks": set(),
    "objectives": {"_checks"},
    "_flags": {"_core"},
    "table": {"_checks", "_dates", "_flags"},
    "datasets": set(),
    "_units": {"_checks", "_core", "objectives"},
    "columns": {"_dates", "exceptions", "table"},
    "conditions": {"_dates", "table"},
    "tree": {"_core", "conditions", "table"},
    "export": {"_checks", "_dates", "conditions", "table", "tree"},
    "plotting": {"_checks", "conditions", "table", "tree"},
    "binarizers": {"_budget", "_checks", "_core", "_dates", "_units", "conditions", "table"},
    "posterior": {"_checks", "binarizers", "conditions", "table", "tree"},
    "estimators": {"_budget", "_checks", "_core", "_units", "binarizers", "columns", "conditions", "exceptions"}
    | {"export", "objectives", "plotting", "posterior", "table", "tree"},
    "__main__": {"cli"},
    "cli": {"binarizers", "columns", "estimators", "exceptions", "hornbeam"} | READING,
    "hornbeam": {"binarizers", "columns", "datasets", "estimators", "exceptions", "posterior"} | READING,
}


def included(path: Path) -> Iterator[str]:
    """Name the modules of the core that a C++ file includes."""
    yield from re.findall(r'^\s*#\s*include\s+"([a-z_]+)/', path.read_text(), re.M)


def imported(path: Path) -> Iterator[str]:
    """Name the modules of the package that a Python file imports, unless for type checkers only."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    branches = (node for node in nodes if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    for node in set(nodes).difference(*map(ast.walk, branches)):
        match node:
            case ast.ImportFrom(module="hornbeam"):
                yield from (name.name if name.name.islower() else "hornbeam" for name in node.names)
            case ast.ImportFrom(module=str(module)) if module.startswith("hornbeam."):
                yield module.split(".")[1]
            case ast.Import():
                yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("hornbeam."))


def faults(root: Path) -> Iterator[str]:
    """Say every use that the tables do not allow."""
    for path in sorted(root.glob("cpp/*/**/*.*")):
        yield from judged(path, path.relative_to(root / "cpp").parts[0], included(path), MAY_INCLUDE)
    for path in sorted(root.glob("src/hornbeam/**/*.py")):
        module = path.relative_to(root / "src/hornbeam").parts[0].removesuffix(".py").replace("__init__", "hornbeam")
        yield from judged(path, module, imported(path), MAY_IMPORT)


def judged(path: Path, module: str, used: Iterator[str], table: dict[str, set[str]]) -> Iterator[str]:
    """Say what `path` of `module` uses against the table."""
    if module not in table:
        yield f"{path}: {module} has no row in the table of {Path(__file__).name}"
    for target in sorted(set(used) - table.get(module, set()) - {module}):
        yield f"{path}: {module} may not use {target}"


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
