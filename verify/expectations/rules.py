"""``verify.expectations`` as code uses it: names as plain words, patterns compiled once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from verify.captured import FrontMatterRules
from verify.criteria.pieces import plain_words
from verify.patterns import compiled
from verify.words import either

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

DOCUMENT: Final = "verify.expectations"

# The fields of a wish that code asks for; how they are written stands in the policy.
WISH_ID: Final = "wish_id"
LINKED: Final = "linked"
EVIDENCE_TYPE: Final = "evidence_type"
VERIFICATION_MODE: Final = "verification_mode"
EVIDENCE_ARTIFACT: Final = "evidence_artifact"
OVERRIDE: Final = "override"
OVERRIDE_BY: Final = "override_by"
OVERRIDE_CLASS: Final = "override_class"
OVERRIDE_ARTIFACT: Final = "override_artifact"
HISTORY: Final = "history"
CURRENT: Final = "current"


class FieldRules(NamedTuple):
    """``shown`` is the name as a message gives it.

    ``known_from`` is the version from which on the field says something, ``required_from`` the one that owes it, null:
    none.
    """

    field: str
    shown: str
    known_from: int
    required_from: int | None


class WiringRules(NamedTuple):
    """Where the name of reproducible evidence may stand, and the bounds of the search (entries, bytes)."""

    mode: str
    suffixes: tuple[str, ...]
    skipped: frozenset[str]
    max_names: int
    max_entries: int
    max_file_bytes: int
    max_total_bytes: int


class OverrideRules(NamedTuple):
    """``min_chars`` counts characters. ``recorded_in`` are kinds of shared documents, see ``verify.artifacts``."""

    min_chars: int
    accepted_by: tuple[str, ...]
    classes: tuple[str, ...]
    recorded_in: tuple[str, ...]


class ExpectationRules(NamedTuple):
    """Everything that the policy says about expectations. Words that are compared are plain words or case-folded.

    Indents and the distance between tab stops are in columns. ``static_type`` and ``static_min`` say when a survey
    warns that nothing but looking proves the wishes of a task.
    """

    front_matter: FrontMatterRules
    deprecated: frozenset[str]
    owed_at: frozenset[str]
    headings: tuple[str, ...]
    section: tuple[str, ...]
    level: int
    field_indent: int
    entry_indent: int
    tab: int
    wish_id: str
    fields: Mapping[str, FieldRules]
    names: Mapping[str, str]
    longest_name: int
    linked_family: str
    separators: tuple[str, ...]
    parts_min: int
    reasons: tuple[str, ...]
    statuses: Mapping[str, str]
    resolved: frozenset[str]
    remarks: tuple[str, ...]
    evidence_types: tuple[str, ...]
    static_type: str
    static_min: int
    verification_modes: tuple[str, ...]
    wiring: WiringRules
    override: OverrideRules

    @classmethod
    def from_policy(cls, policies: PolicySet) -> ExpectationRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        value = cast("Mapping[str, Any]", policies.data(DOCUMENT))
        front, fields, section = value["front_matter"], value["fields"], value["section"]
        names = {plain_words(name): one["field"] for one in fields for name in one["names"]}
        return cls(
            front_matter=FrontMatterRules(tuple(front["keys"]), front["artifact"], tuple(front["versions"])),
            deprecated=frozenset(front["deprecated"]),
            owed_at=frozenset(value["owed_at"]),
            headings=tuple(map(plain_words, section["headings"])),
            section=tuple(section["headings"]),
            level=section["level"],
            field_indent=value["indent"]["field"],
            entry_indent=value["indent"]["entry"],
            tab=value["indent"]["tab"],
            wish_id=value["wish_id"],
            fields={
                one["field"]: FieldRules(one["field"], one["names"][0], one["known_from"], one["required_from"])
                for one in fields
            },
            names=names,
            longest_name=max(map(len, names)) + MARKS,
            linked_family=value["linked_family"],
            separators=tuple(value["history"]["separators"]),
            parts_min=value["history"]["parts_min"],
            reasons=tuple(value["history"]["reasons"]),
            statuses={written: one["status"] for one in value["statuses"] for written in one["written"]},
            resolved=frozenset(one["status"] for one in value["statuses"] if one["resolved"]),
            remarks=tuple(value["remarks"]),
            evidence_types=tuple(value["evidence_types"]),
            static_type=value["all_static"]["evidence_type"],
            static_min=value["all_static"]["wishes_min"],
            verification_modes=tuple(value["verification_modes"]),
            wiring=_wiring(value["wiring"]),
            override=OverrideRules(
                value["override"]["min_chars"],
                *(tuple(value["override"][key]) for key in ("accepted_by", "classes", "recorded_in")),
            ),
        )

    def is_slug(self, text: str) -> bool:
        """Whether a text is an id of a wish. Raises ``PolicyError`` (``invalid_pattern``)."""
        return _slug(self.wish_id).fullmatch(text) is not None

    def is_history(self, text: str) -> bool:
        """Whether a text is an entry of a history: its parts, and a reason."""
        parts = _separator(self.separators).split(text)
        return len(parts) >= self.parts_min and _reason(self.reasons).search(text) is not None

    def term(self, text: str, known: Iterable[str]) -> str | None:
        """The one of ``known`` (any case) that ``text`` is: alone, or with a remark that names no other one.

        Signs around it (a tick, quotation marks) say nothing. A remark in words must begin as one does, so that the
        beginning of a sentence is no term; one that asks leaves the term in doubt.
        """
        words = {word.casefold(): word for word in known}
        start = next((at for at, char in enumerate(text) if char.isalnum()), len(text))
        first, *rest = text[start:].casefold().split(maxsplit=1) or [""]
        bare = first.rstrip(STOPS)
        if bare not in words:
            return None
        remark = first[len(bare) :].strip(STOPS) + " ".join(rest)
        said = any(map(str.isalnum, remark))
        if "?" in remark or (said and not first[len(bare) :].strip(EDGES) and not remark.startswith(self.remarks)):
            return None
        others = {word for word in re.findall(r"[\w/-]+", remark) if word in words and word != bare}
        return None if others else words[bare]


MARKS: Final = 20  # characters of emphasis and blanks around the name of a field
EDGES: Final = " \t*`\"'«»"
STOPS: Final = EDGES + ".,;:"


def _wiring(value: Mapping[str, Any]) -> WiringRules:
    return WiringRules(
        mode=value["mode"],
        suffixes=tuple(value["suffixes"]),
        skipped=frozenset(value["skipped"]),
        max_names=value["max_names"],
        max_entries=value["max_entries"],
        max_file_bytes=value["max_file_bytes"],
        max_total_bytes=value["max_total_bytes"],
    )


@cache
def _slug(pattern: str) -> Any:
    return compiled(pattern, DOCUMENT)


@cache
def _separator(signs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(either(signs))


@cache
def _reason(words: tuple[str, ...]) -> re.Pattern[str]:
    """``reason:`` with something after it."""
    return re.compile(rf"(?<!\w)(?:{either(words)})[ \t]*+[:：]\s*+\S", re.IGNORECASE)
