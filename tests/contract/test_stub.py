"""The stub of the compiled module says what the module has."""

import ast
import re
from pathlib import Path

from hornbeam import _core

STUB = Path(__file__).resolve().parents[2] / "src/hornbeam/_core.pyi"
REQUIRED = object()

# Argument by argument: its name, and its default or REQUIRED.
Signature = list[tuple[str, object]]


def in_stub() -> dict[str, Signature]:
    functions = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.FunctionDef)]
    return {function.name: arguments_of(function, ast.literal_eval) for function in functions}


def in_module() -> dict[str, Signature]:
    signatures = {}
    for name in dir(_core):
        if not name.startswith("_") and not isinstance(getattr(_core, name), type):
            ((text, _, defaults),) = getattr(_core, name).__nb_signature__
            # Types are not compared: nanobind writes array types that are not Python.
            text = re.sub(r"\[[^\]]*\]", "", text).replace("\\", "")
            (function,) = ast.parse(f"{text}: ...").body
            signatures[name] = arguments_of(function, lambda node, known=defaults: known[ast.literal_eval(node)])
    return signatures


def arguments_of(function: ast.FunctionDef, value_of) -> Signature:
    defaults = list(map(value_of, function.args.defaults))
    required = [REQUIRED] * (len(function.args.args) - len(defaults))
    return [(argument.arg, value) for argument, value in zip(function.args.args, required + defaults, strict=True)]


def test_the_stub_declares_the_functions_of_the_module_with_their_arguments_and_defaults():
    assert in_stub() == in_module()
