"""What README and the pages of the site show is run, where README's readers would run it; links lead on."""

import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from code_blocks import PAGES, WRITTEN, check  # noqa: E402

DOCTESTS = """
import doctest, importlib, pkgutil, sys
import hornbeam
names = [module.name for module in pkgutil.walk_packages(hornbeam.__path__, "hornbeam.")]
results = [doctest.testmod(importlib.import_module(name)) for name in names]
sys.exit(any(result.failed for result in results) or sum(result.attempted for result in results) < 100)
"""
TRACES = """
import os, sys, warnings
import pandas
print(os.getcwd(), len(warnings.filters), hasattr(pandas, "trace"))
os.chdir("/")
warnings.simplefilter("error")
pandas.trace = True
matplotlib
"""
PAGE = """```python
print("the tree")
```

```text
the tree
```
"""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_of_a_page_prints_what_the_page_shows(path, run_as_reader, tmp_path):
    done = run_as_reader(ROOT / "tools/code_blocks.py", path, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_examples_of_the_api_run_with_what_readme_tells_to_install(run_as_reader, tmp_path):
    script = tmp_path / "doctests.py"
    script.write_text(DOCTESTS)
    done = run_as_reader(script, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_page_sees_nothing_of_the_page_before_and_has_to_import_what_it_uses(run_as_reader, tmp_path):
    script = tmp_path / "traces.py"
    script.write_text(TRACES)
    done, again = (run_as_reader(script, cwd=tmp_path) for _ in range(2))
    assert done.returncode == 1
    assert done.stderr.endswith("NameError: name 'matplotlib' is not defined\n")
    assert done.stdout.startswith(f"{tmp_path} ")
    assert done.stdout.endswith(" False\n")
    assert (done.stdout, done.stderr) == (again.stdout, again.stderr)


def test_every_page_names_the_same_packages_to_install():
    told = {
        line
        for path in PAGES
        for line in re.findall(r"\bpip install (?:-q )?'\.(\[[^']*\])'", path.read_text())
        if path.name != "CONTRIBUTING.md"
    }
    assert len(told) == 1
    makefile = (ROOT / "Makefile").read_text()
    assert f"demo: .venv/installed-{told.pop()[1:-1]}\n" in makefile


def test_git_ignores_what_the_code_of_readme_writes_into_the_clone():
    text = (ROOT / "README.md").read_text("utf-8")
    written = {*re.findall(r'savefig\("(.*?)"', text), *re.findall(r"--(?:picture|model|output) (\S+)", text)}
    assert written
    assert {f"/{name}" for name in written} <= {*(ROOT / ".gitignore").read_text().splitlines()}


def test_a_page_that_shows_what_its_code_prints_has_no_faults(tmp_path):
    assert faults(tmp_path, PAGE) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("the tree\n```\n", "another tree\n```\n"), "shows:\nanother tree\nbut its code printed:\nthe tree"),
        (("the tree\n```\n", "...\n```\n"), "shows:\n..."),
        (("```text\nthe tree\n```\n", ""), "does not show what its code printed:\nthe tree"),
        (('print("the tree")', "raise ValueError"), "ends with\nTraceback"),
        (('print("the tree")', "pass"), "shows:\nthe tree\nbut its code printed:\n"),
        (("```python", "```julia"), "nobody checks blocks of 'julia'"),
    ],
)
def test_a_page_that_shows_something_else_is_refused(change, fault, tmp_path):
    assert fault in "\n".join(faults(tmp_path, PAGE.replace(*change)))


def test_seconds_and_megabytes_are_not_compared_but_other_numbers_are(tmp_path):
    page = PAGE.replace('"the tree"', '"0.31 s, 12 leaves, 3.4 MB"')
    assert faults(tmp_path, page.replace("\nthe tree\n", "\n25.0 s, 12 leaves, 1,003 MB\n")) == []
    assert faults(tmp_path, page.replace("\nthe tree\n", "\n25.0 s, 13 leaves, 1,003 MB\n")) != []


@pytest.mark.parametrize("shown", ["```text\nanother tree\n```\n", ""])
def test_a_page_is_rewritten_to_show_what_its_code_prints(shown, tmp_path):
    faults(tmp_path, PAGE.replace("```text\nthe tree\n```\n", shown) + "\nThe end.\n", write=True)
    assert (tmp_path / "page.md").read_text().split() == [*PAGE.split(), "The", "end."]


def faults(folder: Path, text: str, *, write: bool = False) -> list[str]:
    """Return what is wrong with a page."""
    (folder / "page.md").write_text(text)
    return check(folder / "page.md", write=write)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_links_to_files_of_the_repository_lead_to_some(path):
    """Those between pages of the site are checked by Sphinx."""
    text = path.read_text()
    targets = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text)
    targets += re.findall(r'(?:src|srcset)="(?!https?://)([^"]+)"', text)
    assert [target for target in targets if not os.path.exists(path.parent / target)] == []


LINKED = sorted(
    path
    for pattern in ("*.md", "*.cff", "docs/**/*.md", "docs/**/*.rst", "docs/*.bib", "examples/*", "src/**/*.py")
    for path in ROOT.glob(pattern)
    if "generated" not in path.parts
)


def test_addresses_elsewhere_have_a_form_that_can_be_right():
    """`make links` checks whether they answer, which needs the network."""
    text = "\n".join(path.read_text("utf-8") for path in LINKED)
    found = {address.rstrip(".,") for address in re.findall(r"\w+://[^\s)\"'`>\]}]*", text)}
    # Files, machines of the reader, and the name of the namespace of SVG are not addresses elsewhere.
    own = ("file://", "tcp://", "http://127.0.0.1")
    found = {each for each in found if not each.startswith(own) and each != "http://www.w3.org/2000/svg"}
    assert len(found) >= 8
    right = re.compile(r"https://(?!www\.)[a-z0-9-]+(\.[a-z0-9-]+)+(/[\w./~%-]*)?(#[\w.-]+)?")
    assert [address for address in sorted(found) if not right.fullmatch(address)] == []
