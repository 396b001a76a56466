"""Overlays: a later layer edits a data document by key, and every part of the result knows where it came from.

``set`` maps JSON Pointers to values, ``remove`` lists pointers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from toolkit.policy.documents import HEAD, Head
from toolkit.policy.forms import Form, text_of
from toolkit.policy.nodes import Node
from toolkit.policy.pointers import Editor
from toolkit.policy.problems import Mark, Problems, shown

Comparison = tuple[str, tuple[int, ...]]


class Overlay(NamedTuple):
    """One overlay, read but not applied. ``requires`` are the comparisons that the base's version satisfies."""

    head: Head
    base: str
    base_mark: Mark
    requires: tuple[Comparison, ...]
    removals: tuple[tuple[str, Mark], ...]
    settings: tuple[tuple[str, Node, Mark], ...]


def read_overlay(head: Head, form: Form, problems: Problems) -> Overlay:
    """An overlay of a data document."""
    form.expect(("base",), (*HEAD, "source", "set", "remove"))
    base = Form(form.need("base"), "base", problems, required=("id", "version"))
    requires = _comparisons(base.text("version"), base.need("version").mark, problems)
    removals = tuple((text_of(item, "a pointer", problems), item.mark) for item in form.items("remove"))
    settings = tuple(form.entries("set"))
    if not removals and not settings:
        problems.fail("empty", "the overlay changes nothing", form.mark, "give it 'set' or 'remove'")
    return Overlay(head, base.text("id"), base.need("id").mark, requires, removals, settings)


def apply_overlay(overlay: Overlay, head: Head, editor: Editor, problems: Problems) -> None:
    """Edit the document ``head`` in place: the removals all at once, then the settings in their order."""
    if head.kind != "data":
        message = f"{head.id} is a {head.kind}: only data documents can be overlaid"
        problems.fail("not_overlayable", message, overlay.base_mark)
    if head.version and not satisfies(head.version, overlay.requires):
        message = f"the overlay asks for another version of {head.id} than {head.version}"
        problems.fail("base_version", message, overlay.base_mark, "look at what changed, then widen base.version")
    if "value" not in editor.root.entries:
        return  # told where the document is read
    editor.remove_all(overlay.removals)
    for pointer, node, mark in overlay.settings:
        with problems.unit():
            editor.set(pointer, node, mark)


def satisfies(version: str, requires: tuple[Comparison, ...]) -> bool:
    """Whether a semantic version (overlay suffixes ignored) satisfies every comparison."""
    have = tuple(int(part) for part in version.split("+", 1)[0].split("."))
    tests: dict[str, Callable[[tuple[int, ...]], bool]] = {
        ">=": lambda other: have >= other,
        ">": lambda other: have > other,
        "<=": lambda other: have <= other,
        "<": lambda other: have < other,
        "==": lambda other: have == other,
    }
    return all(tests[symbol](other) for symbol, other in requires)


def _comparisons(text: str, mark: Mark, problems: Problems) -> tuple[Comparison, ...]:
    read = []
    for part in text.split(","):
        match = _comparison().match(part.strip())
        if match is None:
            message = f"{shown(text)} is no version requirement"
            problems.fail("bad_version", message, mark, 'comma-joined comparisons, e.g. ">=1.0,<2"')
        numbers = [int(number) for number in match[2].split(".")]
        read.append((match[1], tuple((*numbers, 0, 0)[:3])))
    return tuple(read)


@cache
def _comparison() -> re.Pattern[str]:
    return re.compile(r"(>=|<=|==|>|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})\Z")
