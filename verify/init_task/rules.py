"""``verify.init-task`` as code uses it; words that are compared are plain words or case-folded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.captured import FrontMatterRules
from verify.criteria.pieces import plain_words
from verify.words import folded

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class HeadingRules(NamedTuple):
    """The headings that are owed, each by the spellings that it may begin with, and how a message shows it."""

    level: int
    owed: tuple[tuple[str, ...], ...]
    shown: tuple[str, ...]


class QuestionRules(NamedTuple):
    """A block of a question and its answer. ``labels`` maps a field to how its label begins.

    ``rationale_min`` counts characters that are no white space.
    """

    marker: str
    shown_marker: str
    command: str
    round: str
    labels: Mapping[str, str]
    shown: Mapping[str, str]
    owed: tuple[str, ...]
    deciders: tuple[str, ...]
    explained: frozenset[str]
    rationale_min: int


class Saying(NamedTuple):
    """A key of a front matter that says one of some values (case-folded)."""

    key: str
    values: frozenset[str]


class InitTaskRules(NamedTuple):
    """Everything that the policy says about init tasks, the date of a task and who is exempt."""

    front_matter: FrontMatterRules
    headings: HeadingRules
    questions: QuestionRules
    dates: tuple[str, ...]
    window_days: int
    exempt: tuple[Saying, ...]

    @classmethod
    def from_policy(cls, policies: PolicySet) -> InitTaskRules:
        """The rules of the loaded policies (their shape has proved the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.init-task"))
        front, headings = value["front_matter"], value["headings"]
        return cls(
            front_matter=FrontMatterRules(tuple(front["keys"]), front["artifact"], tuple(front["versions"])),
            headings=HeadingRules(
                headings["level"],
                tuple(tuple(map(plain_words, names)) for names in headings["owed"]),
                tuple(names[0] for names in headings["owed"]),
            ),
            questions=_questions(value["questions"]),
            dates=tuple(value["dates"]),
            window_days=value["window_days"],
            exempt=tuple(_saying(value["exempt"][name]) for name in ("legacy", "status")),
        )


def _questions(value: Mapping[str, Any]) -> QuestionRules:
    shown = {label["field"]: label["begins"] for label in value["labels"]}
    return QuestionRules(
        marker=plain_words(value["marker"]),
        shown_marker=value["marker"],
        command=value["command"],
        round=value["round"],
        labels={field: plain_words(begins) for field, begins in shown.items()},
        shown=shown,
        owed=tuple(value["owed"]),
        deciders=tuple(value["deciders"]),
        explained=frozenset(value["explained"]),
        rationale_min=value["rationale_min"],
    )


def _saying(value: Mapping[str, Any]) -> Saying:
    return Saying(value["key"], folded(value["values"]))
