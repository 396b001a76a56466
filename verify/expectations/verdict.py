"""What the statuses of a task's wishes mean: passed, passed under overrides, or blocked (Datarim formats)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from typing import Final, NamedTuple

from verify.artifacts import ANY, ID, ArtifactRules
from verify.expectations.reading import Expectations
from verify.expectations.rules import ExpectationRules, OverrideRules
from verify.expectations.wishes import Wish
from verify.workspace import is_task_id

RESOLVED: Final = "PASS"
OVERRIDDEN: Final = "CONDITIONAL_PASS"
BLOCKED: Final = "BLOCKED"

RESOLVED_LINE: Final = f"{RESOLVED}: all expectation items met / n-a / pending / deleted"
OVERRIDDEN_LINE: Final = (
    f"{OVERRIDDEN}: all partial/missed items carry an operator-authored or artefact-backed override"
)
ABSENT: Final = f"{BLOCKED}: expectations checklist absent — run /dr-prd or /dr-plan first"
BROKEN: Final = f"{BLOCKED}: expectations file fails structural validation; run --task --report for detail"
REQUIRED: Final = BLOCKED + ": {count} expectation(s) require resolution"
FOCUS: Final = "Focus items: {items}"
NEXT: Final = "Next step: /dr-do {task} --focus-items {items}"


class Blocked(NamedTuple):
    """A wish that blocks, and why its override does not count."""

    wish: Wish
    reason: str


class Verdict(NamedTuple):
    """``outcome`` is one of the three words above; both lists are in the order of the document."""

    outcome: str
    blocking: tuple[Blocked, ...]
    overridden: tuple[Wish, ...]

    def lines(self, task_id: str) -> tuple[str, ...]:
        """The verdict in the lines that other programs read."""
        if not self.blocking:
            return (OVERRIDDEN_LINE if self.overridden else RESOLVED_LINE,)
        items = ",".join(one.wish.wish_id for one in self.blocking)
        return (
            REQUIRED.format(count=len(self.blocking)),
            FOCUS.format(items=items),
            NEXT.format(task=task_id, items=items),
        )


class Records:
    """The documents in which a task has to stand to count as recorded, and whose override asks."""

    def __init__(self, task_id: str, texts: Callable[[], Iterable[str]], rules: ArtifactRules) -> None:
        """``texts`` gives the texts of the documents; it is asked once, and only if anything turns on it."""
        self._own = task_id
        self._texts = texts
        self._rules = rules

    @cached_property
    def _ids(self) -> frozenset[str]:
        """Every token of the documents."""
        words = (_token().findall(text) for text in self._texts())
        return frozenset(word.strip("_-") for found in words for word in found)

    def task_in(self, text: str) -> str | None:
        """The first task that ``text`` names, that is recorded, and that is not the asking one; else null.

        ``text`` is an id, a path of a document of a task, or words that hold such. An id counts as a whole token, in
        the text as in the documents.
        """
        named = (task for word in _words().findall(text) for task in self._named(word))
        return next((task for task in named if task != self._own and task in self._ids), None)

    def _named(self, word: str) -> Iterator[str]:
        """The task ids in one word: as the name of a document holds it, else as whole tokens."""
        name = word.rpartition("/")[2]
        places = (place.path.rpartition("/")[2] for place in self._rules.documents)
        ends = (place.partition(ID)[::2] for place in places if ANY not in place)
        held = (name[len(head) : len(name) - len(tail)] for head, tail in ends if _between(name, head, tail))
        found = [task for task in held if self._is_id(task)]
        yield from found or (
            token for token in (one.strip("_-") for one in _token().findall(word)) if self._is_id(token)
        )

    def _is_id(self, text: str) -> bool:
        return is_task_id(text, self._rules.task_id, self._rules.task_id_max)


def judge(expectations: Expectations, records: Records, rules: ExpectationRules) -> Verdict:
    """The verdict over the wishes of a checklist whose structure holds.

    A wish that is not resolved blocks, unless its override counts: the operator's word is enough, anybody else's needs
    one of the classes and a task on record.
    """
    blocking, overridden = [], []
    for wish in expectations.wishes:
        if wish.status in rules.resolved:
            continue
        reason = _refusal(wish, records, rules)
        if reason is None:
            overridden.append(wish)
        else:
            blocking.append(Blocked(wish, reason))
    outcome = BLOCKED if blocking else OVERRIDDEN if overridden else RESOLVED
    return Verdict(outcome, tuple(blocking), tuple(overridden))


def accepted(wish: Wish, rules: ExpectationRules) -> bool:
    """Whether a wish is not fulfilled, and somebody let it pass whose word is enough."""
    unresolved = wish.status is not None and wish.status not in rules.resolved
    asked = rules.override
    return unresolved and len(wish.override.value) >= asked.min_chars and _by_word(wish, rules)


def _by_word(wish: Wish, rules: ExpectationRules) -> bool:
    return rules.term(wish.override_by, rules.override.accepted_by) is not None


def _refusal(wish: Wish, records: Records, rules: ExpectationRules) -> str | None:
    """Why the override of a wish does not count; null where it does."""
    asked = rules.override
    said = wish.override.value
    if not said:
        return "it carries no override"
    if len(said) < asked.min_chars:
        return f"its override has {len(said)} of at least {asked.min_chars} characters"
    if _by_word(wish, rules):
        return None
    return _unbacked(wish, asked, records, rules)


def _unbacked(wish: Wish, asked: OverrideRules, records: Records, rules: ExpectationRules) -> str | None:
    who = f"its override is by {wish.override_by}" if wish.override_by else "nobody is named as its override's author"
    if rules.term(wish.override_class, asked.classes) is None:
        return f"{who}, and its override_class is none of {', '.join(asked.classes)}"
    if not wish.override_artifact:
        return f"{who}, and it has no override_artifact"
    if records.task_in(wish.override_artifact) is None:
        where = " or ".join(asked.recorded_in)
        return f"{who}, and its override_artifact names no other task that stands in the {where}"
    return None


def _between(name: str, head: str, tail: str) -> bool:
    return len(name) > len(head) + len(tail) and name.startswith(head) and name.endswith(tail)


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[\w-]+")


@cache
def _words() -> re.Pattern[str]:
    """What stands between blanks, brackets and quotation marks."""
    return re.compile(r"[^\s,;()\[\]<>\"'«»|`]+")
