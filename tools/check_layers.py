"""Which folder may use which: the two tables below are the only place that says so."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MAY_INCLUDE = {
    "base": set(),
    "bits": {"base"},
    "data": {"base", "bits"},
    "bounds": {"base"},
    "kernels": {"base", "bits", "bounds"},
    "table": {"base"},
    "search": {"base", "bits", "data", "bounds", "kernels", "table"},
    "verify": {"base", "data"},
    "api": {"base", "bits", "data", "bounds", "kernels", "table", "search", "verify"},
    "bindings": {"base", "api"},
}

MAY_IMPORT = {
    "exceptions": set(),
    "table": set(),
    "datasets": set(),
    "conditions": {"table"},
    "tree": {"conditions", "table"},
    "binarizers": {"conditions", "table"},
    "export": {"conditions", "table", "tree"},
    "plotting": {"conditions", "table", "tree"},
    "_units": set(),
    "_limits": set(),
    "estimators": {"_core", "_limits", "_units", "binarizers", "conditions", "exceptions", "table", "tree"},
    "cli": {"estimators", "binarizers", "conditions", "exceptions", "export", "plotting", "table", "tree"},
    "hornbeam": {"binarizers", "conditions", "exceptions", "estimators", "export", "plotting", "table", "tree"},
}


def included(path: Path) -> Iterator[str]:
    """Name the modules of the core that a C++ file includes."""
    yield from re.findall(r'^\s*#\s*include\s+"([a-z_]+)/', path.read_text(), re.M)


def imported(path: Path) -> Iterator[str]:
    """Name the modules of the package that a Python file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.ImportFrom(module="hornbeam"):
                yield from (name.name if name.name.islower() else "hornbeam" for name in node.names)
            case ast.ImportFrom(module=str(module)) if module.startswith("hornbeam."):
                yield module.split(".")[1]
            case ast.Import():
                yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("hornbeam."))


def faults(root: Path) -> Iterator[str]:
    """Say every use that the tables do not allow."""
    for path in sorted(root.glob("cpp/*/**/*.[ch]pp")):
        yield from judged(path.relative_to(root), path.relative_to(root).parts[1], included(path), MAY_INCLUDE)
    for path in sorted(root.glob("src/hornbeam/**/*.py")):
        module = path.relative_to(root / "src/hornbeam").parts[0].removesuffix(".py").replace("__init__", "hornbeam")
        yield from judged(path.relative_to(root), module, imported(path), MAY_IMPORT)


def judged(path: Path, module: str, used: Iterator[str], table: dict[str, set[str]]) -> Iterator[str]:
    """Say what `path` of `module` uses against the table."""
    if module not in table:
        yield f"{path}: {module} has no row in the table of {Path(__file__).name}"
        return
    for target in sorted(set(used) - table[module] - {module}):
        yield f"{path}: {module} may not use {target}"


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
