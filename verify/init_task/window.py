"""How old a task is, and whether it owes its captured documents at all (the soft window of *Self-verification*)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from toolkit.reporting.visible import visible
from verify.artifacts import Artifact
from verify.captured import SHOWN
from verify.days import day_of
from verify.init_task.rules import InitTaskRules


class Dated(NamedTuple):
    """The day of a task (UTC) and where it stands (``path:line``); without one, ``place`` says what was found."""

    day: date | None
    place: str


def find_day(documents: Iterable[Artifact | None], keys: tuple[str, ...]) -> Dated:
    """The first date that stands under one of ``keys`` in the front matter of one of ``documents``, in their order.

    A value that is no date is passed over, and told where no other one is found.
    """
    passed = []
    for document in documents:
        for key in keys if document is not None else ():
            assert document is not None  # there are no keys otherwise
            for value, line in document.front_matter.entries(key):
                day = day_of(value)
                if day is not None:
                    return Dated(day, f"{document.path}:{line}")
                passed.append(f"{document.path}:{line} says {key}: {visible(value, SHOWN)}")
    return Dated(None, "; ".join(["no date was found", *passed[:1]]))


def is_young(dated: Dated, today: date, rules: InitTaskRules) -> bool | None:
    """Whether a task lies inside the soft window; null where its day is unknown. A day to come is young."""
    return None if dated.day is None else (today - dated.day).days < rules.window_days


def exemption(description: Artifact | None, rules: InitTaskRules) -> str | None:
    """Why a task owes no captured documents, with the place that says so; else null."""
    if description is None:
        return None
    for saying in rules.exempt:
        for value, line in description.front_matter.entries(saying.key):
            if value.casefold() in saying.values:
                return f"{description.path}:{line} says {saying.key}: {visible(value, SHOWN)}"
    return None
