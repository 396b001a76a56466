"""Documents as people write them: any values, in any of YAML's styles, with comments and empty lines anywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from toolkit.authoring.formatting.scalars import is_plain

WORDS = st.text(st.sampled_from("abcXYZ019 -_:#,[]{}'\"&*!|>%@`\\/.?=~<ёы\u00a0\t\n"), max_size=12)
TEXTS = st.one_of(
    WORDS, st.sampled_from(["no", "~", "", "1:30", "true", "0400", "a: b", "a #b", "x" * 130, "word " * 40])
)
SCALARS = st.one_of(TEXTS, st.integers(-20, 20), st.booleans(), st.none())
KEYS = st.one_of(st.sampled_from(["policy", "kind", "id", "title", "when", "then", "a", "b"]), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
ROWS = st.lists(
    st.permutations(["id", "when", "then", "source"]).flatmap(
        lambda keys: st.tuples(*(VALUES for _ in keys)).map(lambda values: dict(zip(keys, values, strict=True)))
    ),
    max_size=3,
)


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    """A document with a head and rows in any order of keys, and whatever else."""
    entries: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    entries |= {"kind": draw(st.sampled_from(["table", "overlay", "data", "odd"])), "rows": draw(ROWS)}
    order = draw(st.permutations(list(entries)))
    return {key: entries[key] for key in order}


@dataclass
class Writer:
    """Writes a value in styles that are drawn; ``comments`` are those that it wrote."""

    draw: st.DrawFn
    comments: list[str] = field(default_factory=list)

    def chance(self, often: int = 3) -> bool:
        return self.draw(st.integers(0, often)) == often

    def comment(self) -> str:
        text = f"# c{len(self.comments)}" + self.draw(st.sampled_from(["", " # more", " 'x", ": [", " \ttab"]))
        self.comments.append(text)
        return text

    def above(self, indent: int) -> list[str]:
        """Comments and empty lines before a part of a block."""
        lines = []
        while self.chance():
            blank = self.draw(st.sampled_from(["", "   "]))
            lines.append(blank if self.chance(1) else " " * self.draw(st.integers(0, indent + 3)) + self.comment())
        return lines

    def note(self) -> str:
        return f" {self.comment()}" if self.chance() else ""

    def scalar(self, value: Any, *, flow: bool) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        return self.quotes(value, flow=flow)

    def quotes(self, value: str, *, flow: bool) -> str:
        if is_plain(value, flow=flow) and self.chance(1):
            return value
        if value.replace("\u00a0", " ").isprintable() and self.chance(1):
            return "'" + value.replace("'", "''") + "'"
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'

    def block_scalar(self, value: str, indent: int) -> list[str] | None:
        """A literal: its header's rest and its lines."""
        body = value.removesuffix("\n")
        if not body.strip() or body.endswith("\n") or body[0] in " \n\t" or "\u00a0" in body:
            return None
        chomp = "" if value.endswith("\n") else "-"
        style = ">" if "\n" not in body and self.chance(1) else "|"
        if style == ">" and ("  " in body or body != body.strip()):
            style = "|"
        lines = body.replace(" ", "\n") if style == ">" else body
        return [f"{style}{chomp}{self.note()}", *(" " * indent + line if line else "" for line in lines.split("\n"))]

    def flow(self, value: Any) -> str:
        if isinstance(value, dict):
            parts = [
                f"{self.gap()}{self.quotes(key, flow=True)}: {self.gap()}{self.flow(one)}" for key, one in value.items()
            ]
            return "{" + ",".join(parts) + self.gap() + "}"
        if isinstance(value, list):
            return "[" + ",".join(self.gap() + self.flow(one) for one in value) + self.gap() + "]"
        return self.scalar(value, flow=True)

    def gap(self) -> str:
        """Between brackets: nothing, a space, a new line, a comment."""
        if self.chance(9):
            return f" {self.comment()}\n" + " " * 70
        return self.draw(st.sampled_from(["", " ", "\n" + " " * 70, "\n\n" + " " * 70]))

    def block(self, value: Any, indent: int) -> list[str]:
        """The lines of a collection that holds something, as a block."""
        lines: list[str] = []
        for key, one in value.items() if isinstance(value, dict) else ((None, item) for item in value):
            lines += self.above(indent)
            head = " " * indent + ("-" if key is None else self.quotes(key, flow=False) + ":")
            lines += self.valued(head, one, indent, key is not None)
        return lines + self.above(indent)

    def valued(self, head: str, value: Any, indent: int, keyed: bool) -> list[str]:
        if isinstance(value, (dict, list)) and value and self.chance(1):
            deeper = indent + self.draw(st.integers(1, 4))
            if keyed and isinstance(value, list) and self.chance():
                deeper = indent  # a list may stand as far to the left as its key
            return [head + self.note(), *self.block(value, deeper)]
        if isinstance(value, str) and self.chance(1):
            block = self.block_scalar(value, indent + self.draw(st.integers(1, 4)))
            if block is not None:
                return [f"{head} {block[0]}", *block[1:]]
        below = f"{self.note()}\n{' ' * 70}" if self.chance() else ""
        return [f"{head}{below} {self.flow(value)}{self.note()}"]


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, Any], str, list[str]]:
    """A document, one way to write it, and the comments that are in it."""
    value = draw(policies())
    writer = Writer(draw)
    start = draw(st.sampled_from(["", "---\n", "\n\n", "# yaml-language-server: $schema=x\n"]))
    if "#" in start:
        writer.comments.append(start.strip())
    text = start + "\n".join(writer.block(value, 0)) + draw(st.sampled_from(["", "\n", "\n\n\n", "\n...\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return value, draw(st.sampled_from(["", "\ufeff"])) + text, writer.comments
