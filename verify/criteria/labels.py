"""Labels of acceptance criteria in a text: whole tokens, ranges expanded, one spelling for each."""

from __future__ import annotations

from collections.abc import Iterator
from re import Match
from typing import NamedTuple

from verify.criteria.rules import CriteriaRules, LabelRules


class Mention(NamedTuple):
    """One label or range in a text: where it stands (start, end) and the labels that it means."""

    start: int
    end: int
    labels: tuple[str, ...]


def labels_in(text: str, rules: CriteriaRules) -> tuple[str, ...]:
    """Every label that ``text`` mentions, in order, repeated ones repeated.

    ``AC 7`` and ``AC7`` are ``AC-7``. A label counts as a whole token only: ``AC-1`` is neither in ``AC-10`` nor in
    ``V-AC-1`` nor in ``TASK-AC-1``. A range (``AC-1..AC-4``, ``AC-1-4``) stands for all its labels; one that is no
    ascending range of one family, or longer than ``range_max``, for its two ends. ``AC-1/2,5`` stands for three.
    Linear in the text.
    """
    return tuple(label for mention in find_mentions(text, rules.labels) for label in mention.labels)


def find_mentions(text: str, rules: LabelRules) -> Iterator[Mention]:
    """The same with the places where they stand."""
    known: dict[str, tuple[str, ...]] = {}  # so that a range that is repeated many times costs its labels once
    for match in rules.pattern.finditer(fold(text, rules)):
        written = match.group()
        if written not in known:
            known[written] = _labels(match, rules)
        yield Mention(match.start(), match.end(), known[written])


def mention_at(text: str, start: int, rules: LabelRules) -> Mention | None:
    """The label or range that begins at ``start`` of a text that ``fold`` has been applied to."""
    match = rules.pattern.match(text, start)
    return Mention(match.start(), match.end(), _labels(match, rules)) if match else None


def fold(text: str, rules: LabelRules) -> str:
    """``text`` with look-alike characters replaced; its length stays, so offsets do too."""
    return text if text.isascii() else text.translate(rules.folds)


def _labels(match: Match[str], rules: LabelRules) -> tuple[str, ...]:
    """What one match stands for."""
    first_prefix = f"{match['family']}-{match['axis'] or ''}"
    first, last = match["body"], match["last_body"]
    if match["tail"]:
        return _with_tail(first_prefix, first, match["tail"], rules)
    if not last:
        return (first_prefix + first,)
    last_prefix = f"{match['last_family']}-{match['last_axis'] or ''}"
    if last_prefix != first_prefix:
        return first_prefix + first, last_prefix + last
    return _expanded(first_prefix, first, last, rules.range_max)


def _with_tail(prefix: str, first: str, tail: str, rules: LabelRules) -> tuple[str, ...]:
    """The labels of ``first`` and of the numbers after it, each of which begins as the one before it does."""
    labels = {f"{prefix}{first}": None}
    for match in rules.tail_pattern.finditer(tail):
        number = match["number"]
        whole = number if "." in number else _split(first)[0] + number
        if match["sign"] in rules.list_signs or len(labels) > rules.range_max:
            labels[f"{prefix}{whole}"] = None
        else:
            labels.update(dict.fromkeys(_expanded(prefix, first, whole, rules.range_max)))
        first = whole
    return tuple(labels)


def _expanded(prefix: str, first: str, last: str, most: int) -> tuple[str, ...]:
    """The labels from ``first`` to ``last``: they may differ in their last number only."""
    stem, start = _split(first)
    last_stem, end = _split(last)
    ends = (f"{prefix}{first}", f"{prefix}{last}") if first != last else (f"{prefix}{first}",)
    if stem != last_stem or not (start.isdigit() and end.isdigit()):
        return ends
    if not 0 < int(end) - int(start) < most:
        return ends
    width = len(start) if start.startswith("0") else 0
    return tuple(f"{prefix}{stem}{number:0{width}d}" for number in range(int(start), int(end) + 1))


def _split(body: str) -> tuple[str, str]:
    stem, dot, number = body.rpartition(".")
    return stem + dot, number
