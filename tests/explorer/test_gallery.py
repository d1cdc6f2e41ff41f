"""The explorer that is live in the gallery."""

import re

from tests.explorer.conftest import ROOT
from tests.explorer.test_browser import choose, tab, wait_for_count


def test_the_page_in_the_gallery_shows_what_its_example_says(open_page, monkeypatch, tmp_path):
    for folder in ("tools", "docs"):
        monkeypatch.syspath_prepend(ROOT / folder)
    import pages

    pages.write(ROOT, tmp_path)
    said = re.sub(r"\n# ", " ", (ROOT / "examples/explore_good_trees.py").read_text(encoding="utf-8"))
    left, cost = re.search(r"without age, (\d+) trees are left, and the best of them is (.*?) worse", said).groups()
    name = re.search(r'<iframe class="live" src="\.\./\.\./(.*?)"', said)[1]
    page = open_page((tmp_path / "live" / name).as_uri(), offline=True)
    wait_for_count(page, 3495)
    choose(page, "F")
    page.locator(".hb-choice").nth(1).click()
    page.wait_for_selector(".hb-fixed")
    page.click("text=Best tree")
    tab(page, "Filter")
    page.select_option('[aria-label="Use of age"]', "never")
    wait_for_count(page, left)
    assert cost in page.inner_text('[data-figure="objective"]')
    page.click("text=Remove all filters")
    page.select_option('[aria-label="Use of priors_count"]', "never")
    page.wait_for_selector("text=No good tree is left")
