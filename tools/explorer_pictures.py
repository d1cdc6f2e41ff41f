"""Take the pictures of docs/guide/explorer.md in Chromium: ``python tools/explorer_pictures.py``.

Needs the extra ``explore``, the package playwright and Debian's chromium.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "_static"
COMMAND = ("explore", "examples/compas.csv", "--target", "target", "--epsilon", "0.1", "--no-browser")


@contextmanager
def served() -> Iterator[str]:
    """Run the command of the page; yield the address that it prints."""
    with subprocess.Popen(
        [sys.executable, "-m", "hornbeam", *COMMAND], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        found = next(filter(None, (re.search(r"http://\S+", line) for line in run.stdout)))
        try:
            yield found[0]
        finally:
            run.terminate()


def take(page: Page, name: str) -> None:
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / f"explorer-{name}.png")


def main() -> None:
    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.goto(url)
        page.wait_for_selector(".hb-node")
        take(page, "start")
        page.click('[data-place="F"]')
        page.wait_for_selector(".hb-choice")
        take(page, "build")
        page.click('role=tab[name="Filter"]')
        page.wait_for_selector(".hb-columns button[aria-label]")
        page.locator(".hb-columns button[aria-label]").evaluate_all("all => all.forEach(one => one.click())")
        page.wait_for_function("() => !document.querySelector('.hb-cost button')")
        take(page, "filter")
        page.select_option('[aria-label="Use of age"]', "never")
        page.wait_for_function("() => document.querySelector('[data-place=\"\"]').ariaLabel.includes('juvenile')")
        take(page, "without-age")
        page.click("role=tab[name=/^Take away/]")
        with page.expect_download() as download:
            page.click('[data-format="report"]')
        with TemporaryDirectory() as folder:
            path = Path(folder, "report.html")
            download.value.save_as(path)
            report = browser.new_page(viewport={"width": 820, "height": 1100})
            report.goto(path.as_uri())
            report.screenshot(path=PICTURES / "explorer-report.png", full_page=True)
        page.click("text=Undo")
        page.click('role=tab[name="Overview"]')
        page.wait_for_selector(".hb-reliance li")
        page.set_viewport_size({"width": 1280, "height": 1260})
        take(page, "overview")
        browser.close()


if __name__ == "__main__":
    main()
