"""Files have at most 500 lines, functions at most 60. A longer one has a reason on its first line: `long: reason`."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE = 500
MAX_FUNCTION = 60
EXCUSE = re.compile(r"(?://|#) long: \S")
NOT_A_FUNCTION = re.compile(r"^\s*(?:namespace|class|struct|union|enum|extern|concept)\b")
FOLDERS_OF_PYTHON = ("src", "tests", "tools", "examples", "benchmarks")
SOURCES = ("cpp/**/*.[ch]pp", "cpp/**/*.inl", "tests/**/*.[ch]pp", *(f"{name}/**/*.py" for name in FOLDERS_OF_PYTHON))


def python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name each function with its first line and its length without the docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            document = node.body[0] if ast.get_docstring(node) else None
            yield node.name, node.lineno, length(node) - (length(document) if document else 0)


def length(node: ast.stmt) -> int:
    """Count the lines of a statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def blanked(text: str) -> str:
    """Remove comments, strings and directives from C++ source; every line break stays where it is."""
    pattern = r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, lambda found: "\n" * found.group().count("\n"), text, flags=re.S | re.M)


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name each outermost C++ function with its first line and its length: a block whose head has a parameter list."""
    head, depth, open_at, name = "", 0, None, ""
    line = 1
    for token in re.findall(r"[{};\n]|[^{};\n]+", blanked(text)):
        line += token == "\n"
        if open_at is not None:
            depth += (token == "{") - (token == "}")
            if depth == 0:
                yield name, open_at, line - open_at + 1
                open_at, head = None, ""
        elif token == "{" and (found := re.search(r"([\w~]+|operator\S+)\s*\(", head)) and not starts_type(head):
            open_at, depth, name = line - head.count("\n"), 1, found.group(1)
        elif token in "{};":
            head = ""
        elif head or token.strip():
            head += token


def starts_type(head: str) -> bool:
    """Tell a class, struct or namespace from a function by the words before its brace."""
    return bool(NOT_A_FUNCTION.match(re.sub(r"template\s*<[^{]*?>\s*(?=\w)|\brequires\b.*", "", head, flags=re.S)))


def sources(root: Path) -> list[Path]:
    """List the source files of a repository, without those that git ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *(f":(glob){each}" for each in SOURCES)]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(path for path in map(root.joinpath, set(listed)) if path.exists())


def faults(root: Path) -> Iterator[str]:
    """Report every file and function that is too long and gives no reason."""
    for path in sources(root):
        text = path.read_text()
        lines = text.splitlines()
        name = path.relative_to(root)
        if len(lines) > MAX_FILE and not EXCUSE.match(lines[0]):
            yield f"{name}: {len(lines)} lines, at most {MAX_FILE}"
        functions = python_functions(text) if path.suffix == ".py" else cpp_functions(text)
        for function, first, size in functions:
            if size > MAX_FUNCTION and not EXCUSE.search("\n".join(lines[max(first - 2, 0) : first])):
                yield f"{name}:{first}: {function} has {size} lines, at most {MAX_FUNCTION}"


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
