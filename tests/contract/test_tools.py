"""The checkers of the repository reject what they must reject, and the repository passes them."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

BOUND = """// SAYS     A claim.
// SO       A use.
// WHY      A proof,
//          in two lines.
// NEEDS    Nothing.
// KEEPS    all optima.
// SOURCE   [hu2019osdt]
// Switch   a
#pragma once
"""
TABLE = """BOUND(kExact | kLeafSets, a, true, "bounds/a.hpp",
      "what a closes")
TECHNIQUE(kPosterior, b, "bounds/a.hpp", "what b closes")
"""
WITH_TABLE = {"docs/references.bib": "@article{hu2019osdt,\n}", "cpp/base/bounds.def": TABLE}


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "tools"))  # as for a script of that folder
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def faults(name: str, root: Path, files: dict[str, str]) -> list[str]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return list(tool(name).faults(root))


@pytest.mark.parametrize("name", ["check_layers", "check_namespaces", "check_bounds", "check_sizes"])
def test_the_repository_passes(name):
    assert list(tool(name).faults(ROOT)) == []


@pytest.mark.parametrize("name", ["check_layers", "check_namespaces", "module_uses", "check_bounds", "check_sizes"])
def test_every_checker_is_itself_short(name):
    assert len((ROOT / "tools" / f"{name}.py").read_text().splitlines()) <= 100


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("cpp/verify/score.cpp", '#include "search/solve.hpp"\n', "verify may not use search"),
        ("cpp/base/types.hpp", '#include "bounds/mask.hpp"\n', "base may not use bounds"),
        ("cpp/extra/a.hpp", "", "extra has no row"),
        ("src/hornbeam/plotting/draw.py", "from hornbeam.estimators import gosdt\n", "plotting may not use estimators"),
        ("src/hornbeam/export/model.py", "def f():\n    import hornbeam._core\n", "export may not use _core"),
        ("src/hornbeam/export/text.py", "from hornbeam import GOSDTClassifier\n", "export may not use hornbeam"),
        ("src/hornbeam/export/a.py", "from hornbeam import _core\n", "export may not use _core"),
    ],
)
def test_a_use_that_the_layers_forbid_is_rejected(tmp_path, path, text, said):
    (found,) = uses_without_permission(tmp_path, {path: text})
    assert path in found
    assert said in found


def uses_without_permission(root: Path, files: dict[str, str]) -> list[str]:
    return [fault for fault in faults("check_layers", root, files) if "never uses" not in fault]


def test_a_use_that_the_layers_allow_is_accepted(tmp_path):
    files = {
        "cpp/search/solve.cpp": '#include "search/solve.hpp"\n#include "rows/mask.hpp"\n#include <vector>\n',
        "src/hornbeam/export/text.py": "import numpy\nfrom hornbeam.tree import Tree\n",
        "src/hornbeam/tree/tree.py": "if TYPE_CHECKING:\n    from hornbeam.export import Methods\n",
        "src/hornbeam/__init__.py": "from hornbeam.estimators.gosdt import GOSDTClassifier\n",
    }
    assert uses_without_permission(tmp_path, files) == []


KERNELS = """namespace hornbeam {
template <class T>
struct Tile {
  int count(int rows) const { return rows; }
};
enum class Order { rising, falling };
constexpr int kLanes = 8;
inline int widest(const Tile<int>& tile) { int words = 0; return words; }
}  // namespace hornbeam
"""


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("Tile<int> tile;", "Tile"),
        ("auto order = Order::rising;", "Order"),
        ("int lanes = kLanes;", "kLanes"),
        ("return widest(x);", "widest"),
        ("// widest(x)", None),
        ('const char* text = "Tile";', None),
        ("return x.widest(y);", None),
        ("int widest = 3;", None),
        ("int words = x.count(rows);", None),
    ],
)
def test_a_name_that_arrives_through_the_header_of_another_module_needs_a_permission(tmp_path, body, name):
    found = uses_without_permission(
        tmp_path,
        {
            "cpp/kernels/kernels.hpp": KERNELS,
            "cpp/data/costs.hpp": '#include "kernels/kernels.hpp"\n',
            "cpp/verify/score.cpp": f'#include "data/costs.hpp"\nint score() {{ {body}\n }}\n',
        },
    )
    path = tmp_path / "cpp/verify/score.cpp"
    assert found == ([] if name is None else [f"{path}: verify may not use kernels ({name})"])


def test_a_name_that_a_module_declares_itself_needs_no_permission(tmp_path):
    files = {
        "cpp/kernels/kernels.hpp": KERNELS,
        "cpp/data/costs.hpp": '#include "kernels/kernels.hpp"\n',
        "cpp/verify/tile.hpp": "struct Tile {};\n",
        "cpp/verify/score.cpp": '#include "data/costs.hpp"\n#include "verify/tile.hpp"\nTile tile() { return {}; }\n',
    }
    assert uses_without_permission(tmp_path, files) == []


def test_a_permission_that_no_file_uses_is_rejected(tmp_path):
    files = {
        "cpp/table/table.hpp": '#include "base/types.hpp"\n',
        "src/hornbeam/tree/tree.py": "import hornbeam.table\n",
    }
    found = faults("check_layers", tmp_path, files)
    assert "check_layers.py: kernels never uses bounds: remove the permission" in found
    assert "check_layers.py: tree never uses conditions: remove the permission" in found
    assert not any("table never uses base" in fault or "tree never uses table" in fault for fault in found)


@pytest.mark.parametrize(
    ("module", "namespace", "n_faults"),
    [
        ("rows", "hornbeam::rows", 0),
        ("rows", "hornbeam::search", 1),
        ("rows", "hornbeam", 1),
        ("base", "hornbeam", 0),
        ("base", "hornbeam::base", 1),
    ],
)
def test_a_file_outside_of_the_namespace_of_its_module_is_rejected(tmp_path, module, namespace, n_faults):
    text = f"namespace {namespace} {{\n}}  // namespace {namespace}\n"
    assert len(faults("check_namespaces", tmp_path, {f"cpp/{module}/a.hpp": text})) == n_faults


def test_permissions_in_a_circle_are_rejected():
    layers = tool("check_layers")
    assert list(layers.stale([], {"tree": set(), "export": set()})) == []
    found = list(layers.stale([], {"tree": {"export"}, "export": {"tree"}}))
    assert any("a cycle of permissions: " in fault for fault in found)


@pytest.mark.parametrize("mark", ["SAYS", "SO", "WHY", "NEEDS", "KEEPS", "SOURCE", "Switch"])
def test_a_bound_without_one_of_its_marks_is_rejected(tmp_path, mark):
    files = WITH_TABLE | {"cpp/bounds/a.hpp": BOUND.replace(f"// {mark} ", "// ")}
    assert faults("check_bounds", tmp_path, files) == [f"cpp/bounds/a.hpp: {mark} is missing or empty"]


def test_a_bound_with_an_empty_switch_is_rejected(tmp_path):
    files = WITH_TABLE | {"cpp/bounds/a.hpp": BOUND.replace("Switch   a", "Switch")}
    assert faults("check_bounds", tmp_path, files) == ["cpp/bounds/a.hpp: Switch is missing or empty"]


def test_a_bound_from_an_unknown_source_is_rejected(tmp_path):
    files = WITH_TABLE | {"docs/references.bib": "@article{lin2020gosdt,\n}", "cpp/bounds/a.hpp": BOUND}
    assert faults("check_bounds", tmp_path, files) == ["cpp/bounds/a.hpp: [hu2019osdt] is not in docs/references.bib"]


def test_a_bound_with_all_marks_is_accepted(tmp_path):
    assert faults("check_bounds", tmp_path, WITH_TABLE | {"cpp/bounds/a.hpp": BOUND}) == []


@pytest.mark.parametrize(
    ("header", "table", "said"),
    [
        (BOUND.replace("Switch   a", "Switch   c"), TABLE, "cpp/bounds/a.hpp: cpp/base/bounds.def has no switch c"),
        (
            BOUND.replace("Switch   a", "Switch   none: b"),
            TABLE,
            "cpp/bounds/a.hpp: cpp/base/bounds.def has a switch a",
        ),
        (BOUND, TABLE.replace("a.hpp", "d.hpp", 1), "cpp/base/bounds.def: a: there is no bounds/d.hpp"),
        (BOUND, TABLE + "BOUND(kExact, c)\n", "cpp/base/bounds.def: a line is not of the form that its head shows"),
    ],
)
def test_a_bound_that_does_not_agree_with_the_table_is_rejected(tmp_path, header, table, said):
    files = WITH_TABLE | {"cpp/bounds/a.hpp": header, "cpp/base/bounds.def": table}
    assert faults("check_bounds", tmp_path, files) == [said]


CPP_HEAD = """#include <vector>

namespace hornbeam {{
template <class T>
class Table {{
  static constexpr char open = '{{';
  // one brace in a comment: {{
{excuse}
  int find(const std::vector<T>& keys) const {{
{body}  }}
}};
}}  // namespace hornbeam
"""


@pytest.mark.parametrize(("lines", "n_faults"), [(58, 0), (59, 1)])
def test_a_cpp_function_of_more_than_60_lines_is_rejected(tmp_path, lines, n_faults):
    text = CPP_HEAD.format(excuse="", body="    if (a) { b(); }\n" * lines)
    found = faults("check_sizes", tmp_path, {"cpp/table/table.hpp": text})
    assert [line.split(":", 2)[2] for line in found] == [" find has 61 lines, at most 60"] * n_faults


@pytest.mark.parametrize(("lines", "n_faults"), [(59, 0), (60, 1)])
def test_a_python_function_of_more_than_60_lines_is_rejected(tmp_path, lines, n_faults):
    text = 'def find():\n    """Said\n    in two lines."""\n' + "    pass\n" * lines
    found = faults("check_sizes", tmp_path, {"src/hornbeam/a.py": text})
    assert found == ["src/hornbeam/a.py:1: find has 61 lines, at most 60"] * n_faults


@pytest.mark.parametrize("path", ["cpp/base/a.hpp", "cpp/base/a.inl", "src/hornbeam/a.py", "benchmarks/a/a.py"])
def test_a_file_of_more_than_500_lines_is_rejected(tmp_path, path):
    assert faults("check_sizes", tmp_path, {path: "\n" * 500}) == []
    assert faults("check_sizes", tmp_path, {path: "\n" * 501}) == [f"{path}: 501 lines, at most 500"]


def test_a_file_that_git_ignores_may_have_any_length(tmp_path):
    files = {".gitignore": "/benchmarks/.environments/\n", "benchmarks/.environments/peer/a.py": "\n" * 501}
    assert faults("check_sizes", tmp_path, files) == []


def test_a_long_piece_that_says_why_is_accepted(tmp_path):
    files = {
        "cpp/table/table.hpp": CPP_HEAD.format(excuse="  // long: one table of cases", body="    b();\n" * 70),
        "src/hornbeam/a.py": "# long: a table\n" + "\n" * 600,
        "tools/b.py": "# long: one match statement\ndef find():\n" + "    pass\n" * 70,
    }
    assert faults("check_sizes", tmp_path, files) == []


SOURCES = {
    ".clang-tidy": "Checks: '-*,clang-analyzer-*,readability-identifier-naming'\nHeaderFilterRegex: '.*'\n"
    "CheckOptions:\n  readability-identifier-naming.FunctionCase: lower_case\n",
    "cpp/a/names.hpp": "#pragma once\nint Named();\n",
    "cpp/a/first.cpp": '#include "names.hpp"\nint first(int x) { return x == 0 ? 1 / x : 0; }\n',
    "cpp/a/second.cpp": '#include "names.hpp"\n\nint second(int* p) { return p == nullptr ? *p : 0; }\n',
    "cpp/a/other_flags.cpp": "int Other() { return 0; }\n",
    "cpp/b/third.cpp": "int third() { return 0; }\n",
    "elsewhere/fourth.cpp": "int Fourth() { return 0; }\n",
}


def test_clang_tidy_finds_faults_where_they_are_in_sources_that_are_read_as_one(tmp_path):
    pytest.importorskip("clang_tidy")
    for path, text in SOURCES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    sources = [tmp_path / path for path in SOURCES if path.endswith(".cpp")]
    flags = {source: "-DOTHER" if source.stem == "other_flags" else "-DSAME" for source in sources}
    entries = [
        {"directory": str(tmp_path), "file": str(source), "command": f"c++ {flags[source]} -o a.o -c {source}"}
        for source in sources
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    tool("unified_sources").unify(tmp_path, tmp_path / "cpp")
    unified = sorted((tmp_path / "unified").glob("*.cpp"))
    assert [len(source.read_text().splitlines()) for source in unified] == [2, 4, 2]
    command = [Path(sys.executable).parent / "clang-tidy", "-quiet", "-p", tmp_path / "unified", *unified]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = re.findall(r"([\w/]+\.[ch]pp):(\d+):\d+: warning", output.replace(f"{tmp_path}/", ""))
    assert sorted(found) == [
        ("cpp/a/first.cpp", "2"),
        ("cpp/a/names.hpp", "2"),
        ("cpp/a/other_flags.cpp", "1"),
        ("cpp/a/second.cpp", "3"),
    ]
