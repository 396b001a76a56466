"""``verify.spec-graph`` as code uses it: how requirements are spelled, and what is due of the graph when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from verify.criteria import CriteriaRules
from verify.criteria.rules import LabelRules
from verify.words import either, folded_in_order, longest_first

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

DOCUMENT: Final = "verify.spec-graph"

# The rules that code knows how to judge; how grave each is and when it is due stands in the policy.
ID_FORMAT: Final = "dreq-id-format"
ID_UNIQUE: Final = "dreq-id-unique"
RESOLVES: Final = "covers-resolves"
DANGLING: Final = "dreq-dangling"
ORPHAN: Final = "dreq-orphan"
COVERS_PRESENT: Final = "vac-covers-present"
BINDING_PRESENT: Final = "vac-binding-present"
NO_DUPLICATE: Final = "binding-no-duplicate"
AXIS_SEPARATION: Final = "axis-separation"
COMPLETE: Final = "graph-complete-l3"
DELIVERABLE_COVERAGE: Final = "vac-deliverable-coverage"

# What a rule may need, as the policy calls it.
NEEDS_PLAN: Final = "plan"
NEEDS_EXPECTATIONS: Final = "expectations"

ERROR: Final = "error"
WARNING: Final = "warning"
INFO: Final = "info"


class Rule(NamedTuple):
    """How grave a rule is, at which levels it is due, and which documents it can't be judged without.

    A mandatory one can't be ignored.
    """

    name: str
    severity: str
    mandatory: bool
    levels: frozenset[str]
    needs: frozenset[str]


class Mode(NamedTuple):
    """The variable of the environment that says what an error does, its terms, and what it is when unset."""

    variable: str
    default: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class RequirementLabels(LabelRules):
    """How an id of a requirement is spelled, rightly or wrongly: the first of ``families`` is the right one."""

    digits_min: int
    letters_max: int
    placeholders: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """As that of criteria, with the same groups, but that a body may be letters: an id that is none."""
        family = either(self.families)
        most, numbered = self.letters_max, r"[0-9]{1,9}+(?:\.[0-9]{1,6}+){0,3}+[a-z]?"
        lettered = rf"[A-Za-z]{{1,{most}}}-?[0-9]{{1,9}}+|[A-Z]{{1,{most}}}|{either(self.placeholders)}"
        body = rf"{numbered}|(?<=[-_])(?:{lettered})"

        def label(prefix: str) -> str:
            return (
                rf"(?P<{prefix}family>{family})(?P<{prefix}axis>(?!))?"
                rf"(?:[-_ ]|(?=[0-9]))(?P<{prefix}body>{body})"
            )

        signs, gap = either(self.range_signs), "[ \t]{0,3}"
        hyphens = [word for word in self.range_words if not word.isalnum()]
        words = either(word for word in self.range_words if word.isalnum())
        full = rf"{gap}(?:{signs}|{either(hyphens)}|(?<=[ \t])(?:{words})(?=[ \t])){gap}{label('last_')}"
        tail = rf"(?P<tail>(?:(?:{either([*self.range_signs, *hyphens, *self.list_signs])})[0-9]{{1,9}}+)++)"
        return re.compile(rf"(?<![\w-]){label('')}(?:(?:{full}|{tail}){_END}|{_END})")

    @property
    def family(self) -> str:
        return self.families[0]

    @cached_property
    def _well_formed(self) -> re.Pattern[str]:
        return re.compile(rf"{re.escape(self.family)}-[0-9]{{{self.digits_min},}}")

    @cached_property
    def _number(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{either(self.families)})-(?P<body>.+)")

    def well_formed(self, label: str) -> bool:
        """Whether a label is an id as it has to be."""
        return self._well_formed.fullmatch(label) is not None

    def meant(self, label: str) -> str:
        """The id that a label most likely means: of the right family, and with digits enough."""
        match = self._number.fullmatch(label)
        body = match["body"] if match else label
        return f"{self.family}-{body.zfill(self.digits_min) if body.isdigit() else body}"


# What may not follow a label directly: more of a word, a hyphen that goes on, a further dotted part.
_END: Final = r"(?!\w|-\w|\.[0-9])"


@dataclass(frozen=True)
class SpecRules:
    """Everything that the policy says about the spec graph.

    ``requirements`` are the rules by which a declaration is found: those of criteria, with the labels of requirements.
    """

    criteria: CriteriaRules
    requirements: CriteriaRules
    labels: RequirementLabels
    deferred: tuple[str, ...]
    criteria_prefix: str
    settled: frozenset[str]
    with_plan: frozenset[str]
    with_evidence: frozenset[str]
    floor_stages: Mapping[str, str]
    most_pairs: int
    mode: Mode
    category: str
    rules: Mapping[str, Rule]

    @classmethod
    def from_policy(cls, policies: PolicySet, criteria: CriteriaRules) -> SpecRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        value = cast("Mapping[str, Any]", policies.data(DOCUMENT))
        labels = _labels(value["requirements"], criteria.labels)
        words = longest_first(folded_in_order(value["requirements"]["lead_words"]))
        return cls(
            criteria=criteria,
            requirements=replace(criteria, labels=labels, definitions=criteria.definitions._replace(lead_words=words)),
            labels=labels,
            deferred=tuple(value["requirements"]["deferred"]),
            criteria_prefix=value["criteria_family"] + "-",
            settled=frozenset(value["settled_statuses"]),
            with_plan=frozenset(value["with_plan"]),
            with_evidence=frozenset(value["with_evidence"]),
            floor_stages=value["floor_stages"],
            most_pairs=value["most_pairs"],
            mode=Mode(value["mode"]["variable"], value["mode"]["default"], tuple(value["mode"]["terms"])),
            category=value["category"],
            rules={one["rule"]: _rule(one) for one in value["rules"]},
        )

    def binds(self, label: str) -> bool:
        """Whether the graph binds a label of a criterion."""
        return label.startswith(self.criteria_prefix)


def _rule(value: Mapping[str, Any]) -> Rule:
    levels, needs = frozenset(value["levels"]), frozenset(value["needs"])
    return Rule(value["rule"], value["severity"], value["mandatory"], levels, needs)


def _labels(value: Mapping[str, Any], criteria: LabelRules) -> RequirementLabels:
    return RequirementLabels(
        families=(value["family"], *value["misspelt"]),
        separators=criteria.separators,
        folds={**criteria.folds, **{ord(written): meant for written, meant in value["folds"].items()}},
        range_signs=criteria.range_signs,
        range_words=criteria.range_words,
        range_max=criteria.range_max,
        list_signs=criteria.list_signs,
        digits_min=value["digits_min"],
        letters_max=value["letters_max"],
        placeholders=tuple(value["placeholders"]),
    )
