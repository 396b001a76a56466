"""A mapping of a policy read key by key: unknown, missing and ill-typed keys are recorded, nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.policy.problems import Flawed, Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode

_NAMES = {bool: "a boolean", int: "an integer", str: "text", type(None): "null"}


def describe(node: Node) -> str:
    """What a node is, in words for a message."""
    if isinstance(node, MapNode):
        return "a mapping"
    if isinstance(node, ListNode):
        return "a list"
    return _NAMES[type(node.value)]


class Form:
    """Reads one mapping. ``what`` names it in messages (``the table``, ``row 'docs'``).

    Any other key than the ``required`` and ``optional`` ones is a problem; where not ``strict``, ``expect`` says later
    which keys may stand there.
    """

    def __init__(
        self,
        node: Node,
        what: str,
        problems: Problems,
        *,
        required: tuple[str, ...] = (),
        optional: tuple[str, ...] = (),
        strict: bool = True,
    ) -> None:
        self.problems = problems
        self.what = what
        if not isinstance(node, MapNode):
            problems.fail("wrong_type", f"{what} must be a mapping, not {describe(node)}", node.mark)
        self.node = node
        self.mark = node.mark
        self._told: set[str] = set()  # the missing keys that are recorded
        self.expect(required, optional if strict else tuple(node.entries))

    def expect(self, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
        """Record every key that stands here unknown, and every required one that does not stand here."""
        known = {*required, *optional}
        for key, mark in self.node.key_marks.items():
            if key not in known:
                self.problems.add("unknown_key", f"{self.what} has no key {shown(key)}", mark, did_you_mean(key, known))
        for key in required:
            if key not in self.node.entries:
                self._tell_missing(key)

    def _tell_missing(self, key: str) -> None:
        if key not in self._told:
            self._told.add(key)
            self.problems.add("missing_key", f"{self.what} lacks the key {shown(key)}", self.mark)

    def has(self, key: str) -> bool:
        return key in self.node.entries

    def get(self, key: str) -> Node | None:
        return self.node.entries.get(key)

    def need(self, key: str) -> Node:
        """A required node. Raises ``Flawed`` where it is absent, which is recorded once."""
        node = self.node.entries.get(key)
        if node is None:
            self._tell_missing(key)
            raise Flawed
        return node

    def text(self, key: str) -> str:
        node = self.need(key)
        if not (isinstance(node, ScalarNode) and isinstance(node.value, str)):
            self.problems.fail("wrong_type", f"{key} must be text, not {describe(node)}", node.mark)
        return node.value

    def text_or(self, key: str, default: str) -> str:
        return self.text(key) if self.has(key) else default

    def choice(self, key: str, known: tuple[str, ...], default: str | None = None) -> str:
        """One of the known words."""
        if default is not None and not self.has(key):
            return default
        word = self.text(key)
        if word not in known:
            mark = self.need(key).mark
            self.problems.fail("unknown_word", f"{key} can't be {shown(word)}", mark, did_you_mean(word, known))
        return word

    def flag(self, key: str) -> bool:
        """A boolean that is false when it does not stand there."""
        node = self.get(key)
        if node is None:
            return False
        if not (isinstance(node, ScalarNode) and isinstance(node.value, bool)):
            self.problems.fail("wrong_type", f"{key} must be true or false, not {describe(node)}", node.mark)
        return node.value

    def integer_or_none(self, key: str) -> int | None:
        node = self.get(key)
        if node is None:
            return None
        if not (isinstance(node, ScalarNode) and type(node.value) is int):
            self.problems.fail("wrong_type", f"{key} must be an integer, not {describe(node)}", node.mark)
        return node.value

    def items(self, key: str) -> list[Node]:
        """The items of a list; an absent optional list is empty."""
        node = self.get(key)
        if node is None:
            return []
        return list_items(node, key, self.problems)

    def entries(self, key: str) -> Iterator[tuple[str, Node, Mark]]:
        """The entries of a nested mapping, in document order; an absent optional mapping is empty."""
        node = self.get(key)
        if node is None:
            return
        if not isinstance(node, MapNode):
            self.problems.fail("wrong_type", f"{key} must be a mapping, not {describe(node)}", node.mark)
        for name, value in node.entries.items():
            yield name, value, node.key_marks[name]

    def words(self, key: str) -> list[str]:
        """A list of text."""
        return [text_of(node, f"an item of {key}", self.problems) for node in self.items(key)]


def list_items(node: Node, what: str, problems: Problems) -> list[Node]:
    if not isinstance(node, ListNode):
        problems.fail("wrong_type", f"{what} must be a list, not {describe(node)}", node.mark)
    return node.items


def text_of(node: Node, what: str, problems: Problems) -> str:
    if not (isinstance(node, ScalarNode) and isinstance(node.value, str)):
        problems.fail("wrong_type", f"{what} must be text, not {describe(node)}", node.mark)
    return node.value
