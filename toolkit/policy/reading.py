"""Reading the documents of one set of entries, each by itself: vocabularies when first named, tables, machines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from toolkit.policy import documents
from toolkit.policy.declarations import Declarations
from toolkit.policy.documents import Vocabulary
from toolkit.policy.effective import Entry
from toolkit.policy.forms import Form
from toolkit.policy.origins import credited
from toolkit.policy.patterns import PatternBudget
from toolkit.policy.problems import Flawed, Problems
from toolkit.policy.rows import read_table
from toolkit.policy.rules import TableDocument
from toolkit.policy.transitions import MachineDocument, read_machine


class Vocabularies(Mapping[str, Vocabulary]):
    """The vocabularies of a set, each read when first asked for."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._read: dict[str, Vocabulary] = {}
        self._broken: set[str] = set()

    def check(self, document: str, form: Form) -> None:
        """Read one now; where it is broken, what refers to it is not told again."""
        self._broken.add(document)
        self._read[document] = documents.read_vocabulary(self._entries[document].head, form, form.problems)
        self._broken.discard(document)

    def __getitem__(self, document: str) -> Vocabulary:
        if document in self._broken:
            raise Flawed
        if document not in self._read:
            entry = self._entries[document]
            if entry.head.kind != "vocabulary":
                raise KeyError(document)
            with opened(entry) as form:
                self._read[document] = documents.read_vocabulary(entry.head, form, form.problems)
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
        return replace(document, rows=credited(document.rows, entry)) if entry.edits else document

    def machine(self, entry: Entry, form: Form) -> MachineDocument:
        declarations = Declarations(self.vocabularies, form.problems)
        document = read_machine(entry.head, form, declarations, self.budget, self.effects)
        if not entry.edits:
            return document
        events = {name: replace(event, rows=credited(event.rows, entry)) for name, event in document.events.items()}
        return replace(document, events=events)


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
