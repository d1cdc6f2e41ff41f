"""Each file of the core is in the namespace of its module: hornbeam::search for cpp/search, hornbeam for cpp/base."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMESPACE = re.compile(r"^namespace (\w[\w:]*) \{", re.M)


def faults(root: Path) -> Iterator[str]:
    """Name every namespace that is not that of the file's module."""
    for path in sorted((root / "cpp").glob("*/**/*.*")):
        module = path.relative_to(root / "cpp").parts[0]
        expected = "hornbeam" if module == "base" else f"hornbeam::{module}"
        for name in NAMESPACE.findall(path.read_text(encoding="utf-8")):
            if name != expected:
                yield f"{path}: namespace {name}, not {expected}"


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
