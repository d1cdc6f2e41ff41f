"""Formulas as MathML, which browsers draw themselves, by the converter that docutils has."""

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml


def inline(self, node):
    """Write a formula inside a line."""
    self.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block(self, node):
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app):
    """Make this the renderer "mathml"."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
