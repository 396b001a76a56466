"""The documents of a set: their common head, and vocabularies and data, which need little more than it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from toolkit.policy.problems import Mark, PolicyError, Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form
from toolkit.policy.syntax.nodes import Node, plain
from toolkit.policy.types import TermType, Value, freeze

LANGUAGE = "v1"
KINDS = ("vocabulary", "table", "machine", "data", "overlay")
HEAD = ("policy", "kind", "id", "version", "title")  # and ``source``, which an overlay may leave out
WORDING = ("version", "title", "source", "order_note", "cases")  # never part of a digest
RULES = ("rows", "transitions")  # what a table and a machine decide by
SOURCE = "source"
TEMPLATES = "templates"
ORDERS = ("descending", "ascending", "sequence")


class Head(NamedTuple):
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
        """The first word of the id."""
        return pack_of(self.id)


def pack_of(identity: str) -> str:
    """The pack of a document, by its id."""
    return identity.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An ordered list of terms with their anchors.

    ``terms`` stand in document order. ``rank(term)`` counts from 0 in that order. ``type`` is that of any of them; its
    ``strengths`` are null for a sequence, else a greater number is a graver (descending) or higher (ascending) term.
    """

    head: Head
    order: str
    terms: tuple[str, ...]
    anchors: Mapping[str, Mapping[str, str]] = field(repr=False)
    type: TermType = field(repr=False)

    def rank(self, term: str) -> int:
        """The place of a term, from 0. Raises ``PolicyError`` (``unknown_term``)."""
        self._known(term)
        return self.terms.index(term)

    def anchor(self, term: str, name: str) -> str:
        """The text of one anchor of a term. Raises ``PolicyError`` (``unknown_term``, ``unknown_anchor``)."""
        self._known(term)
        if name not in self.anchors[term]:
            hint = did_you_mean(name, self.anchors[term])
            raise PolicyError("unknown_anchor", f"{self.head.id} has no anchor {shown(name)}", next_step=hint)
        return self.anchors[term][name]

    def _known(self, term: str) -> None:
        if term not in self.anchors:
            hint = did_you_mean(term, self.terms)
            raise PolicyError("unknown_term", f"{shown(term)} is no term of {self.head.id}", next_step=hint)


class Data(NamedTuple):
    """A typed payload handed to code; the interpreter knows nothing of it but its shape's name.

    ``templates`` are the texts that the payload fills in, by name; their bytes are part of the document's identity.
    """

    head: Head
    shape: str
    value: Value
    templates: tuple[str, ...] = ()


def read_head(node: Node, layer: str, problems: Problems) -> tuple[Head, Form]:
    """The head of a document and the form of its whole mapping.

    Raises ``Flawed`` without an id and a kind; whatever else is wrong is recorded, and the rest can still be read.
    """
    form = Form(node, "the document", problems, required=HEAD, strict=False)  # each kind has its own keys
    identity = form.text("id")
    problems.document = identity[:100]
    if not id_pattern().match(identity):
        problems.fail("bad_id", f"{shown(identity)} is no id", form.need("id").mark, "<pack>.<name>, lower case")
    language, version, title, source = (_head_text(form, key) for key in ("policy", "version", "title", "source"))
    if language not in ("", LANGUAGE):
        message = f"this tool reads policy language {LANGUAGE}, not {shown(language)}"
        problems.fail("unknown_language", message, form.need("policy").mark)
    kind = form.choice("kind", KINDS)
    if kind != "overlay" and not form.has("source"):
        problems.add("missing_key", "the document lacks the key 'source'", form.mark, "name where the rule comes from")
    if version and not version_pattern().match(version):
        message = f"{shown(version)} is no semantic version"
        problems.add("bad_version", message, form.need("version").mark, "write 1.0.0")
        version = ""
    return Head(kind, identity, version, title, source, layer, form.mark), form


def _head_text(form: Form, key: str) -> str:
    """A text of the head; empty where there is none, which is then recorded."""
    if not form.has(key):
        return ""
    with form.problems.unit():
        text = form.text(key)
        if not text:
            form.problems.fail("empty", f"{key} says nothing", form.need(key).mark)
        return text
    return ""


def read_vocabulary(head: Head, form: Form, problems: Problems) -> Vocabulary:
    """A vocabulary; every term carries every anchor that the document names, and no other."""
    form.expect(("terms",), (*HEAD, "source", "order", "anchors"))
    order = form.choice("order", ORDERS, "sequence")
    names = tuple(form.words("anchors"))
    if len(set(names)) != len(names) or "term" in names:
        problems.fail("duplicate_id", "anchors lists each key once, and 'term' is none", form.need("anchors").mark)
    terms: dict[str, Mapping[str, str]] = {}
    for node in form.items("terms"):
        with problems.unit():
            entry = Form(node, "the term", problems, required=("term", *names))
            term = entry.text("term")
            if term in terms:
                problems.fail("duplicate_id", f"the term {shown(term)} stands twice", entry.need("term").mark)
            terms[term] = MappingProxyType({name: entry.text(name) for name in names})
    if not terms:
        problems.fail("empty", "a vocabulary needs at least one term", form.mark)
    ordered = reversed(terms) if order == "descending" else terms
    strengths = None if order == "sequence" else {term: index for index, term in enumerate(ordered)}
    kind = TermType(tuple(terms), head.id, strengths)
    return Vocabulary(head, order, tuple(terms), MappingProxyType(terms), kind)


def read_data(head: Head, form: Form) -> Data:
    """A data document; its payload is held against its shape by whoever loads the set."""
    form.expect(("shape", "value"), (*HEAD, "source", TEMPLATES))
    return Data(head, form.text("shape"), freeze(plain(form.need("value"))), tuple(form.words(TEMPLATES)))


def effective_content(node: Node) -> dict[str, Any]:
    """What of a document decides: all but version, title, source, order_note, cases, and the sources of its rules."""
    content = {key: value for key, value in plain(node).items() if key not in WORDING}
    for listed in RULES:
        if isinstance(content.get(listed), list):
            content[listed] = [_without_source(rule) for rule in content[listed]]
    return content


def _without_source(rule: Any) -> Any:
    return {key: value for key, value in rule.items() if key != SOURCE} if isinstance(rule, dict) else rule


@cache
def id_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9-]{0,40}(?:\.[a-z0-9][a-z0-9-]{0,60}){1,6}\Z")


@cache
def version_pattern() -> re.Pattern[str]:
    return re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2}\Z")
