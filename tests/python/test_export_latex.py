"""LaTeX: the nested nodes of the document are those of the tree, with every letter escaped."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.export.latex import _ESCAPES
from hornbeam.tree.words import count, label, question
from python.tree_making import grow, single_leaf

ODD = ("[a]", "b, c", "{d", "e}", "\\f", "$5^2", "~#", "*<>|", "\"'`", "--", "100 %", "_&")


def forest(text):
    """The nodes of a document in order: number of nodes around it, and its content; brackets in braces are text."""
    body = text[text.index("no/.style") : text.index("\\end{forest}")].split("\n", 1)[1]
    nodes, depth, braces, escaped = [], 0, 0, False
    for letter in body:
        is_plain = not escaped
        if is_plain and letter == "[" and braces == 0:
            nodes.append([depth, ""])
            depth += 1
        elif is_plain and letter == "]" and braces == 0:
            depth -= 1
        else:
            braces += is_plain * ((letter == "{") - (letter == "}"))
            if depth:
                nodes[-1][1] += letter
        escaped = is_plain and letter == "\\"
    assert (depth, braces) == (0, 0)
    return [(depth, content.strip()) for depth, content in nodes]


def words(content):
    """The text of a node as a reader of the picture sees it, and its options."""
    text, options = re.fullmatch(r"\{(.*)\}((?:, [\w=]+)*)", content).groups()
    for letter, written in sorted(_ESCAPES.items(), key=lambda item: -len(item[1])):
        text = text.replace(written, f"<{ord(letter)}>") if len(written) > 2 or written[0] == "\\" else text
    text = text.replace("\\\\", "\n")
    assert not re.search(r"[\\{}$&#_%~^\[\]*|\"'`-]", text)
    return re.sub(r"<(\d+)>", lambda found: chr(int(found[1])), text), options


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_the_nodes_of_the_document_are_those_of_the_tree(seed):
    tree = grow(seed, words=ODD).tree
    nodes = forest(tree.to_latex())
    assert len(nodes) == tree.n_nodes
    parents = {}
    for node, (depth, content) in enumerate(nodes):
        text, options = words(content)
        parents[depth] = node
        if depth:
            is_yes = tree.left[parents[depth - 1]] == node
            assert is_yes or tree.right[parents[depth - 1]] == node
            assert options.endswith(", yes" if is_yes else ", no")
        if tree.conditions[node] is None:
            assert text == f"predict {label(tree, node)}\n{tree.describe(node)}"
            assert f"fill=class{tree.prediction[node]}" in options
        else:
            shown = " ".join(text.split())
            assert shown == " ".join(f"{question(tree, node)}? {count(int(tree.n_samples[node]))}".split())


def test_a_single_leaf_is_one_node():
    assert [depth for depth, _ in forest(single_leaf().to_latex())] == [0]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX")
@pytest.mark.parametrize("seed", [1, 2])
def test_latex_sets_the_document(tmp_path, seed):
    (tmp_path / "tree.tex").write_text(grow(seed, words=ODD).tree.to_latex(), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "forest.sty' not found" in done.stdout or "standalone.cls' not found" in done.stdout:
        pytest.skip("needs the packages forest and standalone")
    assert done.returncode == 0, done.stdout[-2000:]
