"""What the docstrings say is true: their examples run, and they name every parameter."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import hornbeam

MODULES = sorted(module.name for module in pkgutil.walk_packages(hornbeam.__path__, "hornbeam."))
CLASSES = [thing for thing in map(vars(hornbeam).get, hornbeam.__all__) if inspect.isclass(thing)]
PARTS = [
    pytest.param(part, id=f"{owner.__name__}.{name}")
    for owner in CLASSES
    for name, part in inspect.getmembers(owner, inspect.isfunction)
    if not name.startswith("_") and part.__module__.startswith("hornbeam")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_give_what_they_say(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


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
    named = {name.strip() for line in text.splitlines() for name in line.partition(" : ")[0].split(",")}
    return [name for name in inspect.signature(thing).parameters if name not in {"self", "cls"} | named]
