"""Run the code of README and of the site's pages, and compare what it prints with what the page shows.

`python tools/code_blocks.py [--write] [PAGE ...]`, by default all pages. With `--write`, a page that shows something
else is changed to show what its code prints. Seconds and megabytes are not compared.
"""

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import hornbeam.cli
from hornbeam import NotProvenWarning

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")]
PAGES = WRITTEN + [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not {"generated", "notes"} & set(path.relative_to(ROOT / "docs").parts)
]
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
DIRECTIVE = re.compile(r"^\{[\w:-]+\}$")
VARIES = re.compile(r"\d[\d,.]*(?= (?:s|ms|MB)\b)")
# Commands that are not run: they install, or take long. Those of `make` are checked for their target.
NOT_RUN = (
    "git clone",
    "cd ",
    "python -m pip install",
    "python -m benchmarks",
    "hornbeam explore",
    ".venv/bin/pre-commit install",
)


class Page:
    """The blocks of a page, run one after the other in one namespace."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.faults: list[str] = []
        self.printed = ""  # by the last block of Python, until a block of text shows it

    def run(self) -> str:
        """Run the page; return what it should be."""
        text = self.path.read_text()
        parts, end = [], 0
        for block in FENCE.finditer(text):
            if block[1] != "text":
                parts.append(self.show_the_rest())
            parts += [text[end : block.start(2)], self.shown(block[1], block[2]), "```"]
            end = block.end()
        return "".join([*parts, self.show_the_rest(), text[end:]])

    def show_the_rest(self) -> str:
        """Return a block of text with what was printed and is not shown."""
        printed, self.printed = self.printed, ""
        if printed:
            self.faults.append(f"{self.path.name} does not show what its code printed:\n{printed}")
        return f"\n\n```text\n{printed}```" if printed else ""

    def shown(self, language: str, block: str) -> str:
        """Return what a block should be."""
        if language == "text":
            printed, self.printed = self.printed, ""
            return self.compared(block, printed)
        if language == "python":
            self.printed = self.run_python(block)
        elif language in ("sh", "console"):
            return self.run_commands(block)
        elif not DIRECTIVE.match(language) and (language or self.path.name != "ARCHITECTURE.md"):  # it has a drawing
            self.faults.append(f"{self.path.name}: nobody checks blocks of {language!r}")
        return block

    def compared(self, block: str, printed: str) -> str:
        """Return what was printed if the block differs from it, else the block."""
        if comparable(block) == comparable(printed):
            return block
        self.faults.append(f"{self.path.name} shows:\n{block}but its code printed:\n{printed}")
        return printed

    def run_python(self, block: str) -> str:
        """Run a block of Python and return what it printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block, self.path.name, "exec"), self.names)
        return out.getvalue()

    def run_commands(self, block: str) -> str:
        """Run each command; return the block with what they print where it shows any output."""
        if "$ " not in block:
            for line in block.replace("\\\n", "").splitlines():
                self.run_command(line)
            return block
        parts = []
        for part in re.split(r"^(?=\$ )", block, flags=re.M):
            command = re.match(r"(?:.*\\\n)*.*\n?", part)
            assert command is not None
            expected = part[command.end() :]
            printed = self.run_command(command[0].removeprefix("$ ").replace("\\\n", ""))
            parts += [command[0], self.compared(expected, printed) if expected else ""]
        return "".join(parts)

    def run_command(self, command: str) -> str:
        """Run one command and return what it prints."""
        words = shlex.split(command, comments=True)
        if not words or command.startswith(NOT_RUN):
            return ""
        if words[0] == "make":
            target = re.escape(words[1].replace("installed-test", "installed-%"))
            if not re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M):
                self.faults.append(f"{self.path.name}: no target {words[1]}")
            return ""
        if words[0].removeprefix(".venv/bin/") != "hornbeam":
            self.faults.append(f"{self.path.name}: nobody checks {command!r}")
            return ""
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
            code = hornbeam.cli.main(words[1:])
        if code:
            raise RuntimeError(f"{command!r} ends with {code}\n{errors.getvalue()}")
        return out.getvalue()


def comparable(text: str) -> str:
    """Return a text without what differs from run to run or cannot be seen."""
    return " ".join(VARIES.sub("#", text).split())


def check(path: Path, *, write: bool) -> list[str]:
    """Run a page in a folder of its own, which has the examples; return what is wrong."""
    page, here = Page(path), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder, "examples"))
        os.chdir(folder)
        try:
            text = page.run()
        except Exception:
            return [*page.faults, f"{path.name} ends with\n{traceback.format_exc()}"]
        finally:
            os.chdir(here)
    if write and text != path.read_text():
        path.write_text(text)
    return page.faults


def main() -> int:
    """Check the pages that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    os.environ["MPLBACKEND"] = "agg"
    warnings.simplefilter("error", NotProvenWarning)  # a reader would see it above the output
    faults = [fault for path in arguments.pages or PAGES for fault in check(path.resolve(), write=arguments.write)]
    print(*faults, sep="\n\n", end="\n" * bool(faults))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
