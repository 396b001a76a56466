"""Approvals: whether a document says that it is approved, and in which words (Datarim formats, document shapes)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.artifacts import Artifact
from verify.criteria import CriteriaRules, says_something
from verify.criteria.pieces import plain_words
from verify.documents.dates import DateWords, dates_in
from verify.fields import Field, find_fields
from verify.words import folded, folded_in_order

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class ReportRules(NamedTuple):
    """Which documents are reports of a review, and how they say their day."""

    kinds: tuple[str, ...]
    date_keys: tuple[str, ...]
    date_labels: tuple[str, ...]


class NamingRules(NamedTuple):
    """When a word of an entry names a change: its least length, how much of it counts, and which never do."""

    shortest_word: int
    stem: int
    idle_words: frozenset[str]


class ApprovalRules(NamedTuple):
    """``verify.approvals`` as code uses it. Statuses, ``nobody`` and ``dates`` are folded, ``trails`` plain words."""

    documents: tuple[str, ...]
    status: str
    approved: frozenset[str]
    withdrawn: frozenset[str]
    keys: tuple[str, ...]
    nobody: frozenset[str]
    dated: tuple[str, ...]
    named: tuple[str, ...]
    trails: frozenset[str]
    reports: ReportRules
    naming: NamingRules
    most_versions: int
    dates: DateWords

    @classmethod
    def from_policy(cls, policies: PolicySet) -> ApprovalRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.approvals"))
        front, lines, reports, naming = value["front_matter"], value["lines"], value["reports"], value["naming"]
        return cls(
            documents=tuple(value["documents"]),
            status=front["status"],
            approved=folded(front["approved"]),
            withdrawn=folded(front["withdrawn"]),
            keys=tuple(front["keys"]),
            nobody=folded(front["nobody"]),
            dated=tuple(lines["dated"]),
            named=tuple(lines["named"]),
            trails=frozenset(map(plain_words, value["trails"])),
            reports=ReportRules(*(tuple(reports[key]) for key in ReportRules._fields)),
            naming=NamingRules(naming["shortest_word"], naming["stem"], folded(naming["idle_words"])),
            most_versions=value["most_versions"],
            dates=DateWords(tuple(map(folded_in_order, value["months"])), folded_in_order(value["ordinals"])),
        )


class Reading(NamedTuple):
    """All that reading an approved document takes. ``separator`` stands between the fields of one line."""

    rules: ApprovalRules
    criteria: CriteriaRules
    separator: str


class Approval(NamedTuple):
    """That a document is approved: ``said`` is all that says so, ``line`` (1-based) where the first of it stands.

    An approval in other words is another one: it was renewed.
    """

    said: tuple[str, ...]
    line: int


def find_approval(document: Artifact, reading: Reading) -> Approval | None:
    """The approval that a document states, in front matter or on a line of its own; null without one."""
    rules, front = reading.rules, document.front_matter
    statuses = [(value.casefold(), line) for value, line in front.entries(rules.status)]
    if any(status in rules.withdrawn for status, _ in statuses):
        return None
    said = [(f"{rules.status}: {status}", line) for status, line in statuses if status in rules.approved]
    for key in rules.keys:
        said += [(f"{key}: {value}", line) for value, line in front.entries(key) if _says_who(value, reading)]
    said += [(f"{field.name}: {field.written}", field.line) for field in approval_lines(document, reading)]
    return Approval(tuple(" ".join(text.split()) for text, _ in said), said[0][1]) if said else None


def approval_lines(document: Artifact, reading: Reading) -> Iterator[Field]:
    """The lines ``Approved: DATE by WHO`` of a document. One that has none of the words is not even parsed."""
    rules = reading.rules
    names, text = (*rules.dated, *rules.named), document.text.casefold()
    if not any(name in text for name in folded(names)):
        return
    dated = folded(rules.dated)
    for field in find_fields(document.blocks, names, reading.separator):
        undated = next(dates_in(field.written, rules.dates), None) is None
        if _says_who(field.written, reading) and not (undated and field.name.casefold() in dated):
            yield field


def _says_who(value: str, reading: Reading) -> bool:
    """Whether a value names somebody or a day, and is no stand-in for one."""
    return value.strip().casefold() not in reading.rules.nobody and says_something(value, reading.criteria.cues)
