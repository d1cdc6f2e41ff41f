"""Write a compile database in which the C++ files of a folder are one, so that clang-tidy reads their headers once.

`python tools/unified_sources.py build/lint cpp` reads build/lint/compile_commands.json and writes the database of the
sources below cpp/ into build/lint/unified. Files with flags of their own stay apart.
"""

import json
import sys
from itertools import groupby
from operator import itemgetter
from pathlib import Path

# Only in a file of this name, the static analyzer of Clang also follows the functions of the sources that it includes.
NAME = "UnifiedSource"
INCLUDE = '// NOLINTNEXTLINE(bugprone-suspicious-include)\n#include "{}"\n'


def unify(build: Path, sources: Path) -> None:
    target = build / "unified"
    target.mkdir(exist_ok=True)
    entries = json.loads((build / "compile_commands.json").read_text())
    placed = [_placed(entry) for entry in entries if Path(entry["file"]).is_relative_to(sources)]
    unified: list[dict[str, str]] = []
    by_folder = itemgetter(0, 1)
    for (folder, flags), group in groupby(sorted(placed, key=by_folder), key=by_folder):
        file = target / f"{NAME}-{folder.name}-{len(unified)}.cpp"
        file.write_text("".join(INCLUDE.format(path.as_posix()) for _, _, path in group))
        unified.append({"directory": str(build), "file": str(file), "command": f"{flags} -c {file}"})
    (target / "compile_commands.json").write_text(json.dumps(unified, indent=1))


def _placed(entry: dict[str, str]) -> tuple[Path, str, Path]:
    """The folder of a source, the command that compiles it without its files, and the source."""
    path = Path(entry["file"])
    return path.parent, entry["command"].split(" -o ")[0], path


if __name__ == "__main__":
    unify(*(Path(argument).resolve() for argument in sys.argv[1:3]))
