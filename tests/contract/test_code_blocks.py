"""What README and the pages of the site show is run: code gives the output beside it, commands work, links lead on."""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
from pathlib import Path

import polars as pl
import pytest
from sklearn.datasets import load_iris

from hornbeam.cli import main

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")]
PAGES = WRITTEN + [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if not {"generated", "notes"} & set(path.relative_to(ROOT / "docs").parts)
]
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```$", re.M | re.S)
DIRECTIVE = re.compile(r"^\{[\w:-]+\}$")
CHECKER, OPTIONS = doctest.OutputChecker(), doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# What is no command of hornbeam: `make` is checked for its target, the others are too slow or for once.
NOT_RUN = ("pip install", "python -m benchmarks", ".venv/bin/pre-commit install")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the examples and what readers are told to bring: data.csv, whose column `column` is the target."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    credit = pl.read_csv("examples/credit_approval.csv")
    credit.select("A8", "A9", "A10", "A11", "A12", column="target").write_csv("data.csv")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_of_a_page_gives_what_stands_behind_it(path, folder):
    X, y = load_iris(return_X_y=True, as_frame=True)  # what README calls X, y
    names = {"__name__": "page", "X": X, "y": y}
    said = None
    for language, block in FENCE.findall(path.read_text()):
        if language == "text":
            assert said is not None, "a text block without code before it"
            assert CHECKER.check_output(block, said, OPTIONS), f"{block}\nbut got\n{said}"
            said = None
        elif language == "python":
            said = printed(lambda block=block: exec(compile(block, str(path), "exec"), names))
        elif language in ("sh", "console"):
            run_commands(block)
            said = None
        elif language or path.name != "ARCHITECTURE.md":  # which has a drawing
            assert DIRECTIVE.match(language), f"nobody checks blocks of {language}"


def run_commands(block: str) -> None:
    """Run each command and compare what stands below it, if anything does, with what it prints."""
    block = block.replace("\\\n", "")
    has_output = "$ " in block
    for part in re.split(r"^\$ ", block, flags=re.M) if has_output else block.splitlines():
        command, _, expected = part.partition("\n")
        words = shlex.split(command, comments=True)
        if not words or command.startswith(NOT_RUN):
            continue
        if words[0] == "make":
            makefile = (ROOT / "Makefile").read_text()
            target = words[1].replace("installed-test", "installed-%")
            assert re.search(rf"^{re.escape(target)}:", makefile, re.M), f"no target {target}"
            continue
        assert words[0].removeprefix(".venv/bin/") == "hornbeam", f"nobody checks {command!r}"
        codes = []
        said = printed(lambda words=words, codes=codes: codes.append(main(words[1:])))
        assert codes == [0], command
        assert not expected or CHECKER.check_output(expected, said, OPTIONS), f"{expected}\nbut got\n{said}"


def printed(run) -> str:
    """Return what a function prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run()
    return out.getvalue()


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_links_to_files_of_the_repository_lead_to_some(path):
    """Those between pages of the site are checked by Sphinx."""
    text = path.read_text()
    targets = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text) + re.findall(r'src="(?!https?://)([^"]+)"', text)
    assert [target for target in targets if not os.path.exists(path.parent / target)] == []


LINKED = sorted(
    path
    for pattern in ("*.md", "*.cff", "docs/**/*.md", "docs/**/*.rst", "docs/*.bib", "examples/*", "src/**/*.py")
    for path in ROOT.glob(pattern)
    if "generated" not in path.parts
)


def test_addresses_elsewhere_have_a_form_that_can_be_right():
    """Whether they answer is asked by `make links`, which needs the network."""
    text = "\n".join(path.read_text("utf-8") for path in LINKED)
    found = {address.rstrip(".,") for address in re.findall(r"\w+://[^\s)\"'`>\]}]*", text)}
    found = {address for address in found if not address.startswith("file://")}
    assert len(found) >= 8
    right = re.compile(r"https://(?!www\.)[a-z0-9-]+(\.[a-z0-9-]+)+(/[\w./~%-]*)?(#[\w.-]+)?")
    assert [address for address in sorted(found) if not right.fullmatch(address)] == []
