"""Which modules a file uses.

A Python file uses the modules that it imports. A C++ file uses those whose headers it includes and those whose names it
uses through other headers; a name that several modules declare counts for none of them.
"""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*#[^\n]*', re.S | re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+"(\w+/[\w./]+)"', re.M)
NAMESPACE = re.compile(r"namespace[\w\s:]*\{")
TEMPLATE = re.compile(r"^\s*template\s*<.*>\s*(?=[a-z])")
TYPE = re.compile(r"\s*(?:struct|class|enum class|enum|union|concept|using)\s+(\w+)")
OTHER = re.compile(r"\b([A-Za-z]\w*)\s*(?:\(|=|$)")  # a function or a constant


class Use(NamedTuple):
    """A file, its module, a module that it uses (also its own), and what shows that."""

    path: Path
    module: str
    target: str
    name: str


class Source:
    """A C++ file: what it includes, declares outside of classes and functions, and mentions."""

    def __init__(self, path: Path, name: str) -> None:
        text = path.read_text(encoding="utf-8")
        self.path, self.module = path, name.partition("/")[0]
        self.includes = INCLUDE.findall(text)
        self.code = NOISE.sub(" ", text)

    @cached_property
    def declared(self) -> set[str]:
        """The names that the file declares in a namespace."""
        text = NAMESPACE.sub("", self.code)
        while (outer := re.sub(r"\{[^{}]*\}", ";", text)) != text:
            text = outer
        statements = (TEMPLATE.sub("", " ".join(statement.split())) for statement in re.split("[;}]", text))
        return {found[1] for statement in statements if (found := TYPE.match(statement) or OTHER.search(statement))}

    @cached_property
    def mentioned(self) -> set[str]:
        """The names that the code uses other than as members; names of functions count only where they are called."""
        return set(re.findall(r"(?<![.>\w])(?:k?[A-Z]\w*|[a-z]\w*(?=\())", self.code))


def cpp_uses(folder: Path) -> Iterator[Use]:
    """Yield the uses of each file of the core."""
    names = {path.relative_to(folder).as_posix(): path for path in sorted(folder.glob("*/**/*.*"))}
    files = {name: Source(path, name) for name, path in names.items()}
    for file in files.values():
        reached = list(file.includes)
        for name in reached:
            reached += [other for other in getattr(files.get(name), "includes", []) if other not in reached]
        owners: dict[str, set[str]] = {}
        for header in (files[name] for name in reached if name in files):
            for name in header.declared & file.mentioned - file.declared:
                owners.setdefault(name, set()).add(header.module)
        uses = {min(modules): name for name, modules in sorted(owners.items()) if len(modules) == 1}
        uses |= {name.partition("/")[0]: name for name in file.includes} | {file.module: ""}
        for module in sorted(uses):
            yield Use(file.path, file.module, module, uses[module])


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


def python_uses(folder: Path) -> Iterator[Use]:
    """Yield the uses of each file of the package."""
    for path in sorted(folder.glob("**/*.py")):
        module = path.relative_to(folder).parts[0].removesuffix(".py").replace("__init__", "hornbeam")
        for target in sorted({module, *imported(path)}):
            yield Use(path, module, target, target)
