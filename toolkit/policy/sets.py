"""The policy set: every document of every layer, loaded whole or not at all, and asked by id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from toolkit.policy import documents, identity
from toolkit.policy.declarations import Declarations
from toolkit.policy.documents import Vocabulary
from toolkit.policy.forms import Form
from toolkit.policy.layers import Entry, Source, StoredEntries, read_entries, record_of
from toolkit.policy.patterns import PatternBudget
from toolkit.policy.problems import Flawed, PolicyError, Problems, did_you_mean, shown
from toolkit.policy.rows import read_table
from toolkit.policy.rules import TableDocument
from toolkit.policy.shapes import check_shape
from toolkit.policy.tables import Table
from toolkit.policy.types import freeze


class PolicySet:
    """An immutable set of effective documents. Everything is parsed at most once, when first asked for."""

    def __init__(self, entries: Mapping[str, Entry], digests: Mapping[str, str] | None = None) -> None:
        self._entries = entries
        self._vocabularies = _Vocabularies(entries)
        self._tables: dict[str, Table] = {}
        self._payloads: dict[str, Any] = {}
        self._digests: dict[str, str] = dict(digests or {})

    @classmethod
    def load(cls, sources: Iterable[Source], shapes: Mapping[str, bytes], *, shaped: Collection[str] = ()) -> PolicySet:
        """Load and check a whole set.

        ``sources`` come in layer order (shipped first); ``shapes`` are the JSON Schemas of data payloads by name.
        ``shaped`` names layers whose payloads were held against their shapes before; those are not again, as long as
        no overlay edits them. Raises one ``PolicyError`` that holds every problem of every file.
        """
        problems = Problems()
        loaded = cls(read_entries(sources, problems))
        loaded._check(shapes, shaped, problems)
        problems.raise_if_any()
        return loaded

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all documents, sorted."""
        return tuple(sorted(self._entries))

    def entry(self, document: str) -> Entry:
        """Head and tree of a document. Raises ``PolicyError`` (``unknown_document``)."""
        if document not in self._entries:
            hint = did_you_mean(document, self._entries)
            message = f"there is no policy document {shown(document)}"
            raise PolicyError("unknown_document", message, next_step=hint or "dr-policy list")
        return self._entries[document]

    def vocabulary(self, document: str) -> Vocabulary:
        """A vocabulary by id."""
        self._expect(document, "vocabulary")
        return self._vocabularies[document]

    def table(self, document: str) -> Table:
        """A compiled table by id; compiled once."""
        if document not in self._tables:
            entry = self._expect(document, "table")
            self._tables[document] = Table(self._read_table(entry))
        return self._tables[document]

    def data(self, document: str) -> Any:
        """The payload of a data document: immutable mappings, tuples and JSON scalars."""
        if document not in self._payloads:
            self._payloads[document] = self._payload(document)
        return self._payloads[document]

    def _payload(self, document: str) -> Any:
        """A payload that was checked before it was stored needs no tree: nobody asks for the places of its parts."""
        if isinstance(self._entries, StoredEntries) and self._entries.kind_of(document) == "data":
            return freeze(self._entries.content_of(document)["value"])
        entry = self._expect(document, "data")
        with _reading(entry) as form:
            return documents.read_data(entry.head, form).value

    def digest(self, document: str) -> str:
        """``sha256:<hex>`` of one effective document; wording (title, version, source, cases) is left out."""
        key = f"document:{document}"
        if key not in self._digests:
            self._digests[key] = identity.document_digest(self.entry(document).node)
        return self._digests[key]

    def closure(self, pack: str) -> tuple[str, ...]:
        """The ids of a pack's documents and of all that these reference, sorted."""
        wanted = {document for document in self._entries if document.split(".", 1)[0] == pack}
        if not wanted:
            packs = {document.split(".", 1)[0] for document in self._entries}
            raise PolicyError("unknown_pack", f"there is no pack {shown(pack)}", next_step=did_you_mean(pack, packs))
        for document in sorted(wanted):
            if self._entries[document].head.kind == "table":
                wanted |= self.table(document).document.references
        return tuple(sorted(wanted))

    def pack_digest(self, pack: str) -> str:
        """The digest of a pack's closure: what a log or a receipt binds as its policies."""
        key = f"pack:{pack}"
        if key not in self._digests:
            self._digests[key] = identity.closure_digest({one: self.digest(one) for one in self.closure(pack)})
        return self._digests[key]

    def to_bundle(self, packs: Iterable[str]) -> dict[str, Any]:
        """The checked set as one JSON value, from which ``from_bundle`` makes it again without checking shapes."""
        for pack in packs:
            self.pack_digest(pack)
        records = {document: record_of(entry) for document, entry in self._entries.items()}
        return {"digests": dict(self._digests), "documents": records}

    @classmethod
    def from_bundle(cls, bundle: Mapping[str, Any]) -> PolicySet:
        """A set from ``to_bundle``'s value. Trees are built when a document is first asked for."""
        return cls(StoredEntries(bundle["documents"]), bundle["digests"])

    def _expect(self, document: str, kind: str) -> Entry:
        entry = self.entry(document)
        if entry.head.kind != kind:
            message = f"{document} is a {entry.head.kind}, not a {kind}"
            raise PolicyError("wrong_kind", message, next_step=f"dr-policy show {document}")
        return entry

    def _read_table(self, entry: Entry) -> TableDocument:
        read: list[TableDocument] = []
        with _reading(entry) as form:
            declarations = Declarations(self._vocabularies, form.problems)
            read.append(read_table(entry.head, form, declarations, PatternBudget()))
        return read[0]

    def _check(self, shapes: Mapping[str, bytes], shaped: Collection[str], problems: Problems) -> None:
        """Read every document once, vocabularies first, so that every problem is told now."""
        budget = PatternBudget()
        for document, entry in sorted(self._entries.items(), key=lambda item: item[1].head.kind != "vocabulary"):
            with problems.within(document):
                form = Form(entry.node, "the document", problems, strict=False)
                if entry.head.kind == "vocabulary":
                    self._vocabularies.check(document, form, problems)
                elif entry.head.kind == "table":
                    declarations = Declarations(self._vocabularies, problems)
                    self._tables[document] = Table(read_table(entry.head, form, declarations, budget))
                else:
                    data = documents.read_data(entry.head, form)
                    if entry.head.layer in shaped and not entry.overlays:
                        continue
                    check_shape(form.need("value"), data.shape, form.need("shape").mark, shapes, problems)


class _Vocabularies(Mapping[str, Vocabulary]):
    """The vocabularies of a set, each read when first asked for."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._read: dict[str, Vocabulary] = {}
        self._broken: set[str] = set()

    def check(self, document: str, form: Form, problems: Problems) -> None:
        """Read one now; where it is broken, what refers to it is not told again."""
        self._broken.add(document)
        self._read[document] = documents.read_vocabulary(self._entries[document].head, form, problems)
        self._broken.discard(document)

    def __getitem__(self, document: str) -> Vocabulary:
        if document in self._broken:
            raise Flawed
        if document not in self._read:
            entry = self._entries[document]
            if entry.head.kind != "vocabulary":
                raise KeyError(document)
            with _reading(entry) as form:
                self._read[document] = documents.read_vocabulary(entry.head, form, form.problems)
        return self._read[document]

    def __iter__(self) -> Iterator[str]:
        return (document for document in self._entries if self._entries[document].head.kind == "vocabulary")

    def __len__(self) -> int:
        return sum(1 for _ in self)


@contextmanager
def _reading(entry: Entry) -> Iterator[Form]:
    """Read one document of a set by itself; its problems are raised as one error."""
    problems = Problems()
    with problems.within(entry.head.id):
        yield Form(entry.node, "the document", problems, strict=False)
    problems.raise_if_any()
