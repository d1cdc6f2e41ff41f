"""What the docstrings say is true: their examples run, and they name every parameter."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import hornbeam
from hornbeam.export import FORMATS

MODULES = sorted(module.name for module in pkgutil.walk_packages(hornbeam.__path__, "hornbeam."))
CLASSES = [thing for thing in map(vars(hornbeam).get, hornbeam.__all__) if inspect.isclass(thing)]
PARTS = [
    pytest.param(part, id=f"{owner.__name__}.{name}")
    for owner in CLASSES
    for name, part in inspect.getmembers(owner, inspect.isfunction)
    if not name.startswith("_") and part.__module__.startswith("hornbeam")
]


API = (Path(__file__).resolve().parents[2] / "docs/api.rst").read_text()
DOCUMENTED = [*re.findall(r"^   (\w[\w.]*)$", API, re.M), *(f"export.to_{name}" for name in FORMATS)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_give_what_they_say(name):
    import matplotlib.pyplot as plt

    assert doctest.testmod(importlib.import_module(name)).failed == 0
    plt.close("all")


@pytest.mark.parametrize("name", DOCUMENTED)
def test_what_the_site_documents_has_an_example_that_is_run(name):
    module, _, last = f"hornbeam.{name}".rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    _, _, examples = inspect.getdoc(thing).partition("Examples\n--------\n")
    assert doctest.DocTestParser().get_examples(examples)
    assert thing.__module__ in MODULES  # so the test above runs it


def test_the_site_documents_everything_public():
    assert sorted({*hornbeam.__all__} - {"__version__"} - {*DOCUMENTED}) == []


@pytest.mark.parametrize("owner", CLASSES)
def test_the_docstring_of_a_class_names_every_parameter(owner):
    if not issubclass(owner, (Warning, tuple)):
        assert undocumented(owner, inspect.getdoc(owner)) == []


@pytest.mark.parametrize("part", PARTS)
def test_the_docstring_of_a_method_names_every_parameter_or_where_to_find_them(part):
    text = inspect.getdoc(part)
    assert text is not None
    assert "see `" in text or undocumented(part, text) == []


def undocumented(thing, text: str) -> list[str]:
    """Return the parameters for which the docstring has no line `name : type`, alone or in a list of names."""
    named = {name.strip(" *") for line in text.splitlines() for name in line.partition(" : ")[0].split(",")}
    return [name for name in inspect.signature(thing).parameters if name not in {"self", "cls"} | named]
