"""Two tables in the words of one: the facts that both take, and the rows of each as conditions on these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from toolkit.authoring.comparison.types import Fields, NothingShared, shared_fields
from toolkit.policy.deciding.columns import Cell, names_of
from toolkit.policy.language.arithmetic import Number, Term
from toolkit.policy.language.conditions import AllOf, Compare, Condition, Equals, Items, Not, OneOf
from toolkit.policy.language.rules import Let, Produced, Reference, TableDocument, When
from toolkit.policy.proofs.mentions import range_cells
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import Input, ListType, RecordType, TermType, Type

Facts = Mapping[str, object]


class Answer(NamedTuple):
    """What a row says: a reason code, or what the outputs are, and the cells in which its integers are legal ones."""

    error: str | None
    then: Mapping[str, Produced]
    ranges: tuple[Cell, ...]


class Side(NamedTuple):
    """One of the two tables: its rows, with the names that the joint table has for what they name."""

    document: TableDocument
    whens: tuple[When, ...]
    answers: tuple[Answer, ...]

    def facts(self, joint: Facts, each: str | None) -> dict[str, object]:
        """What this table is asked of the joint facts: the names that it declares. ``each`` is the joint one."""
        facts: dict[str, object] = {}
        for name in self.document.inputs:
            if name == self.document.each and each is not None:
                fields = self.document.item_fields
                items: Any = joint[each]
                facts[name] = [{field: item[field] for field in fields} for item in items]
            else:
                facts[name] = joint[name]
        return facts


class Joint(NamedTuple):
    """Both tables over the same facts. ``document`` has the inputs and lets of both, and no rows."""

    document: TableDocument
    before: Side
    after: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        """The one and the other."""
        return self.before, self.after

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs that both have."""
        return tuple(name for name in self.before.document.outputs if name in self.after.document.outputs)

    def asked(self, joint: Facts) -> tuple[dict[str, object], dict[str, object]]:
        """The facts with which each side is asked."""
        each = self.document.each
        return self.before.facts(joint, each), self.after.facts(joint, each)

    def witness(self, joint: Facts) -> dict[str, object]:
        """The facts of both sides together; an item has the fields of both."""
        own = self.before.document.each
        renamed = {} if own is None else {own: joint[self.document.each or ""]}
        return {**renamed, **joint}


def joined(before: TableDocument, after: TableDocument) -> Joint:
    """Two tables that both have ``each``, or neither, as one. Raises ``NothingShared``.

    Facts are legal in both: a name that only one side declares is free for the other. Lets that compute the same are
    one let, whatever they are called; lets that don't have a name each. What a vocabulary says of strength is spelt
    out, so that a row means on either side what it meant there.
    """
    inputs = _inputs(before, after)
    lets: dict[str, Let] = {}
    keys: dict[object, str] = {}
    taken = {*before.inputs, *after.inputs, *before.item_fields, *after.item_fields}
    base = replace(after, inputs=inputs, lets=(), rows=(), require=(), stronger={})
    kinds = names_of(base)
    renamed = []
    for document in (before, after):
        names: dict[str, str] = {}
        for let in document.lets:
            term = _term(let.term, names)
            key = _key(term)
            if key not in keys:
                keys[key] = _free(let.name, {*taken, *lets})
                optional = any(lets[one].optional if one in lets else kinds[one][1] for one in term.names)
                lets[keys[key]] = Let(keys[key], term, optional)
            names[let.name] = keys[key]
        renamed.append(names)
    document = replace(base, lets=tuple(lets.values()))
    kinds = names_of(document)
    sides = [_side(one, names, kinds) for one, names in zip((before, after), renamed, strict=True)]
    return Joint(document, *sides)


def _inputs(before: TableDocument, after: TableDocument) -> Mapping[str, Input]:
    roles: dict[str, str] = {}
    for document in (before, after):
        own = {name: "each" if name == document.each else "input" for name in document.inputs}
        for name, role in {**own, **dict.fromkeys(document.item_fields, "field")}.items():
            if roles.setdefault(name, role) != role:
                raise NothingShared(name)
    found: Fields = shared_fields(_plain(before), _plain(after))
    if after.each is not None:
        fields = shared_fields({**before.item_fields}, {**after.item_fields})
        found[after.each] = replace(after.inputs[after.each], type=ListType(RecordType(fields)))
    return found


def _plain(document: TableDocument) -> Fields:
    return {name: declared for name, declared in document.inputs.items() if name != document.each}


def _free(name: str, taken: set[str]) -> str:
    """A name that nothing else has; no name of a document ends in an apostrophe."""
    while name in taken:
        name += "'"
    return name


def _term(term: Term, names: Mapping[str, str]) -> Term:
    """An expression over the joint names."""
    if term.operator == "name":
        (name,) = term.names
        joint = names.get(name, name)
        return replace(term, names=frozenset((joint,)), evaluate=lambda values: term.evaluate({name: values[joint]}))
    parts = tuple(_term(part, names) for part in term.parts)
    own = {name: names.get(name, name) for name in term.names}
    return replace(
        term,
        names=frozenset(own.values()),
        parts=parts,
        evaluate=lambda values: term.evaluate({name: values[joint] for name, joint in own.items()}),
    )


def _key(term: Term) -> object:
    """The same for expressions that are seen to compute the same without computing."""
    names = tuple(term.names) if term.operator == "name" else ()
    return term.operator, term.constant, term.factor, names, tuple(map(_key, term.parts))


def minus(one: str, other: str) -> Term:
    """The difference of two names."""
    first, second = (Term(_read(name), frozenset((name,))) for name in (one, other))
    negative = Term(lambda values: -second.evaluate(values), second.names, operator="*", parts=(second,), factor=-1)
    names = first.names | second.names
    return Term(lambda values: _difference(values, one, other), names, operator="+", parts=(first, negative))


def _read(name: str) -> Any:
    return lambda values: values[name]


def _difference(values: Mapping[str, Any], one: str, other: str) -> Number:
    difference: Number = values[one] - values[other]
    return difference


def _side(document: TableDocument, names: Mapping[str, str], kinds: Mapping[str, tuple[Type, bool]]) -> Side:
    def cell(name: str, condition: Condition) -> Cell:
        joint = names.get(name, name)
        return joint, spelt(condition, kinds[joint][0])

    def when(read: When) -> When:
        return When(tuple(cell(*one) for one in read.cells), tuple(map(when, read.any_of)))

    answers = []
    for row in document.rows:
        then = {output: _produced(value, names) for output, value in row.then.items()}
        answers.append(Answer(row.error, then, tuple(cell(*one) for one in range_cells(document, row))))
    return Side(document, tuple(when(row.when) for row in document.rows), tuple(answers))


def _produced(produced: Produced, names: Mapping[str, str]) -> Produced:
    if isinstance(produced, Reference):
        return Reference(names.get(produced.name, produced.name))
    return tuple(_produced(part, names) for part in produced) if isinstance(produced, tuple) else produced


def spelt(condition: Condition, kind: Type) -> Condition:
    """A condition in the one way to say it: terms are named, not compared, and alternatives are sorted."""
    if isinstance(condition, Not):
        return Not(spelt(condition.inner, kind))
    if isinstance(condition, AllOf):
        return AllOf(tuple(spelt(part, kind) for part in condition.parts))
    if isinstance(condition, Items):
        if condition.operator == "count" or not isinstance(kind, ListType):
            return condition
        return Items(condition.operator, spelt(condition.inner, kind.items))
    if isinstance(condition, Compare) and condition.term is not None and isinstance(kind, TermType):
        holds = condition.compile()
        return _alternatives(term for term in kind.terms if holds(term))
    if isinstance(condition, OneOf):
        return _alternatives(condition.values)
    return condition


def _alternatives(values: Iterator[Scalar] | tuple[Scalar, ...]) -> Condition:
    found = tuple(sorted(set(values), key=lambda value: (value is None, str(type(value)), value)))
    return Equals(found[0]) if len(found) == 1 else OneOf(found)


def key_of(when: When) -> object:
    """The same for conditions that are seen to be the same."""
    return frozenset(when.cells), frozenset(frozenset(one.cells) for one in when.any_of)
