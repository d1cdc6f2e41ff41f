"""Settings of the site: `make docs` builds it in build/docs, with warnings as errors."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

import mathml
import pages

import hornbeam

project = "hornbeam"
author = "The hornbeam developers"
copyright = author
version = release = hornbeam.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["notes/README.md"]
default_role = "autolink"  # `GOSDTClassifier` in a docstring leads to its page, `X` is only set apart

html_theme = "furo"
html_title = "hornbeam"
html_static_path = ["_static"]
html_extra_path = ["generated/live"]  # pages that are not Sphinx's
html_logo = "_static/logo.svg"
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_show_sphinx = False
html_math_renderer = "mathml"  # by the browser itself: nothing is fetched from elsewhere
html_theme_options = {
    "sidebar_hide_name": True,
    "light_css_variables": {"color-brand-primary": "#2f6f3e", "color-brand-content": "#2f6f3e"},
    "dark_css_variables": {"color-brand-primary": "#8fd19e", "color-brand-content": "#8fd19e"},
}
pygments_dark_style = "monokai"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
linkcheck_timeout, linkcheck_retries = 20, 2  # of `make links`
suppress_warnings = ["myst.header", "config.cache"]  # notes begin where they like; the gallery's order is a function

# `X` may be a parameter, which has no page; links into the package itself are checked.
nitpick_ignore_regex = [
    ("py:obj", r"(?!hornbeam\.).*"),
    ("py:class", r"integer -- return .*"),  # how Python's own Sequence describes `index` and `count`
]

autodoc_typehints = "none"  # types and shapes are in the docstrings
autosummary_generate = True
templates_path = ["_templates"]
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "pages.order_of_examples",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}


def escape(app, what, name, thing, options, lines):
    """Keep `shape (n_rows, n_features_in_)` from being read as a link, and `.. [1] J. Lin` as item J of a list."""
    for number, line in enumerate(lines):
        if " of shape (" in line:
            line = re.sub(r"(?<=\w)_(?=[,)])", r"\\_", line)
        lines[number] = re.sub(r"^(\s*\.\. \[\d+\] [A-Z])\. ", r"\1\\. ", line)


def setup(app):
    """Write the pages that are made from other files, before Sphinx looks for pages."""
    pages.write(HERE.parent, HERE / "generated")
    app.connect("autodoc-process-docstring", escape, priority=400)  # before numpydoc, at 500
    mathml.setup(app)
