"""Reading the documents of one set of entries, each by itself: vocabularies when first named, tables, machines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from toolkit.policy.documents import heads
from toolkit.policy.documents.effective import Entry
from toolkit.policy.documents.heads import Vocabulary
from toolkit.policy.language.declarations import Declarations
from toolkit.policy.language.patterns import PatternBudget
from toolkit.policy.language.rows import read_table
from toolkit.policy.language.rules import Row, TableDocument
from toolkit.policy.language.transitions import MachineDocument, read_machine
from toolkit.policy.problems import Flawed, Problems
from toolkit.policy.syntax.forms import Form


class Vocabularies(Mapping[str, Vocabulary]):
    """The vocabularies of a set, each read when first asked for."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._read: dict[str, Vocabulary] = {}
        self._broken: set[str] = set()

    def check(self, document: str, form: Form) -> None:
        """Read one now; where it is broken, what refers to it is not told again."""
        self._broken.add(document)
        self._read[document] = heads.read_vocabulary(self._entries[document].head, form, form.problems)
        self._broken.discard(document)

    def __getitem__(self, document: str) -> Vocabulary:
        if document in self._broken:
            raise Flawed
        if document not in self._read:
            entry = self._entries[document]
            if entry.head.kind != "vocabulary":
                raise KeyError(document)
            with opened(entry) as form:
                self._read[document] = heads.read_vocabulary(entry.head, form, form.problems)
        return self._read[document]

    def __iter__(self) -> Iterator[str]:
        return (document for document in self._entries if self._entries[document].head.kind == "vocabulary")

    def __len__(self) -> int:
        return sum(1 for _ in self)


class RuleReader:
    """Reads tables and machines against the vocabularies of their set; all patterns are on one account."""

    def __init__(self, vocabularies: Mapping[str, Vocabulary], effects: Collection[str]) -> None:
        self.vocabularies = vocabularies
        self.effects = frozenset(effects)
        self.budget = PatternBudget()

    def table(self, entry: Entry, form: Form) -> TableDocument:
        document = read_table(entry.head, form, Declarations(self.vocabularies, form.problems), self.budget)
        return replace(document, rows=_credited_rows(document.rows, entry)) if entry.edits else document

    def machine(self, entry: Entry, form: Form) -> MachineDocument:
        declarations = Declarations(self.vocabularies, form.problems)
        document = read_machine(entry.head, form, declarations, self.budget, self.effects)
        if not entry.edits:
            return document
        events = document.events.items()
        credited = {name: replace(event, rows=_credited_rows(event.rows, entry)) for name, event in events}
        return replace(document, events=credited)


def whole(entry: Entry, problems: Problems) -> Form:
    """The form of a whole document."""
    return Form(entry.node, "the document", problems, strict=False)


@contextmanager
def opened(entry: Entry) -> Iterator[Form]:
    """One document of a set by itself; its problems are raised as one error."""
    problems = Problems()
    with problems.within(entry.head.id):
        yield whole(entry, problems)
    problems.raise_if_any()


def _credited_rows(rows: tuple[Row, ...], entry: Entry) -> tuple[Row, ...]:
    """Rows with the layer that gave each, and with its overlay's source where the row names none."""
    if not entry.edits:
        return rows
    return tuple(_credited(row, entry) for row in rows)


def _credited(row: Row, entry: Entry) -> Row:
    edit = entry.edit_at(row.mark)
    return row if edit is None else row._replace(layer=edit.layer, source=row.source or edit.source)
