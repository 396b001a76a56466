"""Checking a set as a whole: every document is read and held against its shape, so that all is told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolkit.policy.documents import heads
from toolkit.policy.documents.effective import Entry
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.language.transitions import MachineDocument
from toolkit.policy.loading.reading import RuleReader, Vocabularies, whole
from toolkit.policy.loading.shaped import check_shape
from toolkit.policy.problems import Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form

KINDS_IN_ORDER = ("vocabulary", "data", "table", "machine")  # what others name is read before them


@dataclass(frozen=True, slots=True)
class Checked:
    """The rules of a set that have no fault of their own, and the templates that its documents name."""

    vocabularies: Vocabularies
    templates: set[str] = field(default_factory=set)
    tables: dict[str, TableDocument] = field(default_factory=dict)
    machines: dict[str, MachineDocument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Against:
    """What documents are held against: shapes of payloads and templates by name, and the effects that code knows."""

    shapes: Mapping[str, bytes]
    templates: Mapping[str, bytes]
    effects: frozenset[str]


def check_entries(entries: Mapping[str, Entry], against: Against, problems: Problems) -> Checked:
    """Read every document once, vocabularies first. Every fault is recorded, proofs aside."""
    checked = Checked(Vocabularies(entries))
    reader = RuleReader(checked.vocabularies, against.effects)
    for document, entry in sorted(entries.items(), key=lambda item: KINDS_IN_ORDER.index(item[1].head.kind)):
        with problems.within(document):
            before = problems.faults
            form = whole(entry, problems)
            if entry.head.kind == "vocabulary":
                checked.vocabularies.check(document, form)
            elif entry.head.kind == "table":
                table = reader.table(entry, form)
                if problems.faults == before:  # of rules that are faulty nothing can be proved
                    checked.tables[document] = table
            elif entry.head.kind == "machine":
                machine = reader.machine(entry, form)
                if problems.faults == before:
                    checked.machines[document] = machine
            else:
                checked.templates.update(_check_data(entry, form, against))
    return checked


def _check_data(entry: Entry, form: Form, against: Against) -> set[str]:
    """Hold a payload against its shape; the templates that it names and that are there."""
    problems = form.problems
    data = heads.read_data(entry.head, form)
    for name, node in zip(data.templates, form.items(heads.TEMPLATES), strict=True):
        if name not in against.templates:
            hint = did_you_mean(name, against.templates)
            problems.add("unknown_template", f"there is no template {shown(name)}", node.mark, hint)
    check_shape(form.need("value"), data.shape, form.need("shape").mark, against.shapes, problems)
    return against.templates.keys() & set(data.templates)
