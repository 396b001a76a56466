"""Templates as trees: the names that one gives to another, and the strings that one prints. None is ever rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2.nodes import Node, Template


def names_given(trees: Mapping[str, Template]) -> dict[str, frozenset[str]]:
    """By template, the names that others of a document may have assigned where they include or extend it, or it them.

    A template that is neither referred to nor refers to another as its base is given none. One that includes itself is
    given its own.
    """
    from jinja2 import meta, nodes

    assigned = {name: _assigned(tree) for name, tree in trees.items()}
    referred = {name: set(meta.find_referenced_templates(tree)) for name, tree in trees.items()}
    given = {}
    for name, tree in trees.items():
        takes = any(name in others for others in referred.values()) or tree.find(nodes.Extends) is not None
        others = [other for other in trees if other != name or name in referred[name]]
        given[name] = frozenset().union(*(assigned[other] for other in others)) if takes else frozenset()
    return given


def _assigned(tree: Template) -> frozenset[str]:
    """The names that a template sets, loops over, defines as a macro, takes as its parameter, or imports."""
    from jinja2 import nodes

    names = {one.name for one in tree.find_all(nodes.Name) if one.ctx != "load"}
    names |= {one.name for one in tree.find_all(nodes.Macro)}
    names |= {one.target for one in tree.find_all(nodes.Import)}
    for statement in tree.find_all(nodes.FromImport):
        names |= {one if isinstance(one, str) else one[1] for one in statement.names}
    return frozenset(names)


def printed_strings(tree: Template) -> Iterator[tuple[int, str]]:
    """The string literals of expressions that are printed or assigned, with their lines.

    Those that only choose (a key, a side of a comparison, the argument of a test) are left out.
    """
    from jinja2 import nodes

    waiting: list[Node] = [*tree.find_all(nodes.Output), *(one.node for one in tree.find_all(nodes.Assign))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Const):
            if isinstance(node.value, str):
                yield node.lineno, node.value
        elif isinstance(node, nodes.Getitem):
            waiting.append(node.node)
        elif isinstance(node, nodes.CondExpr):
            waiting += [one for one in (node.expr1, node.expr2) if one is not None]
        elif not isinstance(node, (nodes.Compare, nodes.Test)):
            waiting += node.iter_child_nodes()
