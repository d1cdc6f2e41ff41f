"""The pages that are made from other files hold what these say."""

import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def pages(monkeypatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "tools")
    monkeypatch.syspath_prepend(ROOT / "docs")
    import pages

    return pages


def test_every_bound_has_an_anchor_and_links_to_others_lead_to_one(pages):
    text = pages.bounds_page(ROOT)
    anchors = {f"(bound-{path.stem.replace('_', '-')})=" for path in ROOT.glob("cpp/bounds/*.hpp")}
    assert len(anchors) > 5
    assert anchors <= set(text.splitlines())
    linked = {link.partition(")")[0] for link in text.split("](#")[1:]}
    assert linked
    assert all(f"({link})=" in text for link in linked)


def test_what_a_comment_says_is_kept_as_plain_text_with_citations(pages):
    said = "n(x \\ y) * q_u < 1, see [hu2019osdt, theorem 3] and bounds/second_split.hpp"
    assert pages.markdown(said) == (
        r"N(x \\ y) \* q\_u \< 1, see {cite:t}`hu2019osdt` (theorem 3) and [second split](#bound-second-split)"
    )


def test_every_example_has_a_place_in_the_gallery(pages):
    assert sorted(pages.EXAMPLES) == sorted(path.stem for path in ROOT.glob("examples/*.py"))


def test_the_citation_names_this_version_and_papers_of_the_bibliography():
    citation, bibliography = (
        (ROOT / "CITATION.cff").read_text("utf-8"),
        (ROOT / "docs/references.bib").read_text("utf-8"),
    )
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    assert f"\nversion: {version}\n" in citation
    assert f"\n## {version} - " in (ROOT / "CHANGELOG.md").read_text()
    titles = re.findall(r'  title: "?([^"\n]*)', citation.replace("\\", "").replace("“", "``").replace("”", "''"))
    assert len(titles) >= 5
    assert [title for title in titles if title not in re.sub(r"[{}]", "", " ".join(bibliography.split()))] == []
    assert set(re.findall(r"    url: (.*)", citation)) <= set(re.findall(r"url *= \{(.*)\}", bibliography))


@pytest.mark.parametrize("word", ["overfit", "regularization", "slow", "confidence", "imbalanced", "regression"])
def test_a_page_of_the_user_guide_has_a_title_with_what_users_search_for(word):
    titles = [path.read_text("utf-8").partition("\n")[0].lower() for path in ROOT.glob("docs/guide/*.md")]
    assert any(word in title for title in titles)


def test_pages_for_developers_are_apart_from_those_for_users():
    menus = re.findall(r"```\{toctree\}\n(.*?)```", (ROOT / "docs/index.md").read_text("utf-8"), re.S)
    (developers,) = (menu for menu in menus if ":caption: Developers" in menu)
    assert developers.split()[-2:] == ["extend", "notes"]
    assert not any({"extend", "notes"} & set(menu.split()) for menu in menus if menu is not developers)


def test_the_start_page_shows_the_text_of_readme():
    start, readme = (ROOT / "docs/index.md").read_text("utf-8"), (ROOT / "README.md").read_text("utf-8")
    marks = re.findall(r'-(?:after|before): "(.*)"', start)
    assert len(marks) == 2
    assert all(readme.count(mark) == 1 for mark in marks)
    claim = "small enough to read, with a proof that no better one exists"
    assert claim in " ".join(readme.split())
    assert claim in " ".join(start.split())


def test_the_files_that_the_map_of_the_code_names_are_there():
    named = re.findall(r"`(\w+(?:/\w+)*/?(?:\.\w+)?)`", (ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    paths = [name for name in named if re.search(r"/|\.(py|[ch]pp|inl)$", name)]
    assert len(paths) > 50
    folders = [ROOT, ROOT / "src/hornbeam", ROOT / "cpp"]
    assert [path for path in paths if not any((folder / path).exists() for folder in folders)] == []
