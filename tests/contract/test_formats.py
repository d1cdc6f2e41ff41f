"""Every format of the registry is where users look for it."""

import inspect
import json
from pathlib import Path

import pytest

from hornbeam import Tree, cli, export
from hornbeam.export import FORMATS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A model file whose tree tests whether size is at most 2.5."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "fruit.csv").write_text("size,kind\n1,plum\n2,plum\n3,apple\n4,apple\n")
    assert cli.main(["fit", str(folder / "fruit.csv"), "--target", "kind", "--model", str(folder / "m.json")]) == 0
    return folder / "m.json"


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_a_method_of_tree_a_choice_of_the_command_line_and_a_row_of_the_documentation(
    monkeypatch, capsys, model, name
):
    format = FORMATS[name]
    tree = Tree.from_json(json.dumps(json.loads(model.read_text())["tree"]))
    assert getattr(Tree, f"to_{name}") is getattr(export, f"to_{name}")
    assert hasattr(export.TreeMethods, f"to_{name}")
    assert f"to_{name}" in export.__all__
    assert inspect.signature(getattr(tree, f"to_{name}")).parameters.keys() == (
        inspect.signature(format.export).parameters.keys() - {"tree"}
    )
    assert format.export(tree) is not None

    code, out = cli.main(["export", str(model), "--format", name]), capsys.readouterr().out
    if format.as_text:
        assert (code, out.rstrip()) == (0, format.as_text(getattr(tree, f"to_{name}")()).rstrip())
        assert all(word in out for word in ("size", "2.5", "plum", "apple"))
        assert cli.main(["export", "--help"]) == 0
        assert f"{name}," in capsys.readouterr().out
    else:
        assert code == 2

    monkeypatch.syspath_prepend(ROOT / "tools")
    monkeypatch.syspath_prepend(ROOT / "docs")
    import pages

    (row,) = (line for line in pages.formats_page().splitlines() if f"`tree.to_{name}()`" in line)
    assert format.description in row
    assert (f"| `{name}` |" in row) == bool(format.as_text)
    assert f"   export.to_{name}" in pages.formats_page().splitlines()
    assert "generated/formats" in (ROOT / "docs/api.rst").read_text()
    assert "generated/formats.md" in (ROOT / "docs/guide/trees.md").read_text("utf-8")
