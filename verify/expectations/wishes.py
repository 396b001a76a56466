"""A wish as a value, made of its item; and what the item lacks of a wish."""

from __future__ import annotations

from typing import NamedTuple

from toolkit.reporting.visible import visible
from verify.captured import SHOWN, Problem
from verify.criteria.labels import find_mentions
from verify.criteria.rules import LabelRules
from verify.expectations.items import Item, Part, Text
from verify.expectations.lines import Line
from verify.expectations.rules import (
    CURRENT,
    EVIDENCE_ARTIFACT,
    EVIDENCE_TYPE,
    HISTORY,
    LINKED,
    OVERRIDE,
    OVERRIDE_ARTIFACT,
    OVERRIDE_BY,
    OVERRIDE_CLASS,
    VERIFICATION_MODE,
    WISH_ID,
    ExpectationRules,
)

SINGLE = (
    WISH_ID,
    EVIDENCE_TYPE,
    VERIFICATION_MODE,
    EVIDENCE_ARTIFACT,
    OVERRIDE,
    OVERRIDE_BY,
    OVERRIDE_CLASS,
    OVERRIDE_ARTIFACT,
)
NOWHERE = Text("", 0)


class Wish(NamedTuple):
    """One wish. Lines are 1-based, 0 where nothing stands; ``line`` is the item's own.

    ``linked`` are the labels of the family that the graph binds, ranges expanded, each once. ``status`` is a status
    of ``verify.expectations``, null where none can be read. Texts are empty where they are not given.
    """

    wish_id: str
    title: str
    line: int
    linked: tuple[str, ...]
    linked_line: int
    status: str | None
    status_line: int
    evidence_type: str
    verification_mode: str
    evidence_artifact: Text
    override: Text
    override_by: str
    override_class: str
    override_artifact: str

    @property
    def name(self) -> str:
        """How a message calls the wish: by its id, else by its title."""
        return self.wish_id or self.title


class WishChecker:
    """Turns items into wishes and notes what each of them lacks; ``unlinked`` are the lines of those without a link."""

    def __init__(self, rules: ExpectationRules, labels: LabelRules, version: int) -> None:
        self._rules = rules
        self._labels = labels
        self._version = version
        self._ids: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.unlinked: set[int] = set()

    def wish(self, item: Item) -> Wish:
        for name in self._rules.fields:
            fault = self._absence(item, name)
            if fault is not None:
                self._note(*fault, item)
                if name == LINKED:
                    self.unlinked.add(item.line)
        self._check_single(item)
        self._check_history(item)
        wish_id, linked, (status, status_line) = self._wish_id(item), _joined(item, LINKED), self._status(item)
        return Wish(
            wish_id=wish_id,
            title=visible(item.title),
            line=item.line,
            linked=self._linked(linked.value),
            linked_line=linked.line,
            status=status,
            status_line=status_line,
            evidence_type=self._one_of(item, EVIDENCE_TYPE, self._rules.evidence_types),
            verification_mode=self._one_of(item, VERIFICATION_MODE, self._rules.verification_modes),
            evidence_artifact=_first(item, EVIDENCE_ARTIFACT),
            override=_first(item, OVERRIDE),
            override_by=_first(item, OVERRIDE_BY).value,
            override_class=_first(item, OVERRIDE_CLASS).value,
            override_artifact=_first(item, OVERRIDE_ARTIFACT).value,
        )

    def _note(self, line: int, code: str, message: str, item: Item) -> None:
        shown = visible(item.title, SHOWN)
        self.problems.append(Problem(line, code, f"{message} (wish {shown!r}, line {item.line})"))

    def _owed(self, name: str) -> bool:
        since = self._rules.fields[name].required_from
        return since is not None and self._version >= since

    def _absence(self, item: Item, name: str) -> tuple[int, str, str] | None:
        """Line, code and message where a field that is owed says nothing, or a known one stands at a wrong place."""
        shown, parts = self._rules.fields[name].shown, item.parts.get(name, [])
        if parts:
            if name not in (HISTORY, CURRENT) and self._owed(name) and not any(map(_says_something, parts)):
                return parts[0].line, "field-empty", f"{shown} says nothing"
            return None
        stray = item.stray.get(name) or (item.loose.get(name) if self._owed(name) else None)
        if stray is not None and name == WISH_ID and stray is item.stray.get(name):
            return None  # told where it was read
        if stray is not None:
            wanted = self._rules.field_indent
            message = f"{shown} stands at the wrong indent: {stray.indent} instead of {wanted} spaces"
            return stray.number, "field-indent", message
        return (item.line, "field-missing", f"{shown} is missing") if self._owed(name) else None

    def _check_single(self, item: Item) -> None:
        """A field that means one thing is not given twice with two values."""
        for name in SINGLE:
            parts = item.parts.get(name, [])
            if len({part.text.value for part in parts}) > 1:
                shown = self._rules.fields[name].shown
                message = f"{shown} is given twice, first on line {parts[0].line}"
                self._note(parts[1].line, "field-twice", message, item)

    def _wish_id(self, item: Item) -> str:
        said = _first(item, WISH_ID)
        if not said.value:
            return ""
        if not self._rules.is_slug(said.value):
            message = f"wish_id {visible(said.value, SHOWN)!r} is no slug (letters and digits, with hyphens between)"
            self._note(said.line, "wish-id", message, item)
            return said.value
        first = self._ids.setdefault(said.value, said.line)
        if first != said.line:
            message = f"wish_id {visible(said.value, SHOWN)!r} is taken, by the wish of line {first}"
            self._note(said.line, "wish-id-twice", message, item)
        return said.value

    def _linked(self, text: str) -> tuple[str, ...]:
        """The labels that the link names; what stands in brackets is a remark."""
        family = f"{self._rules.linked_family}-"
        mentions = find_mentions(_without_remarks(text), self._labels)
        return tuple(dict.fromkeys(label for one in mentions for label in one.labels if label.startswith(family)))

    def _one_of(self, item: Item, name: str, known: tuple[str, ...]) -> str:
        """The value of a field that is known at this version; empty where it is none of ``known``."""
        said = _first(item, name)
        if not said.value or self._version < self._rules.fields[name].known_from:
            return ""
        term = self._rules.term(said.value, known)
        if term is None:
            message = (
                f"{name} not in enum: it is {visible(said.value, SHOWN)!r}, and has to be one of {', '.join(known)}"
            )
            self._note(said.line, "field-value", message, item)
        return term or ""

    def _status(self, item: Item) -> tuple[str | None, int]:
        """The current status and its line."""
        parts = item.parts.get(CURRENT, [])
        if not parts:
            return None, 0
        entries = [entry for part in parts for entry in part.entries]
        if not entries:
            self._entry_missing(item, parts, "a status")
            misplaced = _misplaced(parts)
            term = self._rules.term(misplaced.text, self._rules.statuses) if misplaced is not None else None
            return (self._rules.statuses[term] if term is not None else None), parts[0].line
        text, line = entries[0].text
        first = self._rules.term(text, self._rules.statuses)
        said = (self._rules.term(entry.text.value, self._rules.statuses) for entry in entries)
        told = dict.fromkeys(self._rules.statuses[term] for term in said if term is not None)
        if first is not None and len(told) == 1:
            return self._rules.statuses[first], line
        known = ", ".join(dict.fromkeys(self._rules.statuses.values()))
        message = f"the current status is {visible(text, SHOWN)!r}, and has to be one of {known}"
        if first is not None:
            message = f"there are several current statuses: {', '.join(told)}"
        self._note(line, "status", message, item)
        return None, line

    def _check_history(self, item: Item) -> None:
        parts = item.parts.get(HISTORY, [])
        entries = [entry.text for part in parts for entry in part.entries]
        if not parts or any(self._rules.is_history(entry.value) for entry in entries):
            return
        if entries:
            message = "the status history has no entry of the form - when · who · what · reason: why"
            self._note(entries[0].line, "history", message, item)
        else:
            self._entry_missing(item, parts, "an entry")

    def _entry_missing(self, item: Item, parts: list[Part], what: str) -> None:
        shown, wanted = self._rules.fields[parts[0].name].shown, self._rules.entry_indent
        misplaced = _misplaced(parts)
        if misplaced is not None and misplaced.indent == wanted:
            message = f"{what} does not stand right below {shown}, but below another field"
            self._note(misplaced.number, "entry-place", message, item)
        elif misplaced is not None:
            message = f"{what} below {shown} stands at the wrong indent: {misplaced.indent} instead of {wanted} spaces"
            self._note(misplaced.number, "entry-indent", message, item)
        else:
            message = f"below {shown} there is no line - {what} at {wanted} spaces"
            self._note(parts[0].line, "entry-missing", message, item)


def _misplaced(parts: list[Part]) -> Line | None:
    """An entry that stands at a wrong place."""
    return next((part.misplaced for part in parts if part.misplaced is not None), None)


def _says_something(part: Part) -> bool:
    return bool(part.text.value) or part.filled


def _first(item: Item, name: str) -> Text:
    """The first statement of a field that says something."""
    texts = [part.text for part in item.parts.get(name, [])]
    return next((text for text in texts if text.value), texts[0] if texts else NOWHERE)


def _joined(item: Item, name: str) -> Text:
    """All statements of a field as one."""
    texts = [part.text for part in item.parts.get(name, [])]
    return Text(", ".join(text.value for text in texts), texts[0].line) if texts else NOWHERE


def _without_remarks(text: str) -> str:
    """``text`` without what stands in round brackets that close."""
    kept, at = [], 0
    while (start := text.find("(", at)) >= 0 and (end := text.find(")", start)) >= 0:
        kept.append(text[at:start])
        at = end + 1
    return "".join([*kept, text[at:]])
