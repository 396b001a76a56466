"""The documents of a set: their common head, and vocabularies and data, which need little more than it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from toolkit.policy.forms import Form
from toolkit.policy.nodes import MapNode, Node, plain
from toolkit.policy.problems import Mark, PolicyError, Problems, did_you_mean
from toolkit.policy.types import Value

LANGUAGE = "v1"
KINDS = ("vocabulary", "table", "data", "overlay")
HEAD = ("policy", "kind", "id", "version", "title")
HEAD_OPTIONAL = ("source", "order_note", "cases")
WORDING = ("version", "title", "source", "order_note", "cases")  # never part of a digest
ORDERS = ("descending", "ascending", "sequence")
MAX_CASES = 10_000


@dataclass(frozen=True, slots=True)
class Head:
    """What every document says of itself. ``layer`` is where it came from; ``mark`` its place."""

    kind: str
    id: str
    version: str
    title: str
    source: str
    layer: str
    mark: Mark

    @property
    def pack(self) -> str:
        return self.id.split(".", 1)[0]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An ordered list of terms with their anchors.

    ``terms`` stand in document order. ``rank(term)`` counts from 0 in that order. ``strengths`` is null for a
    sequence; else a greater number is a graver (descending) or higher (ascending) term.
    """

    head: Head
    order: str
    terms: tuple[str, ...]
    anchors: Mapping[str, Mapping[str, str]] = field(repr=False)

    def rank(self, term: str) -> int:
        """The place of a term, from 0. Raises ``PolicyError`` (``unknown_term``)."""
        self._known(term)
        return self.terms.index(term)

    def anchor(self, term: str, name: str) -> str:
        """The text of one anchor of a term."""
        self._known(term)
        return self.anchors[term][name]

    @property
    def strengths(self) -> dict[str, int] | None:
        if self.order == "sequence":
            return None
        terms = reversed(self.terms) if self.order == "descending" else self.terms
        return {term: index for index, term in enumerate(terms)}

    def _known(self, term: str) -> None:
        if term not in self.anchors:
            hint = did_you_mean(term, self.terms)
            raise PolicyError("unknown_term", f"{term!r} is no term of {self.head.id}", next_step=hint)


@dataclass(frozen=True, slots=True)
class Data:
    """A typed payload handed to code; the interpreter knows nothing of it but its shape's name."""

    head: Head
    shape: str
    value: Value


def read_head(node: Node, layer: str, problems: Problems) -> tuple[Head, Form]:
    """The head of a document and the form of its whole mapping. Raises ``Flawed`` where it has none."""
    if isinstance(node, MapNode) and "id" in node.entries:
        problems.document = _loose_text(node.entries["id"])
    anything = tuple(node.entries) if isinstance(node, MapNode) else ()  # each kind knows its own keys
    form = Form(node, "the document", problems, required=HEAD, optional=anything)
    if form.text("policy") != LANGUAGE:
        message = f"this tool reads policy language {LANGUAGE}, not {form.text('policy')!r}"
        problems.fail("unknown_language", message, form.need("policy").mark)
    kind = form.choice("kind", KINDS)
    if kind != "overlay" and not form.has("source"):
        problems.add("missing_key", "the document lacks the key 'source'", form.mark, "name where the rule comes from")
    identity, version = form.text("id"), form.text("version")
    if not _id_pattern().match(identity):
        problems.fail("bad_id", f"{identity[:100]!r} is no id", form.need("id").mark, "<pack>.<name>, lower case")
    if not _version_pattern().match(version):
        message = f"{version[:40]!r} is no semantic version"
        problems.fail("bad_version", message, form.need("version").mark, "write 1.0.0")
    head = Head(kind, identity, version, form.text("title"), form.text_or("source", ""), layer, form.mark)
    return head, form


def read_vocabulary(head: Head, form: Form, problems: Problems) -> Vocabulary:
    """A vocabulary; every term carries every anchor that the document names, and no other."""
    optional = (*HEAD_OPTIONAL, "order", "anchors")
    Form(form.node, "the vocabulary", problems, required=(*HEAD, "terms"), optional=optional)
    order = form.choice("order", ORDERS, "sequence")
    names = tuple(form.words("anchors"))
    terms: dict[str, dict[str, str]] = {}
    for node in form.items("terms"):
        with problems.unit():
            entry = Form(node, "the term", problems, required=("term", *names))
            term = entry.text("term")
            if term in terms:
                problems.fail("duplicate_id", f"the term {term!r} stands twice", entry.need("term").mark)
            terms[term] = {name: entry.text(name) for name in names}
    if not terms:
        problems.fail("empty", "a vocabulary needs at least one term", form.mark)
    return Vocabulary(head, order, tuple(terms), terms)


def read_data(head: Head, form: Form, problems: Problems) -> Data:
    """A data document; its payload is held against its shape by whoever loads the set."""
    Form(form.node, "the data document", problems, required=(*HEAD, "shape", "value"), optional=HEAD_OPTIONAL)
    from toolkit.policy.types import freeze

    return Data(head, form.text("shape"), freeze(plain(form.need("value"))))


def effective_content(node: Node) -> dict[str, Any]:
    """What of a document decides: everything but version, title, source, order_note and cases."""
    content = plain(node)
    return {key: value for key, value in content.items() if key not in WORDING}


def _loose_text(node: Node) -> str:
    value = plain(node)
    return value[:100] if isinstance(value, str) else ""


@cache
def _id_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9-]{0,40}(?:\.[a-z0-9][a-z0-9-]{0,60}){1,6}\Z")


@cache
def _version_pattern() -> re.Pattern[str]:
    return re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}\Z")
